"""Select an operation's credentials and add them to the request after everything else.

Credentials come from the environment. They go to the API's own origin, or to one that the operator
trusts, and never elsewhere. They replace whatever an argument set in their place.
"""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, unquote_plus, urlencode

import httpx2

from ..caller import Caller
from ..errors import ApiError, MissingCredential, Refused
from ..origin import origin_of
from ..results.answer import Answer
from ..secrets import Redactor, Secret, own_token
from ..settings import Credential, Settings
from .body import VALUE

if TYPE_CHECKING:
    from .on_behalf import Exchange

Security = tuple[tuple[str, ...], ...]
Post = Callable[["Outgoing"], Awaitable[Answer[Any]]]
"""Sends a request to a token endpoint."""


BEARERS = ("bearer", "client_credentials")
"""The kinds of credentials that a token on behalf of the caller takes the place of."""
ON_BEHALF = "on behalf of the caller"
"""Stands for a variable in `Outgoing.tokens`."""


class TokenRefused(ApiError):
    """The token endpoint gave no token."""


@dataclass(slots=True, repr=False)
class Outgoing:
    """A request on its way out, as `auth.authorize` sees it."""

    method: str
    url: httpx2.URL
    headers: dict[str, str]
    cookies: dict[str, str]
    content: bytes | None
    redactor: Redactor
    tokens: dict[str, Secret] = field(default_factory=dict)
    """The access token that was used for each OAuth credential, by its first variable."""
    caller: Caller | None = None
    """Who makes the call, for a server that tells its callers apart."""

    def conceal(self, secret: str) -> str:
        """Mask a text in results, errors and logs from now on; returns the text."""
        self.redactor.add(secret)
        return secret

    def set_header(self, name: str, value: str) -> None:
        """Set a header, replacing any of that name, whatever its case."""
        for other in [key for key in self.headers if key.lower() == name.lower()]:
            del self.headers[other]
        self.headers[name] = value

    def set_query(self, name: str, value: str) -> None:
        """Set a query parameter, replacing any of that name."""
        path, _, query = self.url.raw_path.decode("ascii").partition("?")
        pairs = [pair for pair in query.split("&") if pair and _name_of(pair) != name]
        pairs.append(f"{quote(name, safe='')}={quote(value, safe='')}")
        self.url = self.url.copy_with(raw_path=f"{path}?{'&'.join(pairs)}".encode("ascii"))


def _name_of(pair: str) -> str:
    return unquote_plus(pair.partition("=")[0])


class Credentials:
    """The configured credentials of one API."""

    def __init__(self, settings: Settings, provided: frozenset[str] = frozenset()) -> None:
        self._settings = settings
        self._provided = provided
        self._tokens: dict[str, Token] = {}
        """By the first variable of the credential."""
        for credential in settings.credentials.values():
            for one in (credential, credential.for_writing):
                if one is not None and one.kind == "client_credentials":
                    self._tokens[one.variables[0]] = Token(one, settings)
        self._exchange: Exchange | None = None
        if settings.exchange_url:
            from .on_behalf import Exchange

            self._exchange = Exchange(settings)

    def select(self, security: Security | None, *, writes: bool = False) -> tuple[Credential, ...]:
        """The credentials of the first alternative that is complete (OpenAPI 3.1 section 4.8.30).

        For a request that `writes` the operator may have set others. An empty alternative means
        that the API may be called without credentials; it is chosen when no other is complete.
        Raises MissingCredential naming the variables of every alternative.
        """
        alternatives = self._alternatives(security)
        for names in alternatives:
            if names and all(self._has(name, writes) for name in names):
                return tuple(self._present(names, writes))
        if not alternatives or () in alternatives:
            return ()
        raise self._missing(alternatives)

    async def add(self, credentials: tuple[Credential, ...], request: Outgoing, post: Post) -> None:
        """Add the selected credentials to a request."""
        for credential in credentials:
            if self._exchange is not None and credential.kind in BEARERS:
                own = await self._exchange.token(request.caller, post)
                request.tokens[ON_BEHALF] = own
                own_token.set(own)
                request.set_header("Authorization", f"Bearer {own.reveal()}")
            elif credential.kind == "api_key":
                _add_api_key(request, credential)
            elif credential.kind == "basic":
                request.set_header("Authorization", f"Basic {request.conceal(_basic(credential))}")
            elif credential.kind == "bearer":
                scheme = credential.scheme or "Bearer"
                request.set_header("Authorization", f"{scheme} {_bare_token(credential, 0)}")
            elif credential.kind == "client_credentials":
                token = await self._access_token(credential, request, post)
                request.set_header("Authorization", f"Bearer {token}")

    async def _access_token(self, credential: Credential, request: Outgoing, post: Post) -> str:
        """The operator's own access token, or one from the token endpoint."""
        if credential.ready_token:
            return _bare_token(credential, 2)
        token = await self._tokens[credential.variables[0]].get(post)
        request.tokens[credential.variables[0]] = token
        return token.reveal()

    def renew(self, refused: dict[str, Secret]) -> bool:
        """Forget access tokens that the API refused. Returns whether there were any, so that trying
        again makes sense.
        """
        for variable, token in refused.items():
            if self._exchange is not None and variable == ON_BEHALF:
                self._exchange.forget(token)
            else:
                self._tokens[variable].forget(token)
        return bool(refused)

    def variables(self, security: Security | None, *, writes: bool = False) -> tuple[str, ...]:
        """The environment variables of every alternative, once each."""
        variables: dict[str, None] = {}
        for names in self._alternatives(security):
            for name in names:
                credential = self._credential(name, writes)
                if credential is not None:
                    variables |= dict.fromkeys(credential.variables)
        return tuple(variables)

    def _alternatives(self, security: Security | None) -> Security:
        """An operation's alternatives; without its own, those of the whole API."""
        if security is None:
            return self._settings.security
        return security

    def _credential(self, name: str, writes: bool) -> Credential | None:
        """The credential of that name, for a request that writes the one the operator set for
        that.
        """
        credential = self._settings.credentials.get(name)
        if credential is None or not writes:
            return credential
        return credential.for_writing or credential

    def _has(self, name: str, writes: bool) -> bool:
        return name in self._provided or any(self._present((name,), writes))

    def _present(self, names: tuple[str, ...], writes: bool) -> Iterator[Credential]:
        """The credentials that are set; `auth.py` may provide the others."""
        for name in names:
            credential = self._credential(name, writes)
            if credential is not None and self._is_present(credential):
                yield credential

    def _is_present(self, credential: Credential) -> bool:
        """Whether the credential is set, or made for each caller."""
        if self._exchange is not None and credential.kind in BEARERS:
            return True
        return credential.present

    def _missing(self, alternatives: Security) -> MissingCredential:
        unset = [self._unset_variables(names) for names in alternatives]
        ways = [" and ".join(f"`{name}`" for name in variables) for variables in unset if variables]
        if not ways:
            return MissingCredential(
                "nothing was sent: the operation needs a kind of credential that this server cannot"
                " make by itself (its owner can add it in `auth.py`)"
            )
        return MissingCredential(
            "nothing was sent: the operation needs a credential, and the environment variable"
            f" {', or '.join(ways)} is not set; only the operator of this server can set it",
            self.variables(alternatives),
        )

    def _unset_variables(self, names: tuple[str, ...]) -> list[str]:
        """The variables that complete an alternative when they are set; none if they cannot."""
        variables: list[str] = []
        for name in names:
            if name in self._provided:
                continue
            credential = self._settings.credentials.get(name)
            if credential is None or credential.kind == "unsupported":
                return []
            if not credential.present:
                variables += _variables_without_value(credential)
        return variables


@dataclass(frozen=True, slots=True)
class Client:
    """A client of a token endpoint. `variables` are those of its id and secret."""

    url: httpx2.URL
    id: str
    secret: Secret
    variables: tuple[str, ...]
    redactor: Redactor


async def fetch_token(client: Client, form: Mapping[str, str], post: Post) -> tuple[str, float]:
    """An access token and the seconds it lives. Raises TokenRefused.

    `form` is what the grant needs.
    """
    answer = await post(_token_request(client, form, in_body=False))
    if answer.status in (400, 401):
        # RFC 6749 section 2.3.1: some servers take the client's credentials in the body only
        answer = await post(_token_request(client, form, in_body=True))
    grant = _grant(answer)
    if grant is None:
        names = " and ".join(f"`{name}`" for name in client.variables[:2])
        refused = TokenRefused(
            f"the token endpoint answered {answer.status}{_error_code(answer)} and gave no"
            f" access token; the operator of this server has to check {names}"
        )
        refused.variables = client.variables
        raise refused
    return grant


def _token_request(client: Client, form: Mapping[str, str], *, in_body: bool) -> Outgoing:
    """The request for a token, with the client's credentials in the header or in the body (RFC 6749
    section 4.4.2).
    """
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    fields = dict(form)
    secret = client.secret.reveal()
    if in_body:
        fields |= {"client_id": client.id, "client_secret": secret}
    else:
        pair = f"{quote_plus(client.id)}:{quote_plus(secret)}"
        basic = base64.b64encode(pair.encode()).decode()
        client.redactor.add(basic)
        headers["Authorization"] = f"Basic {basic}"
    content = urlencode(fields).encode()
    return Outgoing("POST", client.url, headers, {}, content, client.redactor)


class Token:
    """The access token of one OAuth 2 client (RFC 6749 section 4.4).

    It is fetched when needed, kept, and renewed before it expires. Concurrent calls share one
    request for it.
    """

    def __init__(self, credential: Credential, settings: Settings) -> None:
        self._credential, self._settings = credential, settings
        self._lock = asyncio.Lock()
        self._token: Secret | None = None
        self._until = 0.0

    async def get(self, post: Post) -> Secret:
        """The token, valid for a while. Raises TokenRefused."""
        if self._is_due():
            async with self._lock:
                if self._is_due():
                    await self._fetch(post)
        assert self._token is not None
        return self._token

    def forget(self, token: Secret) -> None:
        """Fetch a new token next time, unless this one has been replaced already."""
        if self._token == token:
            self._token = None

    def _is_due(self) -> bool:
        return self._token is None or time.monotonic() >= self._until

    async def _fetch(self, post: Post) -> None:
        credential = self._credential
        client = Client(
            self._url(),
            _reveal(credential, 0),
            credential.values[1] or Secret(""),
            credential.variables,
            self._settings.redactor,
        )
        form = {"grant_type": "client_credentials"}
        if credential.scopes:
            form["scope"] = " ".join(credential.scopes)
        token, seconds = await fetch_token(client, form, post)
        self._settings.redactor.add(token)
        self._token = Secret(token)
        margin = min(60.0, seconds * 0.1)
        self._until = time.monotonic() + seconds - margin

    def _url(self) -> httpx2.URL:
        """The token endpoint, if it is one that the client's secret may be sent to."""
        url = self._credential.token_url or ""
        try:
            origin = origin_of(url)
        except ValueError:
            raise Refused(
                f"no token endpoint is known: set `{self._settings.variable('TOKEN_URL')}`"
            ) from None
        if origin != self._settings.origin and origin not in self._settings.trusted_origins:
            raise Refused(
                f"access tokens come from {origin}, which is not the API's own origin: set"
                f" `{self._settings.variable('ALLOW_ORIGINS')}={origin}`"
            )
        if origin.scheme != "https" and not origin.loopback:
            raise Refused(
                "access tokens come from a URL that is not https, so the client's secret is not"
                " sent there"
            )
        return httpx2.URL(url)


def _grant(answer: Answer[Any]) -> tuple[str, float] | None:
    """The token of an answer and the seconds it lives (RFC 6749 section 5.1), or None."""
    if answer.status != 200 or not isinstance(answer.data, dict):
        return None
    token = answer.data.get("access_token")
    if str(answer.data.get("token_type", "Bearer")).lower() != "bearer":
        return None
    if not isinstance(token, str) or not VALUE.fullmatch(token):
        return None
    return token, _lifetime(answer.data.get("expires_in"))


def _lifetime(seconds: Any) -> float:
    """`expires_in` in seconds, also when it is written as text; an hour when it is unusable."""
    if isinstance(seconds, str) and re.fullmatch("[0-9]+", seconds):
        seconds = int(seconds[:9])
    if isinstance(seconds, int | float) and 0 < seconds < 10**9:
        return float(seconds)
    return 3600.0


def _error_code(answer: Answer[Any]) -> str:
    """The error code of a token endpoint in parentheses (RFC 6749 section 5.2), if it sent one."""
    if not isinstance(answer.data, dict):
        return ""
    code = answer.data.get("error")
    if not isinstance(code, str) or not re.fullmatch(r"[a-z_]{1,40}", code):
        return ""
    return f" (`{code}`)"


def _variables_without_value(credential: Credential) -> list[str]:
    """The variables to set for a credential. A ready access token is optional, so not among
    them.
    """
    variables = []
    for variable, value in zip(credential.variables, credential.values, strict=True):
        optional = credential.kind == "client_credentials" and variable.endswith("_TOKEN")
        if not value and not optional:
            variables.append(variable)
    return variables


def _reveal(credential: Credential, index: int) -> str:
    value = credential.values[index]
    if value is None:
        return ""
    return value.reveal()


def _add_api_key(request: Outgoing, credential: Credential) -> None:
    key = _reveal(credential, 0)
    if credential.place == "query":
        request.set_query(credential.wire_name, key)
    elif credential.place == "cookie":
        request.cookies[credential.wire_name] = key
    else:
        request.set_header(credential.wire_name, key)


def _basic(credential: Credential) -> str:
    """User name and password as RFC 7617 joins them."""
    return base64.b64encode(f"{_reveal(credential, 0)}:{_reveal(credential, 1)}".encode()).decode()


def _bare_token(credential: Credential, index: int) -> str:
    """A token without the scheme word that people paste in front of it."""
    token = _reveal(credential, index)
    scheme = credential.scheme or "Bearer"
    first_word, space, rest = token.partition(" ")
    if space and first_word.lower() == scheme.lower():
        return rest.strip()
    return token
