"""Settings of the operator: `api.json` and the environment, read once and checked at the start.

Every variable begins with the package's own prefix. Every problem is collected and named by its
variable, never by its value. Those of a server that calls an API are in `client.settings`.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar

from .parts import VARIABLES as PART_VARIABLES
from .parts import Part, parts_of, remedy
from .results import Masks

_T = TypeVar("_T")
_RATE = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:/(s|m|h))?")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
KIB, MIB, GIB = 1024, 1024**2, 1024**3
PAGE_BYTES = 480 * KIB
"""Bytes of the tools on a page of a list over HTTP, as JSON."""


class SettingsError(Exception):
    """Raised for bad settings. `problems` holds one sentence each, with variables and no values."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


Kind = Literal[
    "seconds", "count", "bytes", "rate", "flag", "names", "scopes", "text", "secret",
    "url", "origins", "file", "folders", "folder",
]  # fmt: skip
Group = Literal["main", "calls", "api", "http"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable: its name without the prefix, its default and its kind.

    Numbers lie between `low` and `high`, both included. `group` is `api` for what only a server
    that calls an API reads, and `main` for what the README lists first. Of a `shared` limit each
    process of several gets its part.
    """

    name: str
    default: Any
    kind: Kind
    group: Group
    low: float
    high: float
    shared: bool


def variable(
    default: Any,
    kind: Kind,
    group: Group,
    low: float = 0,
    high: float = 0,
    *,
    name: str = "",
    shared: bool = False,
) -> Any:
    """Return a field of a dataclass that is a variable (`Setting`), named after the field unless
    `name` is given.
    """
    setting = Setting(name, default, kind, group, low, high, shared)
    return field(default=default, metadata={Setting: setting})


def _secrets() -> Any:
    """Return the module `secrets`; None on a server that has no secrets."""
    try:
        return import_module(".secrets", __package__)
    except ModuleNotFoundError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that is decided before the first call. Times are seconds, sizes are bytes unless
    their name says characters. A field with metadata is a variable of the environment (`Setting`).
    """

    name: str
    env_prefix: str = ""
    variables: tuple[str, ...] = ()
    """The variables that are set and that the server reads, in full."""
    redact: tuple[str, ...] = ()
    """Fields to take out of every answer."""
    forward_headers: tuple[str, ...] = ()
    """Header fields of a caller that go to the API (decided at generation)."""
    toolsets: tuple[str, ...] = variable((), "names", "main")
    """Empty for all of them, unless there are `tools`."""
    tools: tuple[str, ...] = variable((), "names", "main")
    read_only: bool = variable(False, "flag", "main")
    max_calls: int = variable(256, "count", "calls", 1, 100_000, shared=True)
    call_rate: float = variable(500.0, "rate", "calls", shared=True)
    total_timeout: float = variable(60.0, "seconds", "calls", 0.1, 86_400)
    max_result_tokens: int = variable(12_000, "count", "api", 200, 10_000_000)
    structured_content: bool = variable(True, "flag", "calls")
    ca_file: Path | None = variable(None, "file", "api")
    apis: Mapping[str, Settings] = field(default_factory=dict)
    """The settings of further APIs."""
    parts: tuple[Part, ...] = ()
    part_settings: Mapping[Any, Any] = field(default_factory=dict)
    """The variables of each part, by their dataclass."""
    redactor: Masks = field(default_factory=Masks)
    shared_key: bytes = b""
    """Digest of the secrets of the environment, which all replicas have; empty without any."""
    notes: tuple[str, ...] = ()
    """Risks and slips that do not keep the server from starting, one sentence each."""
    unread: tuple[str, ...] = ()
    """Variables with the server's prefix that it does not read."""

    def __repr__(self) -> str:
        return f"Settings(name={self.name!r})"

    def part(self, kind: type[_T]) -> _T:
        """Return the variables of a part, by their class. Raises KeyError without the part."""
        values: _T = self.part_settings[kind]
        return values

    def variable(self, name: str) -> str:
        """Return the full name of a setting's variable: `CALL_RATE` -> `SHOP_CALL_RATE`."""
        return f"{self.env_prefix}_{name}"


def settings_of(kind: Any) -> tuple[Setting, ...]:
    """Return the settings that are fields of a dataclass, in their order."""
    given = [(item.name, item.metadata[Setting]) for item in fields(kind) if item.metadata]
    return tuple(replace(each, name=each.name or name.upper()) for name, each in given)


def settings_with(kind: type[Settings], parts: Collection[Part]) -> tuple[Setting, ...]:
    """Return the settings of a server with these parts. Without an API, only those of the group
    `api` that a part reads are among them.
    """
    found = [*settings_of(kind)]
    if kind is Settings:
        read = {name for part in parts for name in part.reads}
        found = [each for each in found if each.group != "api" or each.name in read]
    for part in parts:
        found += settings_of(part.settings) if part.settings else ()
    return tuple(found)


def read(
    facts: Mapping[str, Any], environ: Mapping[str, str] | None = None, *, http: bool = False
) -> Any:
    """Return the settings of this process; `facts` is the content of `api.json`.

    Over HTTP (`http`) the callers are not on this machine, and no local file can be named. Raises
    SettingsError with every problem there is.
    """
    reader = Reader
    if facts.get("calls_api") is not False:
        # Only servers that call an API, or several, have these modules
        name = "apis" if facts.get("apis") else "settings"
        reader = import_module(f".client.{name}", __package__).READER
    return reader(facts, os.environ if environ is None else environ, http=http).read()


def _number(text: str, setting: Setting) -> float:
    """Return a number within its bounds, whole unless seconds. Raises ValueError."""
    convert: type[float] = int
    what = "a whole number"
    if setting.kind == "seconds":
        convert = float
        what = "a number"
    with suppress(ValueError):
        value = convert(text)
        if setting.low <= value <= setting.high:
            return value
    raise ValueError(f"has to be {what} from {setting.low:.10g} to {setting.high:.10g}")


def _rate(text: str, setting: Setting) -> float:
    """Return a number a second from `5`, `5/s`, `100/m` or `1000/h`. Raises ValueError."""
    match = _RATE.fullmatch(text)
    if match is None:
        raise ValueError("has to be a rate such as `5`, `100/m` or `1000/h`")
    return float(match[1]) / _SECONDS[match[2] or "s"]


def _flag(text: str, setting: Setting) -> bool:
    """Return the flag of `true`, `1`, `yes`, `on` or their opposites. Raises ValueError."""
    if text.lower() not in _TRUE + _FALSE:
        raise ValueError("has to be `true` or `false`")
    return text.lower() in _TRUE


def items(text: str, setting: Setting) -> tuple[str, ...]:
    """Return the texts between commas, stripped, without empty ones."""
    items = (item.strip() for item in text.split(","))
    return tuple(item for item in items if item)


def _file(text: str, setting: Setting) -> Path:
    """Return the path of a file that exists. Raises ValueError."""
    if not os.path.isfile(text):
        raise ValueError("names a file that is not there")
    return Path(text)


def _folders(text: str, setting: Setting) -> tuple[Path, ...]:
    """Return absolute paths of folders, between the system's path separators. Raises ValueError."""
    folders = [Path(item.strip()) for item in text.split(os.pathsep) if item.strip()]
    if not all(folder.is_absolute() and os.path.isdir(folder) for folder in folders):
        raise ValueError("has to hold absolute paths of folders that are there")
    return tuple(folder.resolve() for folder in folders)


def _folder(text: str, setting: Setting) -> Path:
    """Return the single folder of an absolute path. Raises ValueError unless it exists."""
    folders = _folders(text, setting)
    if len(folders) != 1:
        raise ValueError("has to hold the absolute path of one folder that is there")
    return folders[0]


def port(text: str) -> int:
    """Return the number of a port (0 to 65535). Raises ValueError."""
    number = int(text)
    if not 0 <= number <= 65_535:
        raise ValueError
    return number


READERS: Mapping[str, Callable[[str, Setting], Any]] = {
    "seconds": _number,
    "count": _number,
    "bytes": _number,
    "rate": _rate,
    "flag": _flag,
    "names": items,
    "scopes": lambda text, _: frozenset(text.split()),
    "text": lambda text, _: text,
    "file": _file,
    "folders": _folders,
    "folder": _folder,
}
"""Kind -> reader of its text. Raises ValueError with the expected format."""
NUMBERS = ("seconds", "count", "bytes", "rate")
LOCAL = ("folders", "folder")
"""Kinds of settings that name what callers over HTTP do not have: a place on this machine."""


class Reader:
    """Reader of the environment, once: it collects problems and notes on the way."""

    kind: ClassVar[type[Settings]] = Settings
    readers: ClassVar[Mapping[str, Callable[[str, Setting], Any]]] = READERS

    def __init__(self, facts: Mapping[str, Any], environ: Mapping[str, str], *, http: bool) -> None:
        self.facts = facts
        self.prefix = str(facts["env_prefix"])
        self.environ = {
            name: value for name, value in environ.items() if name.startswith(f"{self.prefix}_")
        }
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.http = http
        self.parts = parts_of(facts)

    def read(self) -> Settings:
        """Return the settings. Raises SettingsError for the problems collected."""
        read = settings_with(self.kind, self.parts)
        own = [setting for setting in settings_of(Settings) if setting in read]
        settings = Settings(**self.fields(self.values_of(own)))
        self.raise_problems()
        return settings

    def fields(self, values: Mapping[str, Any], secrets: Iterable[Any] = ()) -> dict[str, Any]:
        """Return the fields of every server's settings. `values` are its own variables by field,
        `secrets` what is masked besides those among the variables. Unknown variables are noted.
        """
        own = {part.settings: self.part(part) for part in self.parts if part.settings is not None}
        known = self.known()
        self.note_unknown(known)
        known_secrets, redactor = [], Masks()
        if there := _secrets():
            known_secrets = there.revealed(secrets, values, own.values())
            redactor = there.Redactor(known_secrets)
        return {
            **values,
            "name": str(self.facts["name"]),
            "env_prefix": self.prefix,
            "variables": tuple(sorted(known.intersection(self.environ))),
            "redact": tuple(self.facts.get("redact", ())),
            "forward_headers": tuple(self.facts.get("forward_headers", ())),
            "parts": self.parts,
            "part_settings": MappingProxyType(own),
            "redactor": redactor,
            "shared_key": (
                sha256("\0".join(known_secrets).encode()).digest() if known_secrets else b""
            ),
            "notes": tuple(self.notes),
            "unread": tuple(sorted(set(self.environ) - known)),
        }

    def raise_problems(self) -> None:
        """Raise SettingsError if problems were collected."""
        if self.problems:
            raise SettingsError(self.problems)

    def known(self) -> set[str]:
        """Return the full names of the variables that the server reads, `_FILE` ones included."""
        own = settings_with(self.kind, self.parts)
        files = {f"{self.prefix}_{each.name}_FILE" for each in own if each.kind == "secret"}
        return files | {f"{self.prefix}_{each.name}" for each in own}

    def values_of(self, settings: Iterable[Setting]) -> dict[str, Any]:
        """Return the values of settings, by name in lower case; local paths over HTTP: defaults."""
        found: dict[str, Any] = {}
        for setting in settings:
            value = setting.default
            if setting.kind == "secret":
                value = self.secret(setting.name)
            elif not (self.http and setting.kind in LOCAL):
                value = self.checked(setting)
            found[setting.name.lower()] = value
        return found

    def checked(self, setting: Setting) -> Any:
        """Return the value of a setting. Unset or refused: its default, which `mcpgen.toml` may
        have chosen.
        """
        text = self.value(setting.name)
        if text:
            try:
                return self.readers[setting.kind](text, setting)
            except ValueError as error:
                self.refuse(setting.name, str(error))
        return self.facts.get("defaults", {}).get(setting.name.lower(), setting.default)

    def part(self, part: Part) -> Any:
        """Return the variables of a part, checked by the part."""
        assert part.settings is not None
        own = part.settings(**self.values_of(settings_of(part.settings)))
        if part.check is not None:
            part.check(own, self)
        return own

    def value(self, name: str) -> str:
        """Return the text of a variable without spaces around it; empty if it is not set."""
        return self.environ.get(f"{self.prefix}_{name}", "").strip()

    def refuse(self, name: str, reason: str) -> None:
        """Note a problem of a variable (its name without the prefix)."""
        self.problems.append(f"`{self.prefix}_{name}` {reason}")

    def secret(self, name: str, *, may_be_empty: bool = False) -> Any:
        """Return the `Secret` of a variable, or of the file in `..._FILE`; None without one."""
        return _secrets().read(self, name, may_be_empty)

    def note_unknown(self, known: set[str]) -> None:
        """Note variables with the server's prefix that it does not read. A variable of a part that
        the server was made without is a problem.
        """
        for name in sorted(set(self.environ) - known):
            part = PART_VARIABLES.get(name.removeprefix(f"{self.prefix}_").removesuffix("_FILE"))
            if part is not None:
                self.problems.append(
                    f"`{name}` is read by the part `{part}`, which this server was made without:"
                    f" {remedy(part)}"
                )
                continue
            note = f"`{name}` is not a setting of this server"
            for similar in self.similar(name, known):
                note += f"; did you mean `{similar}`?"
            self.notes.append(note)

    def similar(self, name: str, known: set[str]) -> list[str]:
        """Return the known variable closest to a name, in a list; empty if none is close."""
        return difflib.get_close_matches(name, known, n=1, cutoff=0.8)
