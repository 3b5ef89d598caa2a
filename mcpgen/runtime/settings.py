"""What the operator decides: `api.json` and the environment, read once, checked, and never changed.

Every variable begins with the package's own prefix. A number out of range, a secret that is a
placeholder: all such problems are collected and named by variable, never by value.
"""

from __future__ import annotations

import base64
import difflib
import hmac
import json
import logging
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar
from urllib.parse import quote, quote_plus

from .origin import Origin, check_base_url, origin_of
from .variables import VARIABLES

MASK = "****"

_PLACEHOLDER = re.compile(
    r"<.*>|\$\{.*\}|\{\{.*\}\}|x{3,}|\*+|\.{3,}|-+|none|null|todo|tbd|fixme|placeholder"
    r"|(change|replace|fill|insert|put|enter|add)[-_ ]?(me|this|it|in|your|here).*|your[-_ ].*",
    re.I,
)
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_Number = TypeVar("_Number", int, float)


class SettingsError(Exception):
    """The server cannot start; `problems` say why, one sentence each, naming variables and never
    values.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class Secret:
    """A text that does not show itself: only `reveal` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret('{MASK}')"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(
            self._value.encode(), other._value.encode()
        )

    def __hash__(self) -> int:
        return id(self)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a secret is not pickled")


class Redactor(logging.Filter):
    """Masks every known secret in texts: as it is, percent-encoded, and inside base64 at any
    alignment.

    The last line of defence; nothing is written with the intention that this removes it. As a
    `logging.Filter` it also keeps a record on one line.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._forms: dict[str, list[str]] = {}
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.add(secret)

    def __repr__(self) -> str:
        return f"Redactor({len(self._forms)} secrets)"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a redactor is not pickled")

    def add(self, secret: str) -> None:
        """Mask this text from now on. Texts of less than 4 characters are in every other word and
        cannot be.
        """
        if len(secret) < 4 or secret in self._forms:
            return
        self._forms[secret] = _forms(secret)
        if len(self._forms) > 200:  # tokens that were renewed long ago
            self._forms.pop(next(key for index, key in enumerate(self._forms) if index == 100))
        every = sorted(
            {form for forms in self._forms.values() for form in forms}, key=len, reverse=True
        )
        self._pattern = re.compile("|".join(re.escape(form) for form in every))

    def __call__(self, text: str) -> str:
        """The text with every secret masked."""
        return self._pattern.sub(MASK, text) if self._pattern is not None else text

    def data(self, value: Any) -> Any:
        """JSON data with every secret in its texts and keys masked."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.data(item) for item in value]
        if isinstance(value, dict):
            return {self(key): self.data(item) for key, item in value.items()}
        return value

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask and flatten a record; it is always kept."""
        try:
            text = record.getMessage()
        except Exception:  # a record with the wrong number of arguments is still a record
            text = str(record.msg)
        record.msg = self(text).encode("unicode_escape").decode("ascii")
        record.args = None
        if record.exc_info and not isinstance(record.exc_info, bool):
            record.exc_text = self(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        elif record.exc_text:
            record.exc_text = self(record.exc_text)
        return True


def _forms(secret: str) -> list[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    forms = {secret, secret.strip(), json.dumps(secret)[1:-1]}
    for text in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        forms |= {text, re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), text)}
    if len(raw) >= 6:
        for offset in range(3):
            # Only the characters that depend on nothing but the secret.
            start, end = -(-offset * 8 // 6), (offset + len(raw)) * 8 // 6
            plain = base64.b64encode(b"\0" * offset + raw).decode()[start:end]
            forms |= {plain, plain.replace("+", "-").replace("/", "_")}
    return [form for form in forms if len(form) >= 4]


@dataclass(frozen=True, slots=True)
class Credential:
    """One way of the API to know its caller, with what the environment holds for it.

    `kind` is `api_key`, `basic`, `bearer`, `client_credentials`, `mutual_tls` or `unsupported`;
    `values` stand beside `variables`, None for what is not set.
    """

    name: str
    kind: str
    place: str
    wire_name: str
    scheme: str
    variables: tuple[str, ...]
    values: tuple[Secret | None, ...]
    token_url: str | None = None
    scopes: tuple[str, ...] = ()

    @property
    def ready_token(self) -> bool:
        """Whether the operator gave an access token, so that none has to be fetched."""
        return bool(self.values[2:] and self.values[2])

    @property
    def present(self) -> bool:
        """Whether everything it takes is set."""
        if self.kind == "unsupported" or not self.values:
            return False
        if self.kind == "client_credentials":
            return all(self.values[:2]) or self.ready_token
        if self.kind == "basic":  # an empty password is one, when it was set to be empty
            return bool(self.values[0]) and self.values[1] is not None
        if self.kind == "mutual_tls":  # the key may stand in the file of the certificate
            return bool(self.values[0])
        return all(self.values)


@dataclass(frozen=True, slots=True)
class Shaping:
    """What of a tool's answer the model gets to see: dotted paths to keep or drop, and whether
    nulls go.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    strip_nulls: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that is decided before the first call. Times are seconds, sizes bytes unless they
    say characters.
    """

    name: str
    title: str = ""
    version: str = ""
    instructions: str = ""
    env_prefix: str = ""
    base_url: str = ""
    base_url_given: bool = False
    """Whether the operator named the base URL (and with it vouches for the address)."""
    security: tuple[tuple[str, ...], ...] = ()
    credentials: Mapping[str, Credential] = field(default_factory=dict)
    toolset_facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, Shaping] = field(default_factory=dict)
    wrapped: frozenset[str] = frozenset()
    open_origins: frozenset[Origin] = frozenset()
    """Other origins that operations may go to, without credentials (decided at generation)."""
    trusted_origins: frozenset[Origin] = frozenset()
    """Other origins that operations may go to and that credentials may be sent to
    (`_ALLOW_ORIGINS`).
    """
    allow_private: bool = False
    timeout: float = 30.0
    connect_timeout: float = 5.0
    total_timeout: float = 60.0
    retries: int = 2
    backoff: float = 0.5
    max_retry_wait: float = 30.0
    max_concurrency: int = 16
    max_waiting: int = 128
    rate_limit: float = 0.0
    """Requests a second; 0 is no limit."""
    max_calls: int = 256
    """Calls that run at the same time, of whatever tools."""
    call_rate: float = 100.0
    """Calls a second; 0 is no limit."""
    http_head_timeout: float = 10.0
    http_body_timeout: float = 30.0
    http_idle_timeout: int = 60
    http_max_connections: int = 1024
    http_max_per_address: int = 256
    max_result_chars: int = 50_000
    max_request_bytes: int = 1024 * 1024
    max_response_bytes: int = 10 * 1024 * 1024
    max_binary_bytes: int = 1024 * 1024
    file_roots: tuple[Path, ...] = ()
    save_dir: Path | None = None
    ca_file: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    toolsets: tuple[str, ...] | None = None
    read_only: bool = False
    http_token: Secret | None = None
    redactor: Redactor = field(default_factory=Redactor)
    notes: tuple[str, ...] = ()
    """What the operator should know and can live with, one sentence each."""

    def __repr__(self) -> str:
        return f"Settings(name={self.name!r})"

    @property
    def origin(self) -> Origin:
        """The API's own origin."""
        return origin_of(self.base_url)

    def variable(self, name: str) -> str:
        """The full name of a setting's environment variable."""
        return f"{self.env_prefix}_{name}"


def read(
    facts: Mapping[str, Any],
    environ: Mapping[str, str] | None = None,
    *,
    http: bool = False,
    known: Iterable[str] = (),
) -> Settings:
    """The settings of this process.

    `facts` is the content of `api.json`; `known` names further variables (without prefix) that
    other modules read. Over HTTP (`http`) the callers are not on this machine, and no local file
    can be named. Raises SettingsError with every problem there is.
    """
    return _Reader(facts, os.environ if environ is None else environ).read(http, tuple(known))


class _Reader:
    """One reading of the environment: values on the one side, problems on the other."""

    def __init__(self, facts: Mapping[str, Any], environ: Mapping[str, str]) -> None:
        self.facts = facts
        self.prefix = str(facts["env_prefix"])
        self.environ = {
            name: value for name, value in environ.items() if name.startswith(f"{self.prefix}_")
        }
        self.problems: list[str] = []
        self.notes: list[str] = []

    def read(self, http: bool, known: tuple[str, ...]) -> Settings:
        facts = self.facts
        base_url, given = self.base_url()
        trusted = self.origins("ALLOW_ORIGINS")
        token_url = self.token_url()
        credentials = {
            name: self.credential(name, auth, token_url)
            for name, auth in sorted(facts.get("auth", {}).items())
        }
        if token_url is not None:
            trusted |= {origin_of(token_url)}
        token = self.secret("HTTP_TOKEN")
        self.doubts(credentials, base_url, trusted)
        secrets = [value.reveal() for one in credentials.values() for value in one.values if value]
        self.misspelt(
            (*VARIABLES, *known), [name for one in credentials.values() for name in one.variables]
        )
        cert, key = self.path("CLIENT_CERT"), self.path("CLIENT_KEY")
        settings = Settings(
            name=str(facts["name"]),
            title=str(facts.get("title", "")),
            version=str(facts.get("version", "")),
            instructions=str(facts.get("instructions", "")),
            env_prefix=self.prefix,
            base_url=base_url,
            base_url_given=given,
            security=tuple(tuple(names) for names in facts.get("security", ())),
            credentials=MappingProxyType(credentials),
            toolset_facts=MappingProxyType(dict(facts.get("toolsets", {}))),
            aliases=MappingProxyType(dict(facts.get("aliases", {}))),
            answers=MappingProxyType(
                {name: _shaping(given) for name, given in facts.get("answers", {}).items()}
            ),
            wrapped=frozenset(facts.get("wrapped", ())),
            open_origins=frozenset(_origins(facts.get("allowed_origins", ()))),
            trusted_origins=frozenset(trusted),
            allow_private=self.flag("ALLOW_PRIVATE"),
            timeout=self.number("TIMEOUT", 30.0, 0.1, 3600),
            connect_timeout=self.number("CONNECT_TIMEOUT", 5.0, 0.1, 600),
            total_timeout=self.number("TOTAL_TIMEOUT", 60.0, 0.1, 86_400),
            retries=self.integer("RETRIES", 2, 0, 10),
            max_concurrency=self.integer("MAX_CONCURRENCY", 16, 1, 1_000),
            max_waiting=self.integer("MAX_WAITING", 128, 0, 100_000),
            rate_limit=self.rate("RATE_LIMIT", "0"),
            max_calls=self.integer("MAX_CALLS", 256, 1, 100_000),
            call_rate=self.rate("CALL_RATE", "100"),
            http_head_timeout=self.number("HTTP_HEAD_TIMEOUT", 10.0, 0.1, 600),
            http_body_timeout=self.number("HTTP_BODY_TIMEOUT", 30.0, 0.1, 3600),
            http_idle_timeout=self.integer("HTTP_IDLE_TIMEOUT", 60, 1, 3600),
            http_max_connections=self.integer("HTTP_MAX_CONNECTIONS", 1024, 1, 100_000),
            http_max_per_address=self.integer("HTTP_MAX_PER_ADDRESS", 256, 1, 100_000),
            max_result_chars=self.integer("MAX_RESULT_CHARS", 50_000, 200, 10_000_000),
            max_request_bytes=self.integer("MAX_REQUEST_BYTES", 1024 * 1024, 1, 1024**3),
            max_response_bytes=self.integer("MAX_RESPONSE_BYTES", 10 * 1024 * 1024, 1_024, 1024**3),
            max_binary_bytes=self.integer("MAX_BINARY_BYTES", 1024 * 1024, 0, 100 * 1024 * 1024),
            file_roots=() if http else self.folders("FILE_ROOTS"),
            save_dir=None if http else next(iter(self.folders("SAVE_DIR")), None),
            ca_file=self.path("CA_FILE"),
            client_cert=cert,
            client_key=key,
            toolsets=self.listing("TOOLSETS"),
            read_only=self.flag("READ_ONLY"),
            http_token=token,
            redactor=Redactor([*secrets, *([token.reveal()] if token else [])]),
            notes=tuple(self.notes),
        )
        if self.problems:
            raise SettingsError(self.problems)
        return settings

    def base_url(self) -> tuple[str, bool]:
        """The base URL, and whether it comes from the operator."""
        variable = f"{self.prefix}_BASE_URL"
        given = self.environ.get(variable, "").strip()
        found = given or str(self.facts.get("base_url") or "")
        if not found and self.facts.get("calls_api") is False:
            return "", False
        if not found:
            note = str(self.facts.get("base_url_note") or "")
            self.problems.append(
                f"`{variable}` is not set: it has to be the URL of the API, as in"
                " `https://api.example.com/v1`" + (f" ({note})" if note else "")
            )
            return "", False
        try:
            return check_base_url(found), bool(given)
        except ValueError as error:
            place = f"`{variable}`" if given else "the base URL in `api.json`"
            self.problems.append(f"{place} cannot be used: {error}")
            return "", bool(given)

    def token_url(self) -> str | None:
        """Where OAuth tokens come from, if the operator says so."""
        given = self.environ.get(f"{self.prefix}_TOKEN_URL", "").strip()
        if not given:
            return None
        try:
            origin_of(given)
        except ValueError as error:
            self.problems.append(f"`{self.prefix}_TOKEN_URL` cannot be used: {error}")
            return None
        return given

    def credential(self, name: str, auth: Mapping[str, Any], token_url: str | None) -> Credential:
        """One credential with what the environment holds for it."""
        variables = tuple(str(variable) for variable in auth.get("variables", ()))
        kind = str(auth.get("kind", "unsupported"))
        values = []
        for index, variable in enumerate(variables):
            may_be_empty = kind == "basic" and index == 1
            values.append(self.secret(variable[len(self.prefix) + 1 :], may_be_empty=may_be_empty))
        wanted = Credential(
            name=name,
            kind=kind,
            place=str(auth.get("place", "header")),
            wire_name=str(auth.get("wire_name", "Authorization")),
            scheme=str(auth.get("scheme", "")),
            variables=variables,
            values=tuple(values),
            token_url=token_url or auth.get("token_url"),
            scopes=tuple(auth.get("scopes", ())),
        )
        if variables and not wanted.present:
            missing = [
                variable for variable, value in zip(variables, values, strict=True) if not value
            ]
            self.notes.append(
                f"{_names(missing)} not set: tools that need the credential `{name}` will say so"
                " when they are called"
            )
        return wanted

    def doubts(
        self, credentials: Mapping[str, Credential], base_url: str, trusted: set[Origin]
    ) -> None:
        """Note what works and should not go unnoticed."""
        if not base_url:
            return
        own = origin_of(base_url)
        for one in credentials.values():
            if (
                one.present
                and one.kind == "client_credentials"
                and not one.ready_token
                and one.token_url
            ):
                try:
                    origin = origin_of(one.token_url)
                except ValueError:
                    continue
                if origin != own and origin not in trusted:
                    self.notes.append(
                        f"access tokens for `{one.name}` come from {origin}: "
                        f"set `{self.prefix}_ALLOW_ORIGINS={origin}` to allow that"
                    )
        if (
            own.scheme == "http"
            and not own.loopback
            and any(one.present for one in credentials.values())
        ):
            self.notes.append("the API is reached without TLS: credentials can be read on the way")

    def secret(self, name: str, *, may_be_empty: bool = False) -> Secret | None:
        """A secret from its variable, or from the file that the variable with `_FILE` names."""
        variable = f"{self.prefix}_{name}"
        value = self.environ.get(variable)
        if not value and f"{variable}_FILE" in self.environ:
            value, variable = self.secret_file(f"{variable}_FILE"), f"{variable}_FILE"
        if value is None or (value == "" and not may_be_empty):
            return None
        if any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for letter in value):
            self.problems.append(f"`{variable}` holds a line break or another control character")
        elif not value.isascii():
            self.problems.append(f"`{variable}` holds characters other than ASCII")
        elif value != value.strip():
            self.problems.append(f"`{variable}` begins or ends with a space")
        elif value and _PLACEHOLDER.fullmatch(value):
            self.problems.append(
                f"`{variable}` holds a placeholder: put the real value there, or unset it"
            )
        else:
            return Secret(value)
        return None

    def secret_file(self, variable: str) -> str | None:
        """The content of a secret's file, which nobody but its owner may read."""
        path = Path(self.environ[variable])
        try:
            mode = path.stat().st_mode
            if not stat.S_ISREG(mode) or (
                os.name == "posix" and mode & 0o077 and not str(path).startswith("/run/")
            ):
                self.problems.append(
                    f"`{variable}` has to name a file that only its owner can read (mode 0600)"
                )
                return None
            return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, UnicodeDecodeError):
            self.problems.append(f"`{variable}` names a file that cannot be read")
            return None

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """A number of seconds within its bounds."""
        return self._number(name, default, low, high, float, "a number")

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number within its bounds."""
        return self._number(name, default, low, high, int, "a whole number")

    def _number(
        self,
        name: str,
        default: _Number,
        low: float,
        high: float,
        convert: Callable[[str], _Number],
        what: str,
    ) -> _Number:
        text = self.environ.get(f"{self.prefix}_{name}", "").strip()
        if not text:
            return default
        try:
            value = convert(text)
            if low <= value <= high:
                return value
        except ValueError:
            pass
        self.problems.append(
            f"`{self.prefix}_{name}` has to be {what} from {low:.10g} to {high:.10g}"
        )
        return default

    def rate(self, name: str, default: str) -> float:
        """So many a second: `5`, `5/s`, `100/m` or `1000/h`."""
        text = self.environ.get(f"{self.prefix}_{name}", "").strip()
        found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)(?:/(s|m|h))?", text or default)
        if found is None:
            self.problems.append(
                f"`{self.prefix}_{name}` has to be a rate such as `5`, `100/m` or `1000/h`"
            )
            return 0.0
        return float(found[1]) / {"s": 1, "m": 60, "h": 3600}[found[2] or "s"]

    def flag(self, name: str) -> bool:
        """A yes or no."""
        text = self.environ.get(f"{self.prefix}_{name}", "").strip().lower()
        if text not in _TRUE + _FALSE:
            self.problems.append(f"`{self.prefix}_{name}` has to be `true` or `false`")
        return text in _TRUE

    def listing(self, name: str) -> tuple[str, ...] | None:
        """Names separated by commas; None when not set."""
        items = [item.strip() for item in self.environ.get(f"{self.prefix}_{name}", "").split(",")]
        return tuple(item for item in items if item) or None

    def origins(self, name: str) -> set[Origin]:
        """Origins separated by commas."""
        found = set()
        for item in self.listing(name) or ():
            try:
                found.add(origin_of(item))
            except ValueError:
                self.problems.append(
                    f"`{self.prefix}_{name}` has to hold origins such as"
                    " `https://uploads.example.com`, with commas"
                )
        return found

    def path(self, name: str) -> Path | None:
        """A file that is there."""
        text = self.environ.get(f"{self.prefix}_{name}", "").strip()
        if not text:
            return None
        if not Path(text).is_file():
            self.problems.append(f"`{self.prefix}_{name}` names a file that is not there")
        return Path(text)

    def folders(self, name: str) -> tuple[Path, ...]:
        """Folders that are there, separated by the system's path separator."""
        found = []
        for text in self.environ.get(f"{self.prefix}_{name}", "").split(os.pathsep):
            if not text.strip():
                continue
            folder = Path(text.strip())
            if not folder.is_absolute() or not folder.is_dir():
                self.problems.append(
                    f"`{self.prefix}_{name}` has to hold absolute paths of folders that are there"
                )
            else:
                found.append(folder.resolve())
        return tuple(found)

    def misspelt(self, known: Iterable[str], variables: Iterable[str]) -> None:
        """Note variables with our prefix that nothing reads."""
        names = {f"{self.prefix}_{name}" for name in known} | set(variables)
        names |= {f"{name}_FILE" for name in variables} | {f"{self.prefix}_HTTP_TOKEN_FILE"}
        for name in sorted(set(self.environ) - names):
            close = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            self.notes.append(f"`{name}` is not a setting of this server{hint}")


def _shaping(given: Mapping[str, Any]) -> Shaping:
    return Shaping(
        tuple(given.get("keep", ())), tuple(given.get("drop", ())), bool(given.get("strip_nulls"))
    )


def _origins(given: Iterable[Any]) -> Iterable[Origin]:
    for item in given:
        try:
            yield origin_of(str(item))
        except ValueError:
            continue


def _names(variables: Iterable[str]) -> str:
    shown = [f"`{variable}`" for variable in variables]
    return f"{' and '.join(shown)} {'is' if len(shown) == 1 else 'are'}"
