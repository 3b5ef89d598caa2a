"""Access tokens of OAuth 2: requests to a token endpoint, and what it answers (RFC 6749)."""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote_plus, urlencode

from yarl import URL

from ..facts import origin_of
from ..results.answer import Answer
from ..secrets import Caller, Redactor, Secret, masks_now
from . import ApiError, Refused
from .credentials import BEARERS, Credentials, Security, bare_token
from .request import VALUE, Outgoing, Post
from .settings import ApiSettings, Credential

ABOUT_THE_GRANT = frozenset(
    "access_denied authorization_pending expired_token invalid_grant invalid_scope"
    " slow_down".split()
)
"""Error codes of an endpoint that knows who the client is (RFC 6749 section 5.2, RFC 8628 section
3.5): the same form must not be sent again.
"""
DEFAULT_SECONDS = 3600.0
"""Lifetime of a token in seconds if the endpoint gives none."""


ON_BEHALF = "on behalf of the caller"
"""Placeholder for a variable in `Outgoing.tokens`."""


class AccessToken(Protocol):
    """Source of one access token for the API."""

    async def get(self, post: Any) -> Secret:
        """Return the access token, renewed if due. Raises ApiError."""

    def forget(self, token: Secret) -> None:
        """Note that the API refused a token: the next `get` fetches a new token."""


class LoginToken(AccessToken, Protocol):
    """Source of the access token of a person who logged in."""

    @property
    def is_there(self) -> bool:
        """Whether the tokens of a login were found."""

    async def find(self) -> None:
        """Look for the tokens of a login in their store."""


class CallerTokens(Protocol):
    """Access tokens for the API, one for each caller."""

    async def token(self, caller: Caller | None, post: Any) -> Secret:
        """Return a valid token for a caller. Raises ApiError, and Refused for None."""

    def forget(self, token: Secret) -> None:
        """Note that the API refused a token, which must not be returned again."""


class TokenCredentials(Credentials):
    """Configured credentials of one API, with access tokens: of an OAuth client, of a person who
    logged in, or on behalf of each caller.
    """

    def __init__(self, settings: ApiSettings, provided: frozenset[str]) -> None:
        super().__init__(settings, provided)
        self._tokens: dict[str, AccessToken] = {}
        """First variable of a credential -> its access token."""
        self._logins: dict[str, LoginToken] = {}
        """Name of a credential that the environment does not hold -> its login."""
        sources = [part.caller_tokens(settings) for part in settings.parts if part.caller_tokens]
        self._exchange = next(filter(None, sources), None)
        for credential in self._own.values():
            for one in (credential, credential.for_writing):
                if one is not None and one.kind == "client_credentials":
                    self._tokens[one.variables[0]] = Token(one, settings)
            if credential.login is not None and not credential.present:
                self._add_login(credential)

    def _add_login(self, credential: Credential) -> None:
        """Use the tokens of a login for a credential."""
        [login_token] = [part.login_token for part in self._settings.parts if part.login_token]
        token = login_token(credential, self._settings)
        self._logins[credential.name] = token
        self._tokens[credential.variables[0]] = token

    @property
    def are_per_caller(self) -> bool:
        """Whether callers have tokens or forwarded header fields of their own."""
        return self._exchange is not None or super().are_per_caller

    async def select(self, security: Security | None, *, writes: bool) -> tuple[Credential, ...]:
        """Look for the tokens of logins, then return the credentials of the first complete
        alternative, as `Credentials.select` does. Raises MissingCredential.
        """
        for names in self._alternatives(security):
            for name in self._logins.keys() & set(names):
                await self._logins[name].find()
        return await super().select(security, writes=writes)

    async def add(self, credential: Credential, request: Outgoing, post: Post) -> None:
        """Add a credential to a request: as a bearer the caller's token on behalf of callers, else
        the set value, or a token that `post` fetches. Raises ApiError.
        """
        if credential.kind not in BEARERS:
            await super().add(credential, request, post)
        elif self._exchange is not None:
            own = await self._exchange.token(request.caller, post)
            request.tokens[ON_BEHALF] = own
            masks = masks_now.get() or Redactor()
            masks.add(own.reveal())
            masks_now.set(masks)
            request.set_header("Authorization", f"Bearer {own.reveal()}")
        elif credential.kind == "bearer" and credential.present:
            await super().add(credential, request, post)
        else:
            token = await self._access_token(credential, request, post)
            request.set_header("Authorization", f"Bearer {token}")

    async def _access_token(self, credential: Credential, request: Outgoing, post: Post) -> str:
        """Return the operator's access token, else one from the endpoint. Raises ApiError."""
        if credential.ready_token:
            return bare_token(credential, 2)
        token = await self._tokens[credential.variables[0]].get(post)
        request.tokens[credential.variables[0]] = token
        return token.reveal()

    def renew(self, refused: dict[str, Secret]) -> bool:
        """Forget the access tokens that the API refused (variable -> token). Return whether there
        were any, so that trying again makes sense.
        """
        for variable, token in refused.items():
            if self._exchange is not None and variable == ON_BEHALF:
                self._exchange.forget(token)
            else:
                self._tokens[variable].forget(token)
        return bool(refused)

    def _is_there(self, name: str, credential: Credential | None) -> bool:
        """Return whether a credential is set, made for each caller, or of a login that exists."""
        if credential is None:
            return False
        if self._exchange is not None and credential.kind in BEARERS:
            return True
        if credential.present:
            return True
        return self._logins[name].is_there if name in self._logins else False

    def _way_to_log_in(self, alternatives: Security) -> str:
        """Return `, or log in with ...` if an alternative has a login; else an empty text."""
        if any(name in self._logins for names in alternatives for name in names):
            return f", or log in with `{self._settings.login_command}`"
        return ""


class TokenRefused(ApiError):
    """Error: the token endpoint gave no usable token."""


class Token:
    """Access token of one OAuth 2 client (RFC 6749 section 4.4), fetched when needed, kept, and
    renewed before it expires. Concurrent calls share one request for it.
    """

    def __init__(self, credential: Credential, settings: ApiSettings) -> None:
        self._credential, self._settings = credential, settings
        self._lock = asyncio.Lock()
        self._token: Secret | None = None
        self._until = 0.0

    async def get(self, post: Post) -> Secret:
        """Return the token, fetched with `post` if there is none or it is due. Raises ApiError."""
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
        client = OAuthClient(*(_reveal(value) for value in self._credential.values[:2]))
        form = {"grant_type": "client_credentials"}
        if self._credential.scopes:
            form["scope"] = " ".join(self._credential.scopes)
        answer = await ask(post, self._url(), form, client, self._settings.redactor)
        grant = grant_of(answer)
        if grant is None:
            reason = (
                f"the token endpoint answered {answer.status}{error_text(answer)} and gave no"
                " access token"
            )
            if not is_passing(answer):
                names = " and ".join(f"`{name}`" for name in self._credential.variables[:2])
                reason += f"; the operator of this server has to check {names}"
            refused = TokenRefused(reason)
            refused.variables = self._credential.variables
            raise refused
        self._settings.redactor.add(grant.access_token)
        self._token = Secret(grant.access_token)
        self._until = time.monotonic() + grant.used_seconds

    def _url(self) -> URL:
        """Return the token endpoint. Raises Refused if it is unknown, not trusted, or not https."""
        url = self._credential.token_url or ""
        try:
            origin = origin_of(url)
        except ValueError:
            raise Refused(
                f"no token endpoint is known: set `{self._settings.variable('TOKEN_URL')}`"
            ) from None
        if not self._settings.trusts(origin):
            raise Refused(
                f"access tokens come from {origin}, which is not the API's own origin: set"
                f" `{self._settings.variable('ALLOW_ORIGINS')}={origin}`"
            )
        if origin.is_open:
            raise Refused(
                "access tokens come from a URL that is not https, so the client's secret is not"
                " sent there"
            )
        return URL(url)


@dataclass(frozen=True, slots=True, repr=False)
class OAuthClient:
    """An OAuth client; one without a secret is public (RFC 6749 section 2.1)."""

    id: str
    secret: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class TokenResponse:
    """Tokens from a token endpoint (RFC 6749 section 5.1). `refresh_token` is empty, and `seconds`
    (the lifetime of the access token) None, if the endpoint gives none.
    """

    access_token: str
    refresh_token: str
    seconds: float | None

    @property
    def used_seconds(self) -> float:
        """Seconds until the access token is renewed: its lifetime less a tenth (at most 60 s)."""
        seconds = DEFAULT_SECONDS if self.seconds is None else self.seconds
        return seconds - min(60.0, seconds * 0.1)


async def ask(
    post: Post, url: URL, form: Mapping[str, str], client: OAuthClient, redactor: Redactor
) -> Answer[Any]:
    """Post a form to a token endpoint and return the answer, of any status. The client
    authenticates by Basic and, if that is refused, again in the body; without a secret its id is in
    the body (RFC 6749 section 2.3.1). Raises ApiError.
    """
    if not client.secret:
        return await post(_request(url, {**form, "client_id": client.id}, redactor))
    request = _request(url, form, redactor)
    pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}"
    basic = base64.b64encode(pair.encode()).decode()
    redactor.add(basic)
    request.headers["Authorization"] = f"Basic {basic}"
    answer = await post(request)
    if answer.status not in (400, 401) or error_of(answer) in ABOUT_THE_GRANT:
        return answer
    # Some servers take the client's credentials in the body only
    in_body = {**form, "client_id": client.id, "client_secret": client.secret}
    return await post(_request(url, in_body, redactor))


def _request(url: URL, form: Mapping[str, str], redactor: Redactor) -> Outgoing:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    return Outgoing("POST", url, headers, {}, urlencode(form).encode(), redactor)


def grant_of(answer: Answer[Any]) -> TokenResponse | None:
    """Return the tokens of an answer; None unless it has status 200 and an access token that a
    header field can hold. `token_type` is not read.
    """
    if answer.status != 200:
        return None
    if not isinstance(answer.data, dict):
        return None
    token = answer.data.get("access_token")
    if not isinstance(token, str) or not VALUE.fullmatch(token):
        return None
    refresh_token = answer.data.get("refresh_token")
    if not isinstance(refresh_token, str):
        refresh_token = ""
    return TokenResponse(token, refresh_token, lifetime(answer.data.get("expires_in")))


def lifetime(seconds: Any) -> float | None:
    """Return `expires_in` in seconds, also from a text (`"3600"`): 0 for a negative number, None
    for an absent or unusable value.
    """
    if isinstance(seconds, str) and re.fullmatch("-?[0-9]+", seconds):
        seconds = int(seconds[:12])
    if isinstance(seconds, int | float) and seconds < 10**9:
        return max(0.0, float(seconds))
    return None


def error_of(answer: Answer[Any]) -> str:
    """Return the error code of a token endpoint (RFC 6749 section 5.2); empty without a code."""
    code = answer.data.get("error") if isinstance(answer.data, dict) else None
    return code if isinstance(code, str) and re.fullmatch(r"[a-z_]{1,40}", code) else ""


def is_passing(answer: Answer[Any]) -> bool:
    """Return whether a later attempt may succeed: status 429 or 5xx."""
    return answer.status in (429, *range(500, 600))


def error_text(answer: Answer[Any]) -> str:
    """Return a space and the error code in parentheses; an empty text without a code."""
    code = error_of(answer)
    return f" (`{code}`)" if code else ""


def _reveal(value: Secret | None) -> str:
    return "" if value is None else value.reveal()
