"""The operator's settings: `api.json` and the environment, read once and checked at the start.

Every variable begins with the package's own prefix; `SETTINGS` lists them. Every problem is
collected and named by its variable, never by its value.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar
from urllib.parse import unquote

from .facts.origin import Origin, check_base_url, origin_of
from .facts.parts import VARIABLES as PART_VARIABLES
from .facts.parts import remedy
from .part import Part, parts_of
from .results.shorten import ListAnswer, Shaping, visible
from .secrets import Redactor, Secret

_T = TypeVar("_T")
_PLACEHOLDER = re.compile(
    r"<.*>|\$\{.*\}|\{\{.*\}\}|x{3,}|\*+|\.{3,}|-+|none|null|todo|tbd|fixme|placeholder"
    r"|(change|replace|fill|insert|put|enter|add)[-_ ]?(me|this|it|in|your|here).*|your[-_ ].*",
    re.I,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_RATE = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:/(s|m|h))?")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_PROXY = re.compile(r"http://([^@/?#]+@)?[^@/?#:]+(:\d{1,5})?/?")
_PASSWORD = re.compile(r"://[^/?#@]*?:([^/?#]*)@")
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_KIB, _MIB, _GIB = 1024, 1024**2, 1024**3


class SettingsError(Exception):
    """The server cannot start. `problems` holds one sentence each, with variables and no values."""

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
    that calls an API reads, and `main` for what the README lists first.
    """

    name: str
    default: Any
    kind: Kind
    group: Group
    low: float
    high: float


def variable(
    default: Any, kind: Kind, group: Group, low: float = 0, high: float = 0, *, name: str = ""
) -> Any:
    """Return a field of a dataclass that is a variable (`Setting`); it has the field's name, unless
    it has another.
    """
    facts = {"kind": kind, "group": group, "low": low, "high": high, "name": name}
    return field(default=default, metadata=facts)


TWOFOLD = frozenset(("api_key", "basic", "bearer", "client_credentials"))
"""The kinds of credentials of which there can be another one for what writes."""


def write_variable(prefix: str, variable: str) -> str:
    """The variable of a credential that is sent with what writes: `..._WRITE_API_KEY`."""
    return f"{prefix}_WRITE_{variable.removeprefix(f'{prefix}_')}"


@dataclass(frozen=True, slots=True)
class Login:
    """The endpoints at which a person logs in for an OAuth credential (the command `login`).

    Absent endpoints are empty; `metadata_url` is a document that names them. `variables`
    are those of the client's id and secret, `client` their values.
    """

    authorization_url: str = ""
    device_url: str = ""
    token_url: str = ""
    metadata_url: str = ""
    scopes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    client: tuple[Secret | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Credential:
    """One security scheme with its secrets from the environment.

    `kind` is `api_key`, `basic`, `bearer`, `client_credentials`, `mutual_tls` or `unsupported`;
    `values` has one item for each of `variables`, None for a variable that is not set.
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
    about: str = ""
    """Its placement and its form, in words."""
    for_writing: Credential | None = None
    """Credential for requests that write, if the operator set one."""
    login: Login | None = None
    """The login that obtains a token for it; None if there is none, and over HTTP."""
    api: str = ""
    """The API of several that it is for; it is sent to no other."""

    @property
    def when_writing(self) -> Credential:
        """The credential for requests that write."""
        return self.for_writing or self

    @property
    def ready_token(self) -> bool:
        """Whether the operator gave an access token, so that none has to be fetched."""
        return any(self.values[2:3])

    @property
    def present(self) -> bool:
        """Whether every secret that the scheme needs is set."""
        if self.kind == "unsupported" or not self.values:
            return False
        if self.kind == "client_credentials":
            return all(self.values[:2]) or self.ready_token
        if self.kind == "basic":  # the password may be empty, but it must be set
            return bool(self.values[0]) and self.values[1] is not None
        if self.kind == "mutual_tls":  # the certificate's file may hold the key
            return bool(self.values[0])
        return all(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that is decided before the first call. Times are seconds, sizes are bytes unless
    their name says characters. A field with metadata is a variable of the environment (`SETTINGS`).
    """

    name: str
    env_prefix: str = ""
    api: str = ""
    """The API of several that these are for; empty for the first."""
    apis: Mapping[str, Settings] = field(default_factory=dict)
    """The settings of further APIs."""
    variables: tuple[str, ...] = ()
    """The variables that are set and that the server reads, in full."""
    base_url_given: bool = False
    """Whether the operator named the base URL, which then is the one of every operation."""
    base_url_configured: bool = False
    """Whether whoever generated the server named the base URL, and not the document alone."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Constant headers of every request (decided at generation)."""
    security: tuple[tuple[str, ...], ...] = ()
    credentials: Mapping[str, Credential] = field(default_factory=dict)
    answers: Mapping[str, Shaping] = field(default_factory=dict)
    lists: Mapping[str, ListAnswer] = field(default_factory=dict)
    """Tool -> the list in its answers."""
    answer_headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> the header fields that are part of what its answers say."""
    redact: tuple[str, ...] = ()
    """Fields to take out of every answer."""
    wrapped: frozenset[str] = frozenset()
    open_origins: frozenset[Origin] = frozenset()
    """Other origins that operations may go to, without credentials (decided at generation)."""
    backoff: float = 0.5
    max_retry_wait: float = 30.0
    base_url: str = variable("", "text", "api")
    toolsets: tuple[str, ...] = variable((), "names", "main")
    """Empty for all of them, unless there are `tools`."""
    tools: tuple[str, ...] = variable((), "names", "main")
    read_only: bool = variable(False, "flag", "main")
    max_calls: int = variable(256, "count", "calls", 1, 100_000)
    call_rate: float = variable(500.0, "rate", "calls")
    max_calls_per_caller: int = variable(0, "count", "calls", 0, 100_000)
    call_rate_per_caller: float = variable(0.0, "rate", "calls")
    total_timeout: float = variable(60.0, "seconds", "calls", 0.1, 86_400)
    timeout: float = variable(30.0, "seconds", "api", 0.1, 3600)
    connect_timeout: float = variable(5.0, "seconds", "api", 0.1, 600)
    retries: int = variable(2, "count", "api", 0, 10)
    max_concurrency: int = variable(64, "count", "api", 1, 1_000)
    max_waiting: int = variable(128, "count", "api", 0, 100_000)
    rate_limit: float = variable(0.0, "rate", "api")
    """0 is no limit."""
    breaker_failures: int = variable(10, "count", "api", 0, 10_000)
    breaker_seconds: float = variable(10.0, "seconds", "api", 0.1, 3600)
    http_ready_api: bool = variable(False, "flag", "api")
    max_result_tokens: int = variable(12_000, "count", "api", 200, 10_000_000)
    max_request_bytes: int = variable(_MIB, "bytes", "api", 1, _GIB)
    max_response_bytes: int = variable(10 * _MIB, "bytes", "api", _KIB, _GIB)
    max_binary_bytes: int = variable(372 * _KIB, "bytes", "api", 0, 100 * _MIB)
    trusted_origins: frozenset[Origin] = variable(
        frozenset(), "origins", "api", name="ALLOW_ORIGINS"
    )
    allow_private: bool = variable(False, "flag", "api")
    proxy_url: Secret | None = variable(None, "secret", "api")
    token_url: str = variable("", "url", "api")
    file_roots: tuple[Path, ...] = variable((), "folders", "api")
    save_dir: Path | None = variable(None, "folder", "api")
    ca_file: Path | None = variable(None, "file", "api")
    client_cert: Path | None = variable(None, "file", "api")
    client_key: Path | None = variable(None, "file", "api")
    http_token: Secret | None = variable(None, "secret", "http")
    http_other_token: Secret | None = variable(None, "secret", "http")
    http_allowed_origins: tuple[str, ...] = variable((), "names", "http")
    http_body_timeout: float = variable(30.0, "seconds", "http", 0.1, 3600)
    http_idle_timeout: int = variable(75, "count", "http", 1, 3600)
    http_max_connections: int = variable(1024, "count", "http", 1, 100_000)
    http_list_bytes: int = variable(480 * _KIB, "bytes", "http", 16 * _KIB, 100 * _MIB)
    http_grace: float = variable(3.0, "seconds", "http", 0.0, 600)
    parts: tuple[Part, ...] = ()
    part_settings: Mapping[Any, Any] = field(default_factory=dict)
    """The variables of each part, by their dataclass."""
    redactor: Redactor = field(default_factory=Redactor)
    notes: tuple[str, ...] = ()
    """Risks and slips that do not keep the server from starting, one sentence each."""

    def __repr__(self) -> str:
        return f"Settings(name={self.name!r})"

    @property
    def base_url_trusted(self) -> bool:
        """Whether somebody vouches for the address of the base URL, also where it is private."""
        return self.base_url_given or self.base_url_configured

    def of(self, api: str) -> Settings:
        """Return the settings of one of the APIs; of the first with an empty name."""
        return self.apis[api] if api else self

    @property
    def own_credentials(self) -> Mapping[str, Credential]:
        """The credentials for this API."""
        return {name: each for name, each in self.credentials.items() if each.api == self.api}

    @property
    def origin(self) -> Origin:
        """The API's own origin."""
        return origin_of(self.base_url)

    def trusts(self, origin: Origin) -> bool:
        """Return whether credentials may go to an origin: the API's own, or one the operator
        named.
        """
        return origin == self.origin or origin in self.trusted_origins

    @property
    def login_command(self) -> str:
        """The command with which the operator logs in."""
        return f"{self.name}-mcp login"

    def part(self, kind: type[_T]) -> _T:
        """Return the variables of a part of this server."""
        values: _T = self.part_settings[kind]
        return values

    def readable(self, text: str) -> str:
        """The text without secrets and invisible characters."""
        return visible(self.redactor(text))

    def variable(self, name: str) -> str:
        """The full name of a setting's environment variable."""
        return f"{self.env_prefix}_{name}"


def settings_of(kind: Any) -> Iterator[Setting]:
    """Yield the settings that are fields of a dataclass, in their order."""
    for item in fields(kind):
        if item.metadata:
            name = item.metadata["name"] or item.name.upper()
            yield Setting(**{**item.metadata, "name": name, "default": item.default})


SETTINGS = tuple(settings_of(Settings))
"""The settings of every server, in the order of the README."""
[_TOKEN_URL] = [setting for setting in SETTINGS if setting.name == "TOKEN_URL"]

OF_EACH_API = (
    *("TIMEOUT", "CONNECT_TIMEOUT", "RETRIES", "MAX_CONCURRENCY", "MAX_WAITING", "RATE_LIMIT"),
    *("BREAKER_FAILURES", "BREAKER_SECONDS", "CLIENT_CERT", "CLIENT_KEY"),
    *("EXCHANGE_AUDIENCE", "EXCHANGE_SCOPES"),
)
"""Settings that a further API can have values of its own for, as in `BILLING_TIMEOUT`."""

VARIABLES = frozenset(setting.name for setting in SETTINGS) | frozenset(PART_VARIABLES)
"""The names of all settings, without their prefix: no credential may be read from one of them."""


def variables_of(api: str) -> set[str]:
    """Return the names of a further API's own settings, without the prefix."""
    return {f"{api.upper()}_{name}" for name in ("BASE_URL", "TOKEN_URL", *OF_EACH_API)}


def settings_with(parts: Iterable[Part]) -> tuple[Setting, ...]:
    """Return the settings of a server with these parts, in the order of the README."""
    kinds = [part.settings for part in parts if part.settings is not None]
    return (*SETTINGS, *(setting for kind in kinds for setting in settings_of(kind)))


def read(
    facts: Mapping[str, Any], environ: Mapping[str, str] | None = None, *, http: bool = False
) -> Settings:
    """The settings of this process; `facts` is the content of `api.json`.

    Over HTTP (`http`) the callers are not on this machine, and no local file can be named. Raises
    SettingsError with every problem there is.
    """
    return Reader(facts, os.environ if environ is None else environ, http=http).read()


class Reader:
    """One reading of the environment, which collects problems and notes on the way."""

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
        values = self.values_of(SETTINGS)
        allowed = values.pop("allow_origins")
        facts = {"": self.facts, **self.facts.get("apis", {})}
        token_urls = {"": values["token_url"]}
        for api in self.facts.get("apis", ()):
            token_urls[api] = self.checked(replace(_TOKEN_URL, name=f"{api.upper()}_TOKEN_URL"))
        credentials = {
            name: self.credential(name, auth, token_urls[auth.get("api", "")])
            for name, auth in sorted(self.facts.get("auth", {}).items())
        }
        if values["proxy_url"] and not _PROXY.fullmatch(values["proxy_url"].reveal()):
            self.refuse("PROXY_URL", "has to be a URL such as `http://proxy.example.com:3128`")
        own = {part.settings: self.part(part) for part in self.parts if part.settings is not None}
        addresses = {
            api: self.address(api, facts[api], allowed, token_urls[api], credentials)
            for api in facts
        }
        known = self.known(credentials.values())
        self.note_unknown(known)
        settings = Settings(
            name=str(self.facts["name"]),
            env_prefix=self.prefix,
            variables=tuple(sorted(known.intersection(self.environ))),
            credentials=MappingProxyType(credentials),
            parts=self.parts,
            part_settings=MappingProxyType(own),
            redactor=_redactor(credentials.values(), _secrets_in(values, own.values())),
            **self.generated(),
            **{**values, **addresses.pop("")},
            notes=tuple(self.notes),
        )
        apis = {api: self.api(settings, address) for api, address in addresses.items()}
        if self.problems:
            raise SettingsError(self.problems)
        return replace(settings, apis=MappingProxyType(apis))

    def address(
        self,
        api: str,
        facts: Mapping[str, Any],
        allowed: frozenset[Origin],
        token_url: str,
        credentials: Mapping[str, Credential],
    ) -> dict[str, Any]:
        """Return the settings that each of several APIs has of its own: its address, its headers,
        and where credentials may go. `allowed` are the origins that the operator named.
        """
        name = f"{api.upper()}_BASE_URL".lstrip("_")
        base_url = self.base_url(name, facts)
        trusted = allowed | {origin_of(url) for url in (token_url,) if url}
        self.note_risks(credentials, base_url, trusted, api)
        return {
            "api": api,
            "base_url": base_url,
            "base_url_given": bool(self.value(name)),
            "base_url_configured": facts.get("base_url_configured") is True,
            "headers": MappingProxyType(dict(facts.get("headers", {}))),
            "security": tuple(tuple(names) for names in facts.get("security", ())),
            "trusted_origins": trusted,
            "open_origins": frozenset(_origins(facts.get("allowed_origins", ()))),
        }

    def api(self, settings: Settings, address: Mapping[str, Any]) -> Settings:
        """The settings of a further API: the first one's with its own address. Nothing that is
        decided for the calls of the first one is sent to it.
        """
        name = address["api"]
        own: dict[Any, Any] = {}
        for kind in [part.settings for part in self.parts if part.caller_tokens]:
            first = settings.part_settings[kind]
            values = self.own_values(first, name)
            if any(values.values()):
                own[kind] = replace(first, **values)
        kept = [part for part in self.parts if part.settings in own or not part.caller_tokens]
        changes = {**address, "open_origins": settings.open_origins | address["open_origins"]}
        return replace(
            settings,
            parts=tuple(kept),
            part_settings=MappingProxyType({**settings.part_settings, **own}),
            **changes,
            **self.own_values(settings, name),
        )

    def own_values(self, first: Any, name: str) -> dict[str, Any]:
        """The settings that a further API has of its own; the first's limits where it has none."""
        own: dict[str, Any] = {}
        for each in settings_of(first):
            if each.name not in OF_EACH_API:
                continue
            field, setting = each.name.lower(), replace(each, name=f"{name.upper()}_{each.name}")
            if _READERS[each.kind] in (_number, _rate):
                setting = replace(setting, default=getattr(first, field))
            own[field] = self.checked(setting)
        return own

    def generated(self) -> dict[str, Any]:
        """The fields of Settings that were decided at generation."""
        return {
            "answers": _each_as(Shaping, self.facts.get("answers", {})),
            "lists": _each_as(ListAnswer, self.facts.get("lists", {})),
            "answer_headers": {
                tool: tuple(names) for tool, names in self.facts.get("answer_headers", {}).items()
            },
            "redact": tuple(self.facts.get("redact", ())),
            "wrapped": frozenset(self.facts.get("wrapped", ())),
        }

    def values_of(self, settings: Iterable[Setting]) -> dict[str, Any]:
        """The values of settings, by their name in lower case."""
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
        """The value of a setting; its default where it is not set, or not good."""
        text = self.value(setting.name)
        if text:
            try:
                return _READERS[setting.kind](text, setting)
            except ValueError as error:
                self.refuse(setting.name, str(error))
        return setting.default

    def part(self, part: Part) -> Any:
        """Return the variables of a part, checked."""
        assert part.settings is not None
        own = part.settings(**self.values_of(settings_of(part.settings)))
        if part.check is not None:
            part.check(own, self)
        return own

    def value(self, name: str) -> str:
        """The text of a variable without spaces around it; empty when it is not set."""
        return self.environ.get(f"{self.prefix}_{name}", "").strip()

    def refuse(self, name: str, reason: str) -> None:
        """Note a problem of a variable."""
        self.problems.append(f"`{self.prefix}_{name}` {reason}")

    def base_url(self, name: str, facts: Mapping[str, Any]) -> str:
        """The base URL of an API, from the variable of that name or the API's facts."""
        from_operator = self.value(name)
        base_url = from_operator or str(facts.get("base_url") or "")
        if not base_url:
            self.refuse_missing_base_url(name, facts)
            return ""
        try:
            return check_base_url(base_url)
        except ValueError as error:
            place = "the base URL in `api.json`"
            if from_operator:
                place = f"`{self.prefix}_{name}`"
            self.problems.append(f"{place} cannot be used: {error}")
            return ""

    def refuse_missing_base_url(self, name: str, facts: Mapping[str, Any]) -> None:
        """Note the problem, except for an API that is not called."""
        if False in (facts.get("calls_api"), facts.get("calls_first")):
            return
        reason = "is not set: it has to be the URL of the API, as in `https://api.example.com/v1`"
        note = facts.get("base_url_note")
        if note:
            reason += f" ({note})"
        self.refuse(name, reason)

    def credential(self, name: str, auth: Mapping[str, Any], token_url: str) -> Credential:
        """One credential with its secrets from the environment; `token_url` is the operator's token
        endpoint of its API.
        """
        variables = tuple(str(variable) for variable in auth.get("variables", ()))
        credential = self.with_values(name, auth, token_url, variables)
        if credential.kind in TWOFOLD:
            twins = tuple(write_variable(self.prefix, variable) for variable in variables)
            writing = self.with_values(name, auth, token_url, twins)
            if writing.present:
                credential = replace(credential, for_writing=writing)
        if "login" in auth and not self.http:
            return replace(credential, login=self.login(auth["login"], token_url))
        if variables and not credential.present:
            pairs = zip(variables, credential.values, strict=True)
            missing = [variable for variable, value in pairs if not value]
            self.notes.append(
                f"{_names(missing)} not set: tools that need the credential `{name}` will say so"
                " when they are called"
            )
        return credential

    def with_values(
        self, name: str, auth: Mapping[str, Any], token_url: str, variables: tuple[str, ...]
    ) -> Credential:
        """A credential whose secrets are the values of these variables."""
        kind = str(auth.get("kind", "unsupported"))
        values = []
        for index, variable in enumerate(variables):
            may_be_empty = (kind, index) == ("basic", 1)
            short_name = variable.removeprefix(f"{self.prefix}_")
            values.append(self.secret(short_name, may_be_empty=may_be_empty))
        return Credential(
            name=name,
            kind=kind,
            place=str(auth.get("place", "header")),
            wire_name=str(auth.get("wire_name", "Authorization")),
            scheme=str(auth.get("scheme") or "Bearer"),
            variables=variables,
            values=tuple(values),
            token_url=token_url or auth.get("token_url"),
            api=str(auth.get("api", "")),
            scopes=tuple(auth.get("scopes", ())),
            about=str(auth.get("about", "")),
        )

    def login(self, facts: Mapping[str, Any], token_url: str) -> Login:
        """Return the login of a person, with the client's id and secret from the environment."""
        variables = tuple(facts["variables"])
        names = [variable.removeprefix(f"{self.prefix}_") for variable in variables]
        return Login(
            authorization_url=facts.get("authorization_url", ""),
            device_url=facts.get("device_url", ""),
            token_url=token_url or facts.get("token_url", ""),
            metadata_url=facts.get("metadata_url", ""),
            scopes=tuple(facts.get("scopes", ())),
            variables=variables,
            client=tuple(self.secret(name) for name in names),
        )

    def note_risks(
        self,
        credentials: Mapping[str, Credential],
        base_url: str,
        trusted: frozenset[Origin],
        api: str,
    ) -> None:
        """Note each setting that is valid but risky, or that will keep calls from working."""
        if not base_url:
            return
        own = origin_of(base_url)
        present = [each for each in credentials.values() if each.present and each.api == api]
        for credential in present:
            origin = _token_origin(credential)
            if origin not in {None, own, *trusted}:
                self.notes.append(
                    f"access tokens for `{credential.name}` come from {origin}: "
                    f"set `{self.prefix}_ALLOW_ORIGINS={origin}` to allow that"
                )
        if present and own.is_open:
            self.notes.append("the API is reached without TLS: credentials can be read on the way")

    def secret(self, name: str, *, may_be_empty: bool = False) -> Secret | None:
        """A secret from its variable, or from the file that the variable with `_FILE` names."""
        value = self.environ.get(f"{self.prefix}_{name}")
        if not value and f"{self.prefix}_{name}_FILE" in self.environ:
            name = f"{name}_FILE"
            value = self.secret_file(name)
        if value is None:
            return None
        if value == "":
            return Secret(value) if may_be_empty else None
        fault = _fault_of_secret(value)
        if fault:
            self.refuse(name, fault)
            return None
        return Secret(value)

    def secret_file(self, name: str) -> str | None:
        """The content of a secret's file, which nobody but its owner may read."""
        path = Path(self.environ[f"{self.prefix}_{name}"])
        try:
            if not _is_private(path):
                self.refuse(name, "has to name a file that only its owner can read (mode 0600)")
                return None
            return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, UnicodeDecodeError):
            self.refuse(name, "names a file that cannot be read")
            return None

    def known(self, credentials: Iterable[Credential]) -> set[str]:
        """The variables that the server reads. Those of another server may begin like its own."""
        settings = settings_with(self.parts)
        secrets = {f"{self.prefix}_{each.name}" for each in settings if each.kind == "secret"}
        for credential in credentials:
            secrets.update(credential.variables)
            secrets.update(
                self.facts["auth"][credential.name].get("login", {}).get("variables", ())
            )
            if credential.kind in TWOFOLD:
                twins = (write_variable(self.prefix, name) for name in credential.variables)
                secrets.update(twins)
        names = {f"{self.prefix}_{each.name}" for each in settings}
        for name in self.facts.get("apis", ()):
            names |= {f"{self.prefix}_{variable}" for variable in variables_of(name)}
        return names | secrets | {f"{name}_FILE" for name in secrets}

    def note_unknown(self, known: set[str]) -> None:
        """Note variables with the server's prefix that it does not read. One of a part that the
        server was made without is a problem.
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
            for similar in difflib.get_close_matches(name, known, n=1, cutoff=0.8):
                note += f"; did you mean `{similar}`?"
            self.notes.append(note)


def _number(text: str, setting: Setting) -> float:
    """A number within its bounds; a whole one for anything but seconds."""
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
    """A number a second: `5`, `5/s`, `100/m` or `1000/h`."""
    match = _RATE.fullmatch(text)
    if match is None:
        raise ValueError("has to be a rate such as `5`, `100/m` or `1000/h`")
    return float(match[1]) / _SECONDS[match[2] or "s"]


def _flag(text: str, setting: Setting) -> bool:
    """A yes or no."""
    if text.lower() not in _TRUE + _FALSE:
        raise ValueError("has to be `true` or `false`")
    return text.lower() in _TRUE


def _items(text: str, setting: Setting) -> tuple[str, ...]:
    """Texts separated by commas."""
    items = (item.strip() for item in text.split(","))
    return tuple(item for item in items if item)


def _url(text: str, setting: Setting) -> str:
    """An http or https URL."""
    try:
        origin_of(text)
    except ValueError as error:
        raise ValueError(f"cannot be used: {error}") from error
    return text


def _trusted(text: str, setting: Setting) -> frozenset[Origin]:
    """Origins separated by commas."""
    try:
        return frozenset(origin_of(item) for item in _items(text, setting))
    except ValueError as error:
        example = "`https://uploads.example.com`"
        raise ValueError(f"has to hold origins such as {example}, with commas") from error


def _file(text: str, setting: Setting) -> Path:
    """A file that exists."""
    if not Path(text).is_file():
        raise ValueError("names a file that is not there")
    return Path(text)


def _folders(text: str, setting: Setting) -> tuple[Path, ...]:
    """Folders that exist, separated by the system's path separator."""
    folders = [Path(item.strip()) for item in text.split(os.pathsep) if item.strip()]
    if not all(folder.is_absolute() and folder.is_dir() for folder in folders):
        raise ValueError("has to hold absolute paths of folders that are there")
    return tuple(folder.resolve() for folder in folders)


_READERS: Mapping[Kind, Callable[[str, Setting], Any]] = {
    "seconds": _number,
    "count": _number,
    "bytes": _number,
    "rate": _rate,
    "flag": _flag,
    "names": _items,
    "scopes": lambda text, _: frozenset(text.split()),
    "text": lambda text, _: text,
    "url": _url,
    "origins": _trusted,
    "file": _file,
    "folders": _folders,
    "folder": lambda text, setting: _folders(text, setting)[0],
}
"""Kind -> the value of a text. Raises ValueError with what it has to be."""
LOCAL = ("folders", "folder")
"""Kinds of settings that name what callers over HTTP do not have: a place on this machine."""


def _secrets_in(values: Mapping[str, Any], parts: Iterable[Any]) -> Iterator[Secret]:
    """Yield the secrets among variables and those of parts, and the passwords of URLs."""
    own = (getattr(part, each.name) for part in parts for each in fields(part))
    for value in (*values.values(), *own):
        if isinstance(value, Secret):
            yield value
            yield from (Secret(unquote(found)) for found in _PASSWORD.findall(value.reveal()))


def _redactor(credentials: Iterable[Credential], others: Iterable[Secret]) -> Redactor:
    secrets: list[Secret | None] = list(others)
    for credential in credentials:
        secrets += credential.values
        if credential.for_writing is not None:
            secrets += credential.for_writing.values
        if credential.login is not None:
            secrets += credential.login.client[1:]
    return Redactor(secret.reveal() for secret in secrets if secret)


def _token_origin(credential: Credential) -> Origin | None:
    """Return the origin of a credential's token endpoint; None if no token is fetched."""
    if credential.kind != "client_credentials" or credential.ready_token:
        return None
    try:
        return origin_of(credential.token_url or "")
    except ValueError:
        return None


def _fault_of_secret(value: str) -> str:
    """Explain why a text cannot be a secret, or return an empty text."""
    if _CONTROL.search(value):
        return "holds a line break or another control character"
    if not value.isascii():
        return "holds characters other than ASCII"
    if value != value.strip():
        return "begins or ends with a space"
    if _PLACEHOLDER.fullmatch(value):
        return "holds a placeholder: put the real value there, or unset it"
    return ""


def _is_private(path: Path) -> bool:
    """Return whether a path is a file that only its owner can read, or one of `/run/` (where
    containers mount secrets). Raises OSError.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        return False
    if os.name != "posix" or str(path).startswith("/run/"):
        return True
    return not mode & 0o077


def _each_as(kind: type[_T], facts: Mapping[str, Mapping[str, Any]]) -> Mapping[str, _T]:
    """The facts about each tool as an instance of a frozen dataclass, with tuples for lists."""
    instances = {}
    for name, values in facts.items():
        lists = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
        instances[name] = kind(**{**values, **lists})
    return MappingProxyType(instances)


def _origins(urls: Iterable[Any]) -> Iterable[Origin]:
    for url in urls:
        try:
            yield origin_of(str(url))
        except ValueError:
            continue


def _names(variables: Iterable[str]) -> str:
    quoted = [f"`{variable}`" for variable in variables]
    verb = "is" if len(quoted) == 1 else "are"
    return f"{' and '.join(quoted)} {verb}"
