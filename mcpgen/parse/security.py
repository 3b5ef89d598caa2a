"""Security schemes and requirements → credentials from the environment (OpenAPI 3.1 §4.8.27,
§4.8.30); endpoints of a person's login (3.2 §4.29, §4.30); and hints of a credential in a document
that declares no scheme.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from ..config.credentials import CREDENTIAL_HEADERS, split_schemes
from ..ir import Auth, Login
from ..load.operations import DocumentedOperation
from ..load.values import as_list, as_object, as_text, first_text
from ..runtime.client.settings import VARIABLES, write_variable
from ..runtime.facts import FORBIDDEN_HEADERS, TOKEN, origin_of
from ..runtime.pointer import escape
from ..runtime.results import fold
from ..text import plain, shorten, split_words, visible, words
from .naming import digest
from .parameter import at_key

if TYPE_CHECKING:
    from ..config import Config
    from .schema import Reader

_URL = re.compile(r"https?://[!-.0-~][!-~]*")
_NAMES = r"`?[\w:.*/-]+`?(?:,? (?:(?:or|and) )?`?[\w*/-]*[:.][\w:.*/-]+`?)*"
SCOPE = re.compile(
    rf"(?:\w+ ){{0,2}}(?:requires?d?|oauth2?) scopes?: ?{_NAMES}$|scopes: ?{_NAMES}$"
    r"|\w+ required scopes?(?: \w+ \w+:\w+(?:, \w+:\w+)*)+$|(?:if [^,]{1,60}, )?"
    r"(?:oauth|you must (?:authenticate|use)) .{1,200}\btokens?\b.{1,200}\bscopes?\b",
    re.I,
)
"""Sentence of an operation about a credential, the operator's: `Required scope: books:read`."""

HANDSHAKES = frozenset(["digest", "hoba", "mutual", "negotiate", "scram-sha-256"])
"""Authentication schemes of HTTP in which client and server exchange messages: no fixed text does
for them (IANA HTTP Authentication Scheme Registry).
"""

SCHEMES = "#/components/securitySchemes/"
KEY_PLACES = ("header", "query", "cookie")
UNDECLARED = {
    "bearer": ("token", "TOKEN"),
    "basic": ("login", "USERNAME", "PASSWORD"),
    "header": ("api_key", "API_KEY"),
    "query": ("api_key", "API_KEY"),
}
"""Way to send a credential of the configuration → its name and its variables."""

Requirement = tuple[tuple[str, ...], ...]
"""Alternatives, each with the names of all its credentials; an empty alternative needs none."""

KEY_NAME = re.compile(r".*(api|app|auth|access|subscription|secret)_?(key|token)", re.I)
"""The name of a parameter that is a credential, with `_` for `-`: `X-Api-Key`, `auth_token`."""
SESSION = {"header": "token", "cookie": "session"}
"""Place → the name of a parameter there that is a credential as well."""
BASIC = re.compile(r"\bbasic auth|\bhttp basic\b", re.I)
ANY = re.compile(r"\bbearer\b|\bapi[ -]?keys?\b|\bauthenticat|\baccess tokens?\b|\boauth", re.I)


def login_of(scheme: Mapping[str, Any], variables: tuple[str, str]) -> Login | None:
    """Return the login of an `oauth2` or `openIdConnect` scheme, None where there is none.

    `variables` are those of the client's id and secret. A flow without a token endpoint counts only
    where the scheme names a document that has it.
    """
    flows = as_object(scheme.get("flows"))
    browser = as_object(flows.get("authorizationCode"))
    device = as_object(flows.get("deviceAuthorization"))
    metadata = first_text(scheme.get("openIdConnectUrl"), scheme.get("oauth2MetadataUrl"))
    login = Login(
        authorization_url=absolute_url(browser.get("authorizationUrl")),
        device_url=absolute_url(device.get("deviceAuthorizationUrl")),
        token_url=first_text(*(absolute_url(flow.get("tokenUrl")) for flow in (browser, device))),
        metadata_url=absolute_url(metadata),
        scopes=tuple(dict.fromkeys([*scopes_of(browser), *scopes_of(device)])),
        variables=variables,
    )
    if login.metadata_url:
        return login
    if not login.token_url:
        return None
    if first_text(login.authorization_url, login.device_url):
        return login
    return None


def with_scopes(auth: Auth, scopes: tuple[str, ...]) -> Auth:
    """Return the credential with these scopes in its login. For an empty tuple it is unchanged:
    the login asks for every scope that its flows declare.
    """
    if auth.login is None:
        return auth
    if not scopes:
        return auth
    return replace(auth, login=replace(auth.login, scopes=scopes))


def scopes_of(flow: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the scopes that a flow offers."""
    return tuple(name for name in as_object(flow.get("scopes")) if isinstance(name, str))


def with_base(scheme: Mapping[str, Any], base: str) -> dict[str, Any]:
    """Return a scheme whose URLs that begin with a slash are on the host of the API's base URL
    (OpenAPI 3.1 §4.6). Other relative URLs are left alone.
    """
    joined = dict(scheme)
    for key, value in scheme.items():
        if isinstance(value, dict):
            joined[key] = with_base(value, base)
        elif key.endswith("Url") and re.match("/[^/]", as_text(value)):
            with suppress(ValueError):
                joined[key] = urljoin(base, as_text(value))
    return joined


def absolute_url(value: Any) -> str:
    """Return a value without spaces around it if it is an absolute http or https URL in ASCII, else
    an empty text.
    """
    text = as_text(value).strip()
    with suppress(ValueError):
        origin_of(text)
        if _URL.fullmatch(text):
            return text
    return ""


@dataclass(frozen=True, slots=True)
class _Scheme:
    """One Security Scheme Object, and the name its credential gets."""

    slug: str
    node: dict[str, Any]
    pointer: str
    prefix: str
    """Prefix of the server's environment variables."""
    api: str = ""

    @property
    def description(self) -> str:
        """The scheme's description in one line of at most 160 characters."""
        return _sentence(self.node.get("description"))

    def variable(self, name: str = "") -> str:
        """Return an environment variable of the credential, `BOOKS_MCP_KEY`, with `name` added:
        `BOOKS_MCP_KEY_TOKEN`.
        """
        variable = f"{self.prefix}_{self.slug.upper()}"
        return f"{variable}_{name}" if name else variable


def _way(auth: Auth) -> tuple[Any, ...]:
    """Return the way a credential is sent and where its tokens come from, without its name and
    variables.
    """
    login = auth.login and replace(auth.login, variables=("", ""))
    return (auth.kind, auth.place, auth.wire_name, auth.scheme, auth.token_url, login)


class Security:
    """The credentials of one document, and the requirement of each operation.

    A credential in the configuration (`[auth]`) replaces all security in the document. So does a
    credential assumed for a document without any; calls are then made even without its value.
    """

    def __init__(
        self,
        reader: Reader,
        prefix: str,
        config: Config,
        api: str = "",
        others: Collection[Auth] = (),
        theirs: Collection[Auth] = (),
        base: str | None = None,
    ) -> None:
        """Read the credentials of the API `api`. `others` are credentials of other APIs, `theirs`
        the credentials of the API at the same address, which is `base`.
        """
        self.base = base or ""
        self.prefix, self.problems, self.theirs = prefix, reader.problems, theirs
        self.api, self.others = api, others
        self.pinned = config.pinned.credentials
        self.auth: dict[str, Auth] = {}
        self.slugs: dict[str, str] = {}
        """Name of a scheme in the document → name of its credential."""
        self.scopes: dict[str, dict[str, None]] = {}
        """Name of a credential → the scopes that operations need, in order."""
        self.default: Requirement = ()
        self.is_undeclared = False
        """Whether the credentials are the configuration's, or one is assumed."""
        if config.auth_scheme is not None:
            self.add_undeclared(config.auth_scheme, config.auth_description)
        else:
            self.read_schemes(reader)

    def add_undeclared(
        self, schemes: str, description: str | None = None, *, optional: bool = False
    ) -> None:
        """Add the credentials of `schemes`, as `--auth` writes them, and require all of them for
        every operation; with `optional`, all or none.
        """
        for kind, wire_name in split_schemes(schemes):
            name, *variables = map(self.own, UNDECLARED[kind])
            if name in self.auth:
                name, *variables = [self.slug(f"api_key_{wire_name}")] * 2
            auth = Auth(
                name=name,
                kind="api_key",
                scheme="",
                variables=tuple(f"{self.prefix}_{variable.upper()}" for variable in variables),
                description=_sentence(description),
                declared=False,
                api=self.api,
            )
            match kind:
                case "header" | "query":
                    auth = replace(auth, place=kind, wire_name=wire_name)
                case "basic" | "bearer":
                    auth = replace(auth, kind=kind, scheme=kind.capitalize())
            self.auth[name] = auth
        self.is_undeclared = True
        self.default = (tuple(self.auth), ()) if optional else (tuple(self.auth),)

    def read_schemes(self, reader: Reader) -> None:
        """Read the document's credentials and its default requirement."""
        root = reader.root
        schemes = as_object(as_object(root.get("components")).get("securitySchemes"))
        for name, node in schemes.items():
            at = f"{reader.home}/components/securitySchemes/{escape(name)}"
            scheme, pointer = reader.deref(node, at)
            if isinstance(scheme, dict):
                auth = self.named_credential(name, scheme, pointer)
                auth = self.with_their_variables(replace(auth, api=self.api))
                self.slugs[name] = auth.name
                self.auth[auth.name] = auth
        self.default = self.requirement(root.get("security"), f"{reader.home}/security") or ()

    def own(self, name: str) -> str:
        """Return a name with that of a further API before it: `billing_token`."""
        return f"{self.api}_{name}" if self.api else name

    def named_credential(self, name: str, node: dict[str, Any], pointer: str) -> Auth:
        """Return the credential of a scheme; if its variables clash with others, its name gets a
        hash.
        """
        slug = self.slug(name)
        scheme = _Scheme(slug, with_base(node, self.base), pointer, self.prefix, self.api)
        auth = self.credential(scheme)
        if not self.clashes(auth):
            return auth
        return self.credential(replace(scheme, slug=f"{slug}_{digest(name)}"))

    def with_their_variables(self, auth: Auth) -> Auth:
        """Return a credential with the variables and login of one of `theirs` that is sent in the
        same way; unchanged without one.
        """
        for other in self.theirs:
            if _way(other) == _way(auth):
                return replace(auth, variables=other.variables, login=other.login)
        return auth

    def keep_variables(self) -> None:
        """Give credentials, in place, their variables of the last run, those of an API that is
        gone, if they are as many and have the server's prefix.
        """
        for name, auth in self.auth.items():
            kept, login = self.pinned.get(name, ()), auth.login
            is_ours = all(variable.startswith(f"{self.prefix}_") for variable in kept)
            if not is_ours or not 0 < len(kept) == len(auth.variables):
                continue
            stem = f"{self.prefix}_{name.upper()}"
            theirs = kept[0].removesuffix(auth.variables[0].removeprefix(stem))
            if login is not None:
                client, secret = (each.replace(stem, theirs) for each in login.variables)
                login = replace(login, variables=(client, secret))
            self.auth[name] = replace(auth, variables=kept, login=login)

    def slug(self, name: str) -> str:
        """Return a scheme's name as an identifier of at most 40 characters, with the name of a
        further API before it and a hash behind it if it is taken. Variables are named after it, so
        the spelling of the last run stays.
        """
        slug = "_".join(words(name))[:40].strip("_")
        if self.pinned:
            before = "_".join(split_words(name))[:40].strip("_")
            if self.own(before) in self.pinned:
                slug = before
        if not slug:
            return self.own(f"auth_{digest(name)}")
        slug = self.own(slug)
        if slug in {*self.auth, *(other.name for other in self.others)}:
            return f"{slug}_{digest(name)}"
        return slug

    def clashes(self, auth: Auth) -> bool:
        """Return whether a variable of a credential is one of another credential or of the
        settings; never for mutual TLS.
        """
        if auth.kind == "mutual_tls":
            return False
        in_use = {f"{self.prefix}_{name}" for name in VARIABLES}
        for other in (*self.others, *self.auth.values()):
            in_use.update(self.all_variables(other))
        return not in_use.isdisjoint(self.all_variables(auth))

    def all_variables(self, auth: Auth) -> list[str]:
        """Return the variables of a credential, those for what writes and for a login included."""
        writing = [write_variable(self.prefix, variable) for variable in auth.variables]
        if auth.login is None:
            return [*auth.variables, *writing]
        return [*auth.variables, *writing, *auth.login.variables]

    def credential(self, scheme: _Scheme) -> Auth:
        """Return the credential of a security scheme; an unsupported one is reported."""
        kind = scheme.node.get("type")
        if kind == "apiKey":
            return self.api_key(scheme)
        if str(kind) in READERS:
            auth = READERS[str(kind)](scheme)
            if auth is not None:
                return auth
        key, message = "type", f"security scheme of type `{visible(str(kind))[:40]}`"
        if kind is None:
            message = "security scheme without a type"
        elif kind == "http":
            word = visible(str(scheme.node.get("scheme")))[:40]
            key, message = "scheme", f"HTTP scheme `{word}`"
        hint = "add the credential in `auth.py` of the generated package"
        return self.unusable("E0702", scheme, key, f"{message} is not supported", hint)

    def unusable(self, code: str, scheme: _Scheme, key: str, message: str, hint: str = "") -> Auth:
        """Report a scheme that is unusable because of one of its keys; return an unsupported
        credential.
        """
        self.problems.warn(
            code, message, pointer=at_key(scheme.node, scheme.pointer, key), hint=hint
        )
        return Auth(name=scheme.slug, kind="unsupported", description=scheme.description)

    def api_key(self, scheme: _Scheme) -> Auth:
        """Return the credential of an apiKey scheme, an unsupported one, with a warning, if its
        place or name is unusable. A key in a query is noted.
        """
        place = scheme.node.get("in")
        wire_name = as_text(scheme.node.get("name")).strip()
        if place not in KEY_PLACES:
            message = "API key without a usable place"
            hint = f"one of {', '.join(f'`{each}`' for each in KEY_PLACES)}"
            return self.unusable("E0703", scheme, "in", message, hint)
        if not _is_sendable(place, wire_name):
            message = "API key without a usable name"
            return self.unusable("E0703", scheme, "name", message)
        if place == "header" and wire_name.lower() in FORBIDDEN_HEADERS - CREDENTIAL_HEADERS:
            message = f"API key in the header `{wire_name}`, which the HTTP client sets itself"
            hint = "correct `name`; an API key usually has a header of its own"
            return self.unusable("E0703", scheme, "name", message, hint)
        if place == "query":
            message = "API key in the query: it may end up in logs on the way"
            self.problems.note("E0704", message, pointer=scheme.pointer)
        return Auth(
            name=scheme.slug,
            kind="api_key",
            place=place,
            wire_name=wire_name,
            scheme="",
            variables=(scheme.variable(),),
            description=scheme.description,
        )

    def requirement(self, listed: Any, pointer: str) -> Requirement | None:
        """Return alternatives (OR) of credentials (AND); an empty alternative means optional, no
        alternative no credential. Their scopes are noted; one with an undeclared scheme is left
        out, with a warning. None without a list, and where the configuration replaces a list that
        is not empty.
        """
        if not isinstance(listed, list):
            return None
        if self.is_undeclared:
            return None if listed else ()
        alternatives: list[tuple[str, ...]] = []
        for index, entry in enumerate(listed):
            if not isinstance(entry, dict):
                continue
            # A name may be the URI of a scheme (OpenAPI 3.2 §4.30).
            names = {written: written.removeprefix(SCHEMES) for written in entry}
            undeclared = [written for written in entry if names[written] not in self.slugs]
            for written in undeclared:
                self.problems.warn(
                    "E0701",
                    f"security scheme `{names[written][:60]}` is used but not declared",
                    pointer=f"{pointer}/{index}/{escape(written)}",
                    hint="declare it under `components.securitySchemes`",
                )
            if not undeclared:
                both = dict.fromkeys(names.values())  # a name and its URI are one
                alternatives.append(tuple(map(self.slugs.__getitem__, both)))
                self.note_scopes({names[written]: entry[written] for written in entry})
        return tuple(dict.fromkeys(alternatives))

    def note_scopes(self, entry: dict[str, Any]) -> None:
        """Add the scopes of a requirement, scheme → scopes, to `scopes`."""
        for name, scopes in entry.items():
            if isinstance(scopes, list):
                needed = self.scopes.setdefault(self.slugs[name], {})
                needed |= dict.fromkeys(scope for scope in scopes if isinstance(scope, str))

    def credentials(self) -> tuple[Auth, ...]:
        """Return every credential. A login asks for the scopes that operations need, where they say
        so.
        """
        return tuple(
            with_scopes(auth, tuple(self.scopes.get(auth.name, ()))) for auth in self.auth.values()
        )

    def filling(self, place: str, wire_name: str, schemes: Collection[str]) -> str | None:
        """Return the name of the first of `schemes` that is an API key with that place and name, or
        None.
        """
        for slug in schemes:
            auth = self.auth[slug]
            if auth.kind != "api_key":
                continue
            if auth.place != place:
                continue
            if _comparable(place, auth.wire_name) == _comparable(place, wire_name):
                return auth.name
        return None

    def names_of(self, schemes: Collection[str]) -> set[str]:
        """Return the folded wire names of the API keys among `schemes`, and each one's name in the
        document if the wire name contains it: a `token` to send is no `Authorization`.
        """
        names: set[str] = set()
        for name, slug in self.slugs.items():
            if slug in schemes and self.auth[slug].kind == "api_key":
                sent = fold(self.auth[slug].wire_name)
                names |= {sent, *filter(sent.__contains__, [fold(name)])}
        return names


def _sentence(description: Any) -> str:
    """Return a text about a credential in one line of at most 160 characters."""
    return shorten(plain(description).replace("\n", " "), 160)


def _comparable(place: str, wire_name: str) -> str:
    """Return a name for comparison: a header's in lower case (RFC 9110 section 5.1)."""
    if place == "header":
        return wire_name.lower()
    return wire_name


def _is_sendable(place: str, wire_name: str) -> bool:
    if place == "query":
        return bool(wire_name)
    return bool(TOKEN.fullmatch(wire_name))


def _bearer(scheme: _Scheme, word: str = "Bearer") -> Auth:
    return Auth(
        name=scheme.slug,
        kind="bearer",
        scheme=word,
        variables=(scheme.variable("TOKEN"),),
        description=scheme.description,
    )


def _http(scheme: _Scheme) -> Auth | None:
    """Return the credential of an http scheme: basic, or a token behind the scheme's word (RFC
    7617, RFC 6750); None for a handshake (`digest`) or an invalid word.
    """
    word = scheme.node.get("scheme")
    if not isinstance(word, str):
        return _bearer(scheme)
    word = word.strip()
    lower = word.lower()
    if lower == "bearer":
        return _bearer(scheme)
    if lower == "basic":
        return Auth(
            name=scheme.slug,
            kind="basic",
            scheme="Basic",
            variables=(scheme.variable("USERNAME"), scheme.variable("PASSWORD")),
            description=scheme.description,
        )
    if lower in HANDSHAKES:
        return None
    if not TOKEN.fullmatch(word):
        return None
    return _bearer(scheme, word)


def _oauth2(scheme: _Scheme) -> Auth:
    """Return the credential of an oauth2 scheme: client credentials if that flow has a usable token
    URL, else a token; with a login where one is offered.
    """
    flow = as_object(as_object(scheme.node.get("flows")).get("clientCredentials"))
    url = absolute_url(flow.get("tokenUrl"))
    if not url:
        return _token(scheme)
    names = ("CLIENT_ID", "CLIENT_SECRET", "TOKEN")
    return Auth(
        name=scheme.slug,
        kind="client_credentials",
        variables=tuple(map(scheme.variable, names)),
        token_url=url,
        scopes=scopes_of(flow),
        description=scheme.description,
        login=_login(scheme),
    )


def _token(scheme: _Scheme) -> Auth:
    """Return a bearer token, the operator's or of a login."""
    return replace(_bearer(scheme), login=_login(scheme))


def _login(scheme: _Scheme) -> Login | None:
    return login_of(scheme.node, (scheme.variable("CLIENT_ID"), scheme.variable("CLIENT_SECRET")))


def _mutual_tls(scheme: _Scheme) -> Auth | None:
    start = "_".join(filter(None, (scheme.prefix, scheme.api.upper())))
    return Auth(
        name=scheme.slug,
        kind="mutual_tls",
        variables=(f"{start}_CLIENT_CERT", f"{start}_CLIENT_KEY"),
        description=scheme.description,
    )


READERS: dict[str, Callable[[_Scheme], Auth | None]] = {
    "http": _http,
    "mutualTLS": _mutual_tls,
    "oauth2": _oauth2,
    "openIdConnect": _token,
}
"""Type of a scheme → its reader; the reader returns None for an unsupported scheme."""


@dataclass(frozen=True, slots=True)
class Clue:
    """The credential that a document suggests: `scheme` as `--auth` takes it, and the reason in
    words. `is_argument`: it is a parameter, which the model would have to give.
    """

    scheme: str
    reason: str
    is_argument: bool = False


def find_clue(
    reader: Reader, info: dict[str, Any], operations: list[DocumentedOperation]
) -> Clue | None:
    """Return the strongest clue: a parameter that is a credential, answers 401 and 403, the text;
    None without any.
    """
    parameters = Counter(_parameters(reader, operations))
    for (place, name), count in parameters.most_common():
        words = (
            f"{count} of {len(operations)} operations take `{visible(name)[:60]}` as a parameter"
        )
        if (place, name.lower()) == ("header", "authorization"):
            return Clue("bearer", words)
        if _is_credential(place, name) and count * 2 >= len(operations):
            return Clue(f"{place}:{name}", words, is_argument=True)
    text = as_text(info.get("description"))
    scheme = "basic" if BASIC.search(text) else "bearer"
    refusing = sum(map(_refuses, operations))
    if refusing:
        return Clue(scheme, f"{refusing} of {len(operations)} operations answer 401 or 403")
    if ANY.search(text) or BASIC.search(text):
        return Clue(scheme, "its description speaks of authentication")
    return None


def credential_parameters(
    reader: Reader, operations: list[DocumentedOperation]
) -> Iterator[tuple[str, str]]:
    """Yield place and name of the parameters that are credentials by their names, and that half of
    the operations take at least, the most frequent first.
    """
    for (place, name), count in Counter(_parameters(reader, operations)).most_common():
        is_named = _is_credential(place, name) | (SESSION.get(place) == name.lower())
        if is_named and count * 2 >= len(operations):
            yield place, name


def _parameters(
    reader: Reader, operations: Iterable[DocumentedOperation]
) -> Iterator[tuple[str, str]]:
    """Yield the place and name of every parameter of every operation."""
    for operation in operations:
        for owner in (operation.path_item, operation.node):
            for entry in as_list(owner.get("parameters")):
                parameter = reader.peek(entry)
                yield str(parameter.get("in")), as_text(parameter.get("name"))


def _is_credential(place: str, name: str) -> bool:
    if place == "header" and not TOKEN.fullmatch(name):
        return False
    if place not in ("header", "query"):
        return False
    return bool(KEY_NAME.fullmatch(name.replace("-", "_")))


def _refuses(operation: DocumentedOperation) -> bool:
    """Return whether an operation documents an answer to callers without a credential or a right
    (RFC 9110 sections 15.5.2 and 15.5.4).
    """
    return not {"401", "403"}.isdisjoint(map(str, as_object(operation.node.get("responses"))))
