"""What the operator decides: `api.json` and the environment, read once and checked at the start.

Every variable begins with the package's own prefix; `SETTINGS` lists them. Every problem is
collected and named by its variable, never by its value.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from .origin import Origin, check_base_url, origin_of
from .results.pages import ListAnswer
from .secrets import Redactor, Secret

_PLACEHOLDER = re.compile(
    r"<.*>|\$\{.*\}|\{\{.*\}\}|x{3,}|\*+|\.{3,}|-+|none|null|todo|tbd|fixme|placeholder"
    r"|(change|replace|fill|insert|put|enter|add)[-_ ]?(me|this|it|in|your|here).*|your[-_ ].*",
    re.I,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_RATE = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:/(s|m|h))?")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_KIB, _MIB, _GIB = 1024, 1024**2, 1024**3


class SettingsError(Exception):
    """The server cannot start. `problems` holds one sentence each, with variables and no values."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


Kind = Literal[
    "seconds", "count", "bytes", "rate", "flag", "names", "scopes", "text", "secret",
    "url", "origins", "file", "folders",
]  # fmt: skip
Group = Literal["main", "calls", "api", "http"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable: its name without the prefix, and what the README says of it.

    Numbers lie between `low` and `high`, both included. `group` is `api` for what only a server
    that calls an API reads, and `main` for what the README lists first.
    """

    name: str
    kind: Kind
    default: Any
    low: float
    high: float
    text: str
    group: Group
    unset: str = "none"
    """What holds without the variable, for a setting whose default is not a number."""

    @property
    def default_text(self) -> str:
        """What holds without the variable: `60`, `1 MiB`, `none`."""
        if self.kind == "bytes" and self.default < _MIB:
            return f"{self.default // _KIB} KiB"
        if self.kind == "bytes":
            return f"{self.default // _MIB} MiB"
        if self.kind == "rate" and not self.default:
            return self.unset
        if self.kind in ("seconds", "count", "rate"):
            return f"{self.default:,g}"
        return self.unset


# fmt: off
SETTINGS = (
    Setting("BASE_URL", "url", "", 0, 0, "Base URL of the API", "api"),
    Setting("TOOLSETS", "names", (), 0, 0,
            "Only these toolsets, separated by commas (`--toolsets`)", "main"),
    Setting("TOOLS", "names", (), 0, 0,
            "Only these tools, separated by commas, besides the toolsets (`--tools`)", "main"),
    Setting("READ_ONLY", "flag", False, 0, 0,
            "`1`: only tools that change nothing (`--read-only`)", "main"),
    Setting("MAX_CALLS", "count", 256, 1, 100_000,
            "Calls that run at the same time; more are told to wait", "calls"),
    Setting("CALL_RATE", "rate", 500.0, 0, 0,
            "Calls per second (`500`, `600/m`), ten seconds of them at once;"
            " more are told to wait; `0`: no limit", "calls"),
    Setting("TOTAL_TIMEOUT", "seconds", 60.0, 0.1, 86_400,
            "Seconds for one call, repetitions included", "calls"),
    Setting("REDIS_URL", "secret", None, 0, 0,
            "Redis in which all replicas count calls together, as in `rediss://:password@host`;"
            " needs the extra `redis` (secret)", "calls", "each counts its own"),
    Setting("AUDIT", "text", "", 0, 0,
            "File (or `syslog`) to which each call that can change something is added", "calls"),
    Setting("LOG_ARGUMENTS", "flag", False, 0, 0,
            "`1`: the log line of each call has its arguments, without secrets", "calls", "0"),
    Setting("TELEMETRY", "flag", False, 0, 0,
            "`1`: traces and metrics over OTLP, as the `OTEL_*` variables say;"
            " needs the extra `telemetry`", "calls", "0"),
    Setting("METRICS_PORT", "count", 0, 0, 65_535,
            "Port on which Prometheus finds `/metrics` (with `--workers`, the first of them);"
            " needs the extra `telemetry`", "calls"),
    Setting("TIMEOUT", "seconds", 30.0, 0.1, 3600,
            "Seconds to wait for the API to send something", "api"),
    Setting("CONNECT_TIMEOUT", "seconds", 5.0, 0.1, 600,
            "Seconds to wait for a connection", "api"),
    Setting("RETRIES", "count", 2, 0, 10,
            "How often a call that changes nothing is repeated", "api"),
    Setting("MAX_CONCURRENCY", "count", 64, 1, 1_000,
            "Calls to the API at the same time", "api"),
    Setting("MAX_WAITING", "count", 128, 0, 100_000,
            "Calls that may wait for their turn", "api"),
    Setting("RATE_LIMIT", "rate", 0.0, 0, 0,
            "Calls to the API per second", "api", "no limit"),
    Setting("BREAKER_FAILURES", "count", 10, 0, 10_000,
            "Failures in a row after which the API is left alone for a while; `0`: never", "api"),
    Setting("BREAKER_SECONDS", "seconds", 10.0, 0.1, 3600,
            "Seconds that it is left alone", "api"),
    Setting("MAX_RESULT_CHARS", "count", 50_000, 200, 10_000_000,
            "Characters of a result before it is cut, with a word on how to get the rest", "api"),
    Setting("MAX_REQUEST_BYTES", "bytes", _MIB, 1, _GIB, "Bytes of a request", "api"),
    Setting("MAX_RESPONSE_BYTES", "bytes", 10 * _MIB, _KIB, _GIB, "Bytes of an answer", "api"),
    Setting("MAX_BINARY_BYTES", "bytes", 372 * _KIB, 0, 100 * _MIB,
            "Bytes of a file that is returned whole", "api"),
    Setting("ALLOW_ORIGINS", "origins", (), 0, 0,
            "Further origins that may be called, with credentials", "api"),
    Setting("ALLOW_PRIVATE", "flag", False, 0, 0,
            "`1`: the API may be on a private address", "api", "0"),
    Setting("TOKEN_URL", "url", "", 0, 0,
            "Where OAuth tokens are fetched, in place of the usual address", "api",
            "as generated"),
    Setting("EXCHANGE_URL", "url", "", 0, 0,
            "Token endpoint where each caller's token is exchanged for one of the API (RFC 8693)",
            "api"),
    Setting("EXCHANGE_CLIENT_ID", "text", "", 0, 0,
            "This server's client id at that endpoint", "api"),
    Setting("EXCHANGE_CLIENT_SECRET", "secret", None, 0, 0,
            "The secret that belongs to it (secret)", "api"),
    Setting("EXCHANGE_AUDIENCE", "text", "", 0, 0, "Whom those tokens are for", "api"),
    Setting("EXCHANGE_SCOPES", "scopes", frozenset(), 0, 0, "The scopes they have", "api"),
    Setting("FILE_ROOTS", "folders", (), 0, 0,
            "Folders whose files may be uploaded by path (stdio only)", "api"),
    Setting("SAVE_DIR", "folders", None, 0, 0,
            "Folder for files that are too large to return (stdio only)", "api"),
    Setting("CA_FILE", "file", None, 0, 0, "Certificates to trust", "api", "the system's"),
    Setting("CLIENT_CERT", "file", None, 0, 0,
            "This server's own certificate towards the API", "api"),
    Setting("CLIENT_KEY", "file", None, 0, 0, "The key that belongs to it", "api"),
    Setting("HTTP_TOKEN", "secret", None, 0, 0,
            "With `--http`: the token callers send, 32 characters or more (secret)", "http",
            "needed off this machine"),
    Setting("HTTP_ISSUER", "text", "", 0, 0,
            "With `--http`: who issues OAuth tokens, in place of one fixed token", "http"),
    Setting("HTTP_AUDIENCE", "text", "", 0, 0, "Whom those tokens have to be for", "http"),
    Setting("HTTP_JWKS_URL", "text", "", 0, 0, "Where the issuer's keys are", "http"),
    Setting("HTTP_SCOPES", "scopes", frozenset(), 0, 0, "Scopes a caller needs", "http"),
    Setting("HTTP_WRITE_SCOPES", "scopes", frozenset(), 0, 0,
            "Scopes for tools that change something", "http"),
    Setting("HTTP_TOOL_SCOPES", "names", (), 0, 0, "Scopes for single tools", "http"),
    Setting("HTTP_ALLOWED_ORIGINS", "names", (), 0, 0, "Web pages that may call", "http"),
    Setting("HTTP_HEAD_TIMEOUT", "seconds", 10.0, 0.1, 600,
            "Seconds for a request's head to arrive, and for an answer to be taken", "http"),
    Setting("HTTP_BODY_TIMEOUT", "seconds", 30.0, 0.1, 3600,
            "Seconds for a request's body to arrive", "http"),
    Setting("HTTP_IDLE_TIMEOUT", "count", 60, 1, 3600,
            "Seconds a connection stays open between requests", "http"),
    Setting("HTTP_MAX_CONNECTIONS", "count", 1024, 1, 100_000,
            "Connections at the same time; the one that has waited longest makes room", "http"),
    Setting("HTTP_MAX_PER_ADDRESS", "count", 256, 1, 100_000,
            "Connections from one address", "http"),
    Setting("HTTP_LIST_BYTES", "bytes", 480 * _KIB, 16 * _KIB, 100 * _MIB,
            "Bytes of one page of the tool list; more for a client that reads the first page only",
            "http"),
    Setting("HTTP_GRACE", "seconds", 3.0, 0.0, 600,
            "Seconds that new connections are still taken after SIGTERM, while `/ready` says no",
            "http"),
)
# fmt: on
"""Every setting, in the order of the README: reader, README and reserved names come from here."""

VARIABLES = frozenset(setting.name for setting in SETTINGS)
"""The names of the settings, without their prefix: no credential may be read from one of them."""

TWOFOLD = frozenset(("api_key", "basic", "bearer", "client_credentials"))
"""The kinds of credentials of which there can be another one for what writes."""


def write_variable(prefix: str, variable: str) -> str:
    """The variable of a credential that is sent with what writes: `..._WRITE_API_KEY`."""
    return f"{prefix}_WRITE_{variable.removeprefix(f'{prefix}_')}"


_DEFAULTS: dict[str, Any] = {setting.name: setting.default for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Login:
    """Where a person logs in for an OAuth credential (the command `login`).

    Absent endpoints are empty; `metadata_url` is a document that names them. `variables` are those
    of the client's id and secret, `client` their values.
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
    """How it is sent and what it looks like, in words."""
    for_writing: Credential | None = None
    """What is sent in its place with requests that write, where the operator set that too."""
    login: Login | None = None
    """How a person gets a token for it; None where nobody can, and over HTTP."""

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


@dataclass(frozen=True, slots=True)
class Shaping:
    """What the model sees of a tool's answer: dotted paths to keep or drop, whether members that
    are null are dropped, fields to take out at any depth, whether a list is written as a table and
    XML as JSON.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    strip_nulls: bool = False
    redact: tuple[str, ...] = ()
    table: bool = False
    xml: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that is decided before the first call. Times are seconds, sizes are bytes unless
    their name says characters. The settings of `SETTINGS` have its names and defaults.
    """

    name: str
    env_prefix: str = ""
    base_url: str = ""
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
    redact: tuple[str, ...] = ()
    """Fields to take out of every answer."""
    wrapped: frozenset[str] = frozenset()
    open_origins: frozenset[Origin] = frozenset()
    """Other origins that operations may go to, without credentials (decided at generation)."""
    trusted_origins: frozenset[Origin] = frozenset()
    """Other origins that operations may go to with credentials (`_ALLOW_ORIGINS`)."""
    allow_private: bool = _DEFAULTS["ALLOW_PRIVATE"]
    timeout: float = _DEFAULTS["TIMEOUT"]
    connect_timeout: float = _DEFAULTS["CONNECT_TIMEOUT"]
    total_timeout: float = _DEFAULTS["TOTAL_TIMEOUT"]
    retries: int = _DEFAULTS["RETRIES"]
    backoff: float = 0.5
    max_retry_wait: float = 30.0
    max_concurrency: int = _DEFAULTS["MAX_CONCURRENCY"]
    max_waiting: int = _DEFAULTS["MAX_WAITING"]
    rate_limit: float = _DEFAULTS["RATE_LIMIT"]
    """Requests a second; 0 is no limit."""
    max_calls: int = _DEFAULTS["MAX_CALLS"]
    """Calls that run at the same time, of whatever tools."""
    call_rate: float = _DEFAULTS["CALL_RATE"]
    """Calls a second; 0 is no limit."""
    audit: str = _DEFAULTS["AUDIT"]
    """The path of a file, `syslog`, or nothing."""
    log_arguments: bool = _DEFAULTS["LOG_ARGUMENTS"]
    telemetry: bool = _DEFAULTS["TELEMETRY"]
    metrics_port: int = _DEFAULTS["METRICS_PORT"]
    """0 for no port."""
    breaker_failures: int = _DEFAULTS["BREAKER_FAILURES"]
    """Failures in a row after which the API is left alone; 0 is never."""
    breaker_seconds: float = _DEFAULTS["BREAKER_SECONDS"]
    exchange_url: str = _DEFAULTS["EXCHANGE_URL"]
    """Where callers' tokens are exchanged; empty when the API is called as the operator."""
    exchange_client_id: str = _DEFAULTS["EXCHANGE_CLIENT_ID"]
    exchange_client_secret: Secret | None = _DEFAULTS["EXCHANGE_CLIENT_SECRET"]
    exchange_audience: str = _DEFAULTS["EXCHANGE_AUDIENCE"]
    exchange_scopes: frozenset[str] = _DEFAULTS["EXCHANGE_SCOPES"]
    redis_url: Secret | None = _DEFAULTS["REDIS_URL"]
    """Where replicas share their limits."""
    max_result_chars: int = _DEFAULTS["MAX_RESULT_CHARS"]
    max_request_bytes: int = _DEFAULTS["MAX_REQUEST_BYTES"]
    max_response_bytes: int = _DEFAULTS["MAX_RESPONSE_BYTES"]
    max_binary_bytes: int = _DEFAULTS["MAX_BINARY_BYTES"]
    file_roots: tuple[Path, ...] = _DEFAULTS["FILE_ROOTS"]
    save_dir: Path | None = _DEFAULTS["SAVE_DIR"]
    ca_file: Path | None = _DEFAULTS["CA_FILE"]
    client_cert: Path | None = _DEFAULTS["CLIENT_CERT"]
    client_key: Path | None = _DEFAULTS["CLIENT_KEY"]
    toolsets: tuple[str, ...] = _DEFAULTS["TOOLSETS"]
    """The toolsets to offer; empty for all of them, unless there are `tools`."""
    tools: tuple[str, ...] = _DEFAULTS["TOOLS"]
    """Tools to offer besides those of the toolsets."""
    read_only: bool = _DEFAULTS["READ_ONLY"]
    http_token: Secret | None = _DEFAULTS["HTTP_TOKEN"]
    http_issuer: str = _DEFAULTS["HTTP_ISSUER"]
    http_audience: str = _DEFAULTS["HTTP_AUDIENCE"]
    http_jwks_url: str = _DEFAULTS["HTTP_JWKS_URL"]
    http_scopes: frozenset[str] = _DEFAULTS["HTTP_SCOPES"]
    http_write_scopes: frozenset[str] = _DEFAULTS["HTTP_WRITE_SCOPES"]
    http_tool_scopes: tuple[str, ...] = _DEFAULTS["HTTP_TOOL_SCOPES"]
    """Items such as `delete_book=books:admin`."""
    http_allowed_origins: tuple[str, ...] = _DEFAULTS["HTTP_ALLOWED_ORIGINS"]
    http_head_timeout: float = _DEFAULTS["HTTP_HEAD_TIMEOUT"]
    http_body_timeout: float = _DEFAULTS["HTTP_BODY_TIMEOUT"]
    http_idle_timeout: int = _DEFAULTS["HTTP_IDLE_TIMEOUT"]
    http_max_connections: int = _DEFAULTS["HTTP_MAX_CONNECTIONS"]
    http_max_per_address: int = _DEFAULTS["HTTP_MAX_PER_ADDRESS"]
    http_list_bytes: int = _DEFAULTS["HTTP_LIST_BYTES"]
    http_grace: float = _DEFAULTS["HTTP_GRACE"]
    redactor: Redactor = field(default_factory=Redactor)
    notes: tuple[str, ...] = ()
    """Risks and slips that do not keep the server from starting, one sentence each."""

    def __repr__(self) -> str:
        return f"Settings(name={self.name!r})"

    @property
    def base_url_trusted(self) -> bool:
        """Whether somebody vouches for the address of the base URL, also where it is private."""
        return self.base_url_given or self.base_url_configured

    @property
    def origin(self) -> Origin:
        """The API's own origin."""
        return origin_of(self.base_url)

    @property
    def login_command(self) -> str:
        """What the operator types to log in."""
        return f"{self.name}-mcp login"

    def variable(self, name: str) -> str:
        """The full name of a setting's environment variable."""
        return f"{self.env_prefix}_{name}"


def read(
    facts: Mapping[str, Any], environ: Mapping[str, str] | None = None, *, http: bool = False
) -> Settings:
    """The settings of this process; `facts` is the content of `api.json`.

    Over HTTP (`http`) the callers are not on this machine, and no local file can be named. Raises
    SettingsError with every problem there is.
    """
    return _Reader(facts, os.environ if environ is None else environ, http=http).read()


class _Reader:
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

    def read(self) -> Settings:
        base_url, base_url_given = self.base_url()
        trusted = self.origins("ALLOW_ORIGINS")
        token_url = self.token_url()
        if token_url is not None:
            trusted.add(origin_of(token_url))
        credentials = {
            name: self.credential(name, auth, token_url)
            for name, auth in sorted(self.facts.get("auth", {}).items())
        }
        http_token = self.secret("HTTP_TOKEN")
        redis_url = self.redis_url()
        exchange_secret = self.secret("EXCHANGE_CLIENT_SECRET")
        self.note_risks(credentials, base_url, trusted)
        self.note_unknown(credentials.values())
        settings = Settings(
            name=str(self.facts["name"]),
            env_prefix=self.prefix,
            base_url=base_url,
            base_url_given=base_url_given,
            credentials=MappingProxyType(credentials),
            trusted_origins=frozenset(trusted),
            http_token=http_token,
            redis_url=redis_url,
            exchange_url=self.exchange_url(),
            exchange_client_secret=exchange_secret,
            redactor=_redactor(
                credentials.values(), http_token, exchange_secret, *_secrets_of_url(redis_url)
            ),
            **self.generated(),
            **self.local_folders(),
            **self.simple_values(),
            notes=tuple(self.notes),
        )
        if self.problems:
            raise SettingsError(self.problems)
        return settings

    def generated(self) -> dict[str, Any]:
        """The fields of Settings that were decided at generation."""
        answers = self.facts.get("answers", {})
        lists = self.facts.get("lists", {})
        return {
            "base_url_configured": self.facts.get("base_url_configured") is True,
            "headers": MappingProxyType(dict(self.facts.get("headers", {}))),
            "security": tuple(tuple(names) for names in self.facts.get("security", ())),
            "answers": MappingProxyType({name: _shaping(each) for name, each in answers.items()}),
            "lists": MappingProxyType({name: _listing(each) for name, each in lists.items()}),
            "redact": tuple(self.facts.get("redact", ())),
            "wrapped": frozenset(self.facts.get("wrapped", ())),
            "open_origins": frozenset(_origins(self.facts.get("allowed_origins", ()))),
        }

    def local_folders(self) -> dict[str, Any]:
        """The folders on this machine that calls may use; none over HTTP."""
        if self.http:
            return {}
        save_dirs = self.folders("SAVE_DIR")
        return {
            "file_roots": self.folders("FILE_ROOTS"),
            "save_dir": save_dirs[0] if save_dirs else None,
        }

    def simple_values(self) -> dict[str, Any]:
        """The settings that depend on no other, by their field in Settings."""
        readers = {
            "seconds": self.number,
            "count": self.number,
            "bytes": self.number,
            "rate": self.rate,
            "flag": self.flag,
            "names": self.names,
            "scopes": self.scopes,
            "text": self.text,
            "file": self.file,
        }
        return {
            setting.name.lower(): readers[setting.kind](setting)
            for setting in SETTINGS
            if setting.kind in readers
        }

    def value(self, name: str) -> str:
        """The text of a variable without spaces around it; empty when it is not set."""
        return self.environ.get(f"{self.prefix}_{name}", "").strip()

    def fact(self, name: str) -> str:
        """What `api.json` says by that name; empty where it says nothing."""
        return str(self.facts.get(name) or "")

    def refuse(self, name: str, reason: str) -> None:
        """Note a problem of a variable."""
        self.problems.append(f"`{self.prefix}_{name}` {reason}")

    def base_url(self) -> tuple[str, bool]:
        """The base URL, and whether it comes from the operator."""
        from_operator = self.value("BASE_URL")
        base_url = from_operator or self.fact("base_url")
        if not base_url:
            self.refuse_missing_base_url()
            return "", False
        try:
            return check_base_url(base_url), bool(from_operator)
        except ValueError as error:
            place = "the base URL in `api.json`"
            if from_operator:
                place = f"`{self.prefix}_BASE_URL`"
            self.problems.append(f"{place} cannot be used: {error}")
            return "", bool(from_operator)

    def refuse_missing_base_url(self) -> None:
        """Note the problem, except for a server that calls no API."""
        if self.facts.get("calls_api") is False:
            return
        reason = "is not set: it has to be the URL of the API, as in `https://api.example.com/v1`"
        note = self.fact("base_url_note")
        if note:
            reason += f" ({note})"
        self.refuse("BASE_URL", reason)

    def token_url(self) -> str | None:
        """Where OAuth tokens come from, if the operator says so."""
        url = self.value("TOKEN_URL")
        if not url:
            return None
        try:
            origin_of(url)
        except ValueError as error:
            self.refuse("TOKEN_URL", f"cannot be used: {error}")
            return None
        return url

    def credential(self, name: str, auth: Mapping[str, Any], token_url: str | None) -> Credential:
        """One credential with its secrets from the environment."""
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
        self, name: str, auth: Mapping[str, Any], token_url: str | None, variables: tuple[str, ...]
    ) -> Credential:
        """A credential whose secrets are the values of these variables."""
        kind = str(auth.get("kind", "unsupported"))
        values = []
        for index, variable in enumerate(variables):
            may_be_empty = kind == "basic" and index == 1
            short_name = variable.removeprefix(f"{self.prefix}_")
            values.append(self.secret(short_name, may_be_empty=may_be_empty))
        return Credential(
            name=name,
            kind=kind,
            place=str(auth.get("place", "header")),
            wire_name=str(auth.get("wire_name", "Authorization")),
            scheme=str(auth.get("scheme", "")),
            variables=variables,
            values=tuple(values),
            token_url=token_url or auth.get("token_url"),
            scopes=tuple(auth.get("scopes", ())),
            about=str(auth.get("about", "")),
        )

    def login(self, facts: Mapping[str, Any], token_url: str | None) -> Login:
        """How a person logs in, with the client's id and secret from the environment."""
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
        self, credentials: Mapping[str, Credential], base_url: str, trusted: set[Origin]
    ) -> None:
        """Note each setting that is valid but risky, or that will keep calls from working."""
        if not base_url:
            return
        own = origin_of(base_url)
        present = [credential for credential in credentials.values() if credential.present]
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

    def exchange_url(self) -> str:
        """Where callers' tokens are exchanged, if the operator says so."""
        url = self.value("EXCHANGE_URL")
        if not url:
            return ""
        try:
            origin = origin_of(url)
        except ValueError as error:
            self.refuse("EXCHANGE_URL", f"cannot be used: {error}")
            return ""
        if origin.is_open:
            self.refuse("EXCHANGE_URL", "has to be an https URL: callers' tokens are sent there")
        needed = ["EXCHANGE_CLIENT_ID", "EXCHANGE_CLIENT_SECRET"]
        if self.http:
            needed.append("HTTP_ISSUER")
        for name in needed:
            is_set = self.value(name) or self.value(f"{name}_FILE")
            if not is_set:
                self.refuse(name, f"is not set, and `{self.prefix}_EXCHANGE_URL` needs it")
        return url

    def redis_url(self) -> Secret | None:
        """The URL of a Redis, which may hold a password."""
        url = self.secret("REDIS_URL")
        if url is not None and not url.reveal().startswith(("redis://", "rediss://", "unix://")):
            self.refuse("REDIS_URL", "has to begin with `redis://`, `rediss://` or `unix://`")
            return None
        return url

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

    def number(self, setting: Setting) -> float:
        """A number within its bounds; a whole one for anything but seconds."""
        default: float = setting.default
        text = self.value(setting.name)
        if not text:
            return default
        convert: type[float] = int
        what = "a whole number"
        if setting.kind == "seconds":
            convert = float
            what = "a number"
        try:
            value = convert(text)
            if setting.low <= value <= setting.high:
                return value
        except ValueError:
            pass
        bounds = f"from {setting.low:.10g} to {setting.high:.10g}"
        self.refuse(setting.name, f"has to be {what} {bounds}")
        return default

    def rate(self, setting: Setting) -> float:
        """A number a second: `5`, `5/s`, `100/m` or `1000/h`."""
        text = self.value(setting.name)
        if not text:
            return float(setting.default)
        match = _RATE.fullmatch(text)
        if match is None:
            self.refuse(setting.name, "has to be a rate such as `5`, `100/m` or `1000/h`")
            return 0.0
        return float(match[1]) / _SECONDS[match[2] or "s"]

    def flag(self, setting: Setting) -> bool:
        """A yes or no."""
        text = self.value(setting.name).lower()
        if text not in _TRUE + _FALSE:
            self.refuse(setting.name, "has to be `true` or `false`")
        return text in _TRUE

    def text(self, setting: Setting) -> str:
        """Any text."""
        return self.value(setting.name)

    def names(self, setting: Setting) -> tuple[str, ...]:
        """Names separated by commas."""
        return self.items(setting.name)

    def scopes(self, setting: Setting) -> frozenset[str]:
        """Scopes separated by spaces (RFC 6749, section 3.3)."""
        return frozenset(self.value(setting.name).split())

    def items(self, name: str) -> tuple[str, ...]:
        """What stands between the commas of a variable."""
        items = (item.strip() for item in self.value(name).split(","))
        return tuple(item for item in items if item)

    def origins(self, name: str) -> set[Origin]:
        """Origins separated by commas."""
        origins = set()
        for item in self.items(name):
            try:
                origins.add(origin_of(item))
            except ValueError:
                self.refuse(
                    name,
                    "has to hold origins such as `https://uploads.example.com`, with commas",
                )
        return origins

    def file(self, setting: Setting) -> Path | None:
        """A file that exists."""
        text = self.value(setting.name)
        if not text:
            return None
        if not Path(text).is_file():
            self.refuse(setting.name, "names a file that is not there")
        return Path(text)

    def folders(self, name: str) -> tuple[Path, ...]:
        """Folders that exist, separated by the system's path separator."""
        folders = []
        for text in self.value(name).split(os.pathsep):
            if not text.strip():
                continue
            folder = Path(text.strip())
            if folder.is_absolute() and folder.is_dir():
                folders.append(folder.resolve())
            else:
                self.refuse(name, "has to hold absolute paths of folders that are there")
        return tuple(folders)

    def note_unknown(self, credentials: Iterable[Credential]) -> None:
        """Note variables with the server's prefix that it does not read."""
        settings = [setting.name for setting in SETTINGS if setting.kind == "secret"]
        secrets = {f"{self.prefix}_{name}" for name in settings}
        for credential in credentials:
            secrets.update(credential.variables)
            secrets.update(
                self.facts["auth"][credential.name].get("login", {}).get("variables", ())
            )
            if credential.kind in TWOFOLD:
                twins = (write_variable(self.prefix, name) for name in credential.variables)
                secrets.update(twins)
        names = {f"{self.prefix}_{name}" for name in VARIABLES}
        names |= secrets | {f"{name}_FILE" for name in secrets}
        for name in sorted(set(self.environ) - names):
            note = f"`{name}` is not a setting of this server"
            for similar in difflib.get_close_matches(name, names, n=1, cutoff=0.8):
                note += f"; did you mean `{similar}`?"
            self.notes.append(note)


def _secrets_of_url(url: Secret | None) -> tuple[Secret, ...]:
    """A URL and the password in it."""
    if url is None:
        return ()
    password = unquote(urlsplit(url.reveal()).password or "")
    return (url, Secret(password))


def _redactor(credentials: Iterable[Credential], *others: Secret | None) -> Redactor:
    secrets = list(others)
    for credential in credentials:
        secrets += credential.values
        if credential.for_writing is not None:
            secrets += credential.for_writing.values
        if credential.login is not None:
            secrets += credential.login.client[1:]
    return Redactor(secret.reveal() for secret in secrets if secret)


def _token_origin(credential: Credential) -> Origin | None:
    """Where the access tokens of a credential are fetched from; None when none are fetched."""
    if credential.kind != "client_credentials" or credential.ready_token:
        return None
    try:
        return origin_of(credential.token_url or "")
    except ValueError:
        return None


def _fault_of_secret(value: str) -> str:
    """Why a text cannot be a secret, or nothing."""
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
    """Whether a path is a file that only its owner can read, or one of `/run/` (where containers
    mount secrets). Raises OSError.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        return False
    if os.name != "posix" or str(path).startswith("/run/"):
        return True
    return not mode & 0o077


def _shaping(answer: Mapping[str, Any]) -> Shaping:
    return Shaping(
        keep=tuple(answer.get("keep", ())),
        drop=tuple(answer.get("drop", ())),
        strip_nulls=bool(answer.get("strip_nulls")),
        redact=tuple(answer.get("redact", ())),
        table=bool(answer.get("table")),
        xml=bool(answer.get("xml")),
    )


def _listing(facts: Mapping[str, Any]) -> ListAnswer:
    lists = {name: tuple(facts[name]) for name in ("items", "source") if name in facts}
    return ListAnswer(**{**facts, **lists})


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
