"""Settings of a server that calls an API: its address and further ones, the credentials, and the
limits of requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from ..facts import Origin, check_base_url, origin_of
from ..parts import VARIABLES as PART_VARIABLES
from ..parts import remedy
from ..results import visible
from ..secrets import Redactor, Secret
from ..settings import (
    GIB,
    KIB,
    MIB,
    READERS,
    Reader,
    Setting,
    Settings,
    items,
    settings_of,
    variable,
)

_T = TypeVar("_T")
_PROXY = re.compile(r"http://([^@/?#]+@)?[^@/?#:]+(:\d{1,5})?/?")
SECRET_WORDS = ("KEY", "PASSWORD", "SECRET", "TOKEN")
OF_QUEUES = ("MAX_WAITING", "BREAKER_FAILURES", "BREAKER_SECONDS")
"""Variables that `queues` alone reads; it comes with the part `http` or an installed runtime."""
OF_HTTP: tuple[str, ...] = ("HTTP_READY_API",)
"""Variables that a server without the part `http` has no use for."""
TWOFOLD = frozenset(("api_key", "basic", "bearer", "client_credentials"))
"""Kinds of credentials that may have a separate credential for writing."""


def write_variable(prefix: str, variable: str) -> str:
    """Return the variable for writing: `SHOP_MCP_API_KEY` -> `SHOP_MCP_WRITE_API_KEY`."""
    return f"{prefix}_WRITE_{variable.removeprefix(f'{prefix}_')}"


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
    token_url: str | None
    scopes: tuple[str, ...]
    about: str
    """Place and form of the credential, in words."""
    for_writing: Credential | None = None
    """Credential for requests that write; None unless the operator set it."""
    login: Any = None
    """Login that obtains a token (`parts.login.settings.Login`); None without a login, and over
    HTTP.
    """
    api: str = ""
    """API of the credential, if there are several; no other API receives it."""

    @property
    def when_writing(self) -> Credential:
        """Credential for requests that write: `for_writing`, or this credential without any."""
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
class Shaping:
    """View of a tool's answer for a model: dotted paths to keep (empty: all) or drop, whether null
    goes, fields to take out at any depth (`redact`), whether a list becomes a table and XML JSON.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    strip_nulls: bool = False
    redact: tuple[str, ...] = ()
    table: bool = False
    xml: bool = False


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """List in an answer, and its pagination.

    `items` are the keys that lead to the list, or None if the answer holds none; `fields` is the
    argument of the server that chooses the fields of items, `asked` that of the API if it has one;
    `part` is `PART` if the tool lists this argument. `next` and `size` are the arguments for the
    next part and for the size of a part; empty if there are none. `how` is `page`, `offset`,
    `cursor` or `last`; `source` has the dotted paths at which the answer may hold the next value;
    `key` is the key of an item that `last` continues after, `back` the argument for what comes
    before an item.
    """

    items: tuple[str, ...] | None = None
    fields: str = ""
    part: str = ""
    asked: str = ""
    next: str = ""
    back: str = ""
    size: str = ""
    how: str = ""
    source: tuple[str, ...] = ()
    key: str = "id"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings(Settings):
    """Settings of a server that calls an API."""

    redactor: Redactor = field(default_factory=Redactor)
    api: str = ""
    """Name of the further API that these settings are for; empty for the first API."""
    apis: Mapping[str, ApiSettings] = field(default_factory=dict)
    own_variables: frozenset[str] = frozenset()
    """Names of the settings that a further API has its own variables for."""
    base_url_given: bool = False
    """Whether the operator named the base URL, which then is the one of every operation."""
    base_url_configured: bool = False
    """Whether the base URL is set in `mcpgen.toml`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Constant headers of every request (decided at generation)."""
    security: tuple[tuple[str, ...], ...] = ()
    credentials: Mapping[str, Credential] = field(default_factory=dict)
    answers: Mapping[str, Shaping] = field(default_factory=dict)
    lists: Mapping[str, ListAnswer] = field(default_factory=dict)
    """Tool -> the list in its answers."""
    answer_headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> the header fields that are part of what its answers say."""
    inside: bool = False
    """Whether the API is the application that this server is mounted in, which judges callers."""
    wrapped: frozenset[str] = frozenset()
    bare: bool = False
    """Whether structured content is for programs, and has no notes."""
    open_origins: frozenset[Origin] = frozenset()
    """Other origins that operations may go to, without credentials (decided at generation)."""
    backoff: float = 0.5
    max_retry_wait: float = 30.0
    base_url: str = variable("", "text", "api")
    timeout: float = variable(30.0, "seconds", "api", 0.1, 3600)
    connect_timeout: float = variable(5.0, "seconds", "api", 0.1, 600)
    retries: int = variable(2, "count", "api", 0, 10)
    max_concurrency: int = variable(64, "count", "api", 1, 1_000, shared=True)
    max_waiting: int = variable(128, "count", "api", 0, 100_000, shared=True)
    rate_limit: float = variable(0.0, "rate", "api", shared=True)
    """0 is no limit."""
    breaker_failures: int = variable(10, "count", "api", 0, 10_000)
    breaker_seconds: float = variable(10.0, "seconds", "api", 0.1, 3600)
    http_ready_api: bool = variable(False, "flag", "api")
    max_request_bytes: int = variable(MIB, "bytes", "api", 1, GIB)
    max_response_bytes: int = variable(10 * MIB, "bytes", "api", KIB, GIB)
    max_binary_bytes: int = variable(372 * KIB, "bytes", "api", 0, 100 * MIB)
    trusted_origins: frozenset[Origin] = variable(
        frozenset(), "origins", "api", name="ALLOW_ORIGINS"
    )
    allow_private: bool = variable(False, "flag", "api")
    proxy_url: Secret | None = variable(None, "secret", "api")
    token_url: str = variable("", "url", "api")
    file_roots: tuple[Path, ...] = variable((), "folders", "api")
    save_dir: Path | None = variable(None, "folder", "api")
    client_cert: Path | None = variable(None, "file", "api")
    client_key: Path | None = variable(None, "file", "api")

    def readable(self, text: str) -> str:
        """Return a text, secrets masked and invisible characters replaced by U+FFFD."""
        return visible(self.redactor(text))

    def variable(self, name: str) -> str:
        """Return the full name of a setting's environment variable, with the API's name if it has
        its own.
        """
        if name in self.own_variables:
            name = f"{self.api.upper()}_{name}"
        return Settings.variable(self, name)

    @property
    def base_url_trusted(self) -> bool:
        """Whether the operator or `mcpgen.toml` named the base URL, so that it may be private."""
        return self.base_url_given or self.base_url_configured

    def of(self, api: str) -> ApiSettings:
        """Return a further API's settings; the first's for an empty name. Raises KeyError."""
        return self.apis[api] if api else self

    @property
    def own_credentials(self) -> Mapping[str, Credential]:
        """Credentials for this API, by name."""
        return {name: each for name, each in self.credentials.items() if each.api == self.api}

    @property
    def origin(self) -> Origin:
        """Origin of the API's base URL."""
        return origin_of(self.base_url)

    def trusts(self, origin: Origin) -> bool:
        """Return whether credentials may go to an origin: the API's own, or one the operator
        named.
        """
        return origin == self.origin or origin in self.trusted_origins

    @property
    def login_command(self) -> str:
        """Command with which the operator logs in: `bookshop-mcp login`."""
        return f"{self.name}-mcp login"


SETTINGS = settings_of(ApiSettings)
"""Settings of every server, in the order of the README."""

VARIABLES = frozenset(setting.name for setting in SETTINGS) | frozenset(PART_VARIABLES)
"""Names of all settings, without their prefix: reserved, no credential uses these names."""


def _url(text: str, setting: Setting) -> str:
    """Return an http or https URL unchanged. Raises ValueError for another text."""
    try:
        origin_of(text)
    except ValueError as error:
        raise ValueError(f"cannot be used: {error}") from error
    return text


def _trusted(text: str, setting: Setting) -> frozenset[Origin]:
    """Return the origins of URLs separated by commas. Raises ValueError."""
    try:
        return frozenset(origin_of(item) for item in items(text, setting))
    except ValueError as error:
        example = "`https://uploads.example.com`"
        raise ValueError(f"has to hold origins such as {example}, with commas") from error


class ApiReader(Reader):
    """One reading of the environment for a server that calls an API."""

    kind = ApiSettings
    readers: ClassVar[Mapping[str, Any]] = {**READERS, "url": _url, "origins": _trusted}

    def read(self) -> ApiSettings:
        """Return the settings. Raises SettingsError."""
        settings = self.first()
        self.raise_problems()
        return settings

    def first(self) -> ApiSettings:
        """Return the settings of the first API, with problems collected in `problems`."""
        values = self.values_of(SETTINGS)
        token_urls = self.token_urls(values["token_url"])
        allowed = values.pop("allow_origins")
        credentials = {
            name: self.credential(name, auth, token_urls[auth.get("api", "")])
            for name, auth in sorted(self.facts.get("auth", {}).items())
        }
        if values["proxy_url"] and not _PROXY.fullmatch(values["proxy_url"].reveal()):
            self.refuse("PROXY_URL", "has to be a URL such as `http://proxy.example.com:3128`")
        address = self.address("", self.facts, allowed, token_urls[""], credentials)
        return ApiSettings(
            **{**self.fields(values, _secrets_of(credentials.values())), **address},
            **self.generated(),
            credentials=MappingProxyType(credentials),
        )

    def token_urls(self, first: str) -> dict[str, str]:
        """Return API -> the operator's token endpoint, empty if not set: here `{"": first}`."""
        return {"": first}

    def known(self) -> set[str]:
        """Return the full names of all variables that the server reads."""
        names = super().known()
        for auth in self.facts.get("auth", {}).values():
            secrets = [*auth.get("variables", ()), *auth.get("login", {}).get("variables", ())]
            if auth.get("kind") in TWOFOLD:
                secrets += [write_variable(self.prefix, name) for name in auth["variables"]]
            names.update(secrets, [f"{name}_FILE" for name in secrets])
        return names

    def note_unknown(self, known: set[str]) -> None:
        """Note unknown variables, and those that nothing reads without the part `http`."""
        super().note_unknown(known)
        if "http" not in self.facts.get("parts", ()):
            unread = OF_HTTP
            if find_spec(".queues", __package__) is None:
                unread = OF_HTTP + OF_QUEUES
            for name in sorted(known.intersection(self.environ)):
                if name.endswith(unread):
                    self.notes.append(f"`{name}` has no effect without `http`: {remedy('http')}")

    def similar(self, name: str, known: set[str]) -> list[str]:
        """Return at most one variable that an unknown name may mean: for a name that ends in a word
        for a secret, the only variable of a credential that is not set; else a similar name.
        """
        credentials = [auth.get("variables", ()) for auth in self.facts.get("auth", {}).values()]
        there = {each.removesuffix("_FILE") for each in self.environ}
        unset = {each for names in credentials for each in names} - there
        if len(unset) == 1 and name.endswith(SECRET_WORDS):
            return [*unset]
        return super().similar(name, known)

    def address(
        self,
        api: str,
        facts: Mapping[str, Any],
        allowed: frozenset[Origin],
        token_url: str,
        credentials: Mapping[str, Credential],
    ) -> dict[str, Any]:
        """Return the settings that each of several APIs has of its own: its address, its headers,
        and where credentials may go; note risks. `allowed` are the origins that the operator named.
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

    def generated(self) -> dict[str, Any]:
        """Return field -> value of the settings that were decided at generation."""
        return {
            "answers": _each_as(Shaping, self.facts.get("answers", {})),
            "lists": _each_as(ListAnswer, self.facts.get("lists", {})),
            "answer_headers": {
                tool: tuple(names) for tool, names in self.facts.get("answer_headers", {}).items()
            },
            "wrapped": frozenset(self.facts.get("wrapped", ())),
        }

    def base_url(self, name: str, facts: Mapping[str, Any]) -> str:
        """Return the base URL of an API, from the variable `name` or the API's facts; empty after a
        problem, which is noted.
        """
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
        """Note that an API has no base URL, unless it is not called."""
        if False in (facts.get("calls_api"), facts.get("calls_first")):
            return
        reason = "is not set: it has to be the URL of the API, as in `https://api.example.com/v1`"
        note = facts.get("base_url_note")
        if note:
            reason += f" ({note})"
        self.refuse(name, reason)

    def credential(self, name: str, auth: Mapping[str, Any], token_url: str) -> Credential:
        """Return a credential with its secrets from the environment, and note missing ones. `auth`
        are its facts, `token_url` is the operator's token endpoint of its API.
        """
        variables = tuple(str(variable) for variable in auth.get("variables", ()))
        credential = self.with_values(name, auth, token_url, variables)
        if credential.kind in TWOFOLD:
            twins = tuple(write_variable(self.prefix, variable) for variable in variables)
            writing = self.with_values(name, auth, token_url, twins)
            if writing.present:
                credential = replace(credential, for_writing=writing)
        if "login" in auth and not self.http:
            # Only servers to whose API a person can log in have this module
            settings = import_module("..parts.login.settings", __package__)
            return replace(credential, login=settings.login_of(self, auth["login"], token_url))
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
        """Return a credential (`auth`: its facts) with the values of these variables."""
        kind = str(auth.get("kind", "unsupported"))
        values = []
        for index, full_name in enumerate(variables):
            may_be_empty = (kind, index) == ("basic", 1)
            short_name = full_name.removeprefix(f"{self.prefix}_")
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
        own, prefix = origin_of(base_url), f"{api.upper()}_".lstrip("_")
        present = [each for each in credentials.values() if each.present and each.api == api]
        for credential in present:
            origin = _token_origin(credential)
            if origin not in {None, own, *trusted}:
                self.notes.append(
                    f"access tokens for `{credential.name}` come from {origin}: "
                    f"set `{self.prefix}_{prefix}ALLOW_ORIGINS={origin}` to allow that"
                )
        if present and own.is_open:
            self.notes.append("the API is reached without TLS: credentials can be read on the way")


READER = ApiReader


def _secrets_of(credentials: Iterable[Credential]) -> Iterator[Secret | None]:
    """Yield the values of credentials, None among them; of a login the secret, not the id."""
    for credential in credentials:
        yield from credential.values
        if credential.for_writing is not None:
            yield from credential.for_writing.values
        if credential.login is not None:
            yield from credential.login.client[1:]


def _token_origin(credential: Credential) -> Origin | None:
    """Return the origin of a credential's token endpoint; None if none is fetched or known."""
    if credential.kind != "client_credentials" or credential.ready_token:
        return None
    try:
        return origin_of(credential.token_url or "")
    except ValueError:
        return None


def _each_as(kind: type[_T], facts: Mapping[str, Mapping[str, Any]]) -> Mapping[str, _T]:
    """Return tool -> its facts as an instance of a frozen dataclass, with tuples for lists."""
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
