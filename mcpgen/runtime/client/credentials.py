"""Who is calling: which credentials a request needs, and how they are added to it, last of all.

Credentials come from the environment and go to the API's own origin (or one that the operator
trusts) and nowhere else. What they set wins over anything an argument set.
"""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus, unquote_plus, urlencode

import httpx2

from ..errors import ApiError, MissingCredential, Refused
from ..origin import origin_of
from ..results.answer import Answer
from ..secrets import Redactor, Secret
from ..settings import Credential, Settings
from .body import VALUE

Security = tuple[tuple[str, ...], ...]
Post = Callable[["Outgoing"], Awaitable[Answer[Any]]]
"""Sends a request to a token endpoint."""


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
    """The access token that was used for each OAuth credential."""

    def conceal(self, secret: str) -> str:
        """Keep a text out of results, errors and logs; returns it."""
        self.redactor.add(secret)
        return secret

    def set_header(self, name: str, value: str) -> None:
        """Set a header in place of any of that name, in whatever case it was written."""
        for other in [key for key in self.headers if key.lower() == name.lower()]:
            del self.headers[other]
        self.headers[name] = value

    def set_query(self, name: str, value: str) -> None:
        """Set a query parameter in place of any of that name."""
        path, _, query = self.url.raw_path.decode("ascii").partition("?")
        kept = [
            pair
            for pair in query.split("&")
            if pair and unquote_plus(pair.partition("=")[0]) != name
        ]
        pairs = "&".join([*kept, f"{quote(name, safe='')}={quote(value, safe='')}"])
        self.url = self.url.copy_with(raw_path=f"{path}?{pairs}".encode("ascii"))


class Credentials:
    """The configured credentials of one API."""

    def __init__(self, settings: Settings, provided: frozenset[str] = frozenset()) -> None:
        self._settings = settings
        self._provided = provided
        self._tokens = {
            name: Token(credential, settings)
            for name, credential in settings.credentials.items()
            if credential.kind == "client_credentials"
        }

    def select(self, security: Security | None) -> tuple[Credential, ...]:
        """The credentials of the first alternative for which everything is set (OpenAPI 3.1 section
        4.8.30).

        An empty alternative means that the API may be called without; it counts when no other is
        complete. Raises MissingCredential naming the variables of every alternative.
        """
        alternatives = self._settings.security if security is None else security
        for names in alternatives:
            if names and all(self._has(name) for name in names):
                found = (self._settings.credentials.get(name) for name in names)
                return tuple(one for one in found if one is not None and one.present)
        if not alternatives or () in alternatives:
            return ()
        raise self._missing(alternatives)

    async def add(self, chosen: tuple[Credential, ...], request: Outgoing, post: Post) -> None:
        """Add the chosen credentials to a request."""
        for credential in chosen:
            if credential.kind == "api_key":
                _place(request, credential)
            elif credential.kind == "basic":
                request.set_header("Authorization", f"Basic {request.conceal(_basic(credential))}")
            elif credential.kind == "bearer":
                request.set_header(
                    "Authorization", f"{credential.scheme or 'Bearer'} {_bare(credential, 0)}"
                )
            elif credential.kind == "client_credentials":
                if credential.ready_token:
                    request.set_header("Authorization", f"Bearer {_bare(credential, 2)}")
                    continue
                token = await self._tokens[credential.name].get(post)
                request.tokens[credential.name] = token
                request.set_header("Authorization", f"Bearer {token.reveal()}")

    def renew(self, used: dict[str, Secret]) -> bool:
        """Forget the access tokens that the API refused; whether there was one, so that trying
        again makes sense.
        """
        for name, token in used.items():
            self._tokens[name].forget(token)
        return bool(used)

    def variables(self, security: Security | None) -> tuple[str, ...]:
        """The environment variables of every alternative, once each."""
        alternatives = self._settings.security if security is None else security
        known = self._settings.credentials
        found = (known[name].variables for names in alternatives for name in names if name in known)
        return tuple(dict.fromkeys(variable for variables in found for variable in variables))

    def _has(self, name: str) -> bool:
        credential = self._settings.credentials.get(name)
        return name in self._provided or (credential is not None and credential.present)

    def _missing(self, alternatives: Security) -> MissingCredential:
        ways = []
        for names in alternatives:
            known = [
                self._settings.credentials.get(name) for name in names if name not in self._provided
            ]
            needed = [
                variable
                for credential in known
                if credential is not None and not credential.present
                for variable, value in zip(credential.variables, credential.values, strict=True)
                if not value
                and not (credential.kind == "client_credentials" and variable.endswith("_TOKEN"))
            ]
            if needed and all(one is not None and one.kind != "unsupported" for one in known):
                ways.append(" and ".join(f"`{variable}`" for variable in needed))
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


class Token:
    """The access token of one OAuth 2 client (RFC 6749 sec. 4.4): fetched when needed, kept,
    renewed before it expires.

    Many calls at once make one request for a token.
    """

    def __init__(self, credential: Credential, settings: Settings) -> None:
        self._credential, self._settings = credential, settings
        self._lock = asyncio.Lock()
        self._token: Secret | None = None
        self._until = 0.0

    async def get(self, post: Post) -> Secret:
        """The token, valid for a while. Raises TokenRefused."""
        if self._token is None or time.monotonic() >= self._until:
            async with self._lock:
                if self._token is None or time.monotonic() >= self._until:
                    await self._fetch(post)
        assert self._token is not None
        return self._token

    def forget(self, token: Secret) -> None:
        """Fetch anew next time, unless that has happened already."""
        if self._token == token:
            self._token = None

    async def _fetch(self, post: Post) -> None:
        url = self._url()
        answer = await post(self._request(url, in_body=False))
        if answer.status in (400, 401):
            # RFC 6749 section 2.3.1: some servers take the client's credentials in the body only
            answer = await post(self._request(url, in_body=True))
        seconds = self._keep(answer)
        if seconds is None:
            refused = TokenRefused(
                f"the token endpoint answered {answer.status}{_code(answer)} and gave no access"
                " token; the operator of this server has to check"
                f" {' and '.join(f'`{name}`' for name in self._credential.variables[:2])}"
            )
            refused.variables = self._credential.variables
            raise refused
        self._until = time.monotonic() + max(seconds - min(60.0, seconds * 0.1), 0.0)

    def _request(self, url: httpx2.URL, *, in_body: bool) -> Outgoing:
        """The request for a token, with the client's credentials in the header or in the body (RFC
        6749 sec. 4.4.2).
        """
        client, secret = (value.reveal() if value else "" for value in self._credential.values[:2])
        form = {"grant_type": "client_credentials"}
        if self._credential.scopes:
            form["scope"] = " ".join(self._credential.scopes)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }
        redactor = self._settings.redactor
        if in_body:
            form |= {"client_id": client, "client_secret": secret}
        else:
            basic = base64.b64encode(f"{quote_plus(client)}:{quote_plus(secret)}".encode()).decode()
            redactor.add(basic)
            headers["Authorization"] = f"Basic {basic}"
        return Outgoing("POST", url, headers, {}, urlencode(form).encode(), redactor)

    def _keep(self, answer: Answer[Any]) -> float | None:
        """Keep the token of an answer; the seconds it lives, or None when there is none (RFC 6749
        section 5.1).
        """
        found = answer.data if isinstance(answer.data, dict) and answer.status == 200 else {}
        token, seconds = found.get("access_token"), found.get("expires_in")
        if not isinstance(token, str) or not VALUE.fullmatch(token):
            return None
        self._settings.redactor.add(token)
        self._token = Secret(token)
        if isinstance(seconds, str) and seconds.isascii() and seconds.isdigit():
            seconds = int(seconds[:9])
        return (
            float(seconds) if isinstance(seconds, int | float) and 0 < seconds < 10**9 else 3600.0
        )

    def _url(self) -> httpx2.URL:
        """The token endpoint, if it is one that the client's secret may be sent to."""
        given = self._credential.token_url or ""
        allow = self._settings.variable("ALLOW_ORIGINS")
        try:
            origin = origin_of(given)
        except ValueError:
            raise Refused(
                f"no token endpoint is known: set `{self._settings.variable('TOKEN_URL')}`"
            ) from None
        if origin != self._settings.origin and origin not in self._settings.trusted_origins:
            raise Refused(
                f"access tokens come from {origin}, which is not the API's own origin: set"
                f" `{allow}={origin}`"
            )
        if origin.scheme != "https" and not origin.loopback:
            raise Refused(
                "access tokens come from a URL that is not https, so the client's secret is not"
                " sent there"
            )
        return httpx2.URL(given)


def _code(answer: Answer[Any]) -> str:
    """The error code of a token endpoint (RFC 6749 section 5.2), if it is one."""
    code = answer.data.get("error") if isinstance(answer.data, dict) else None
    return f" (`{code}`)" if isinstance(code, str) and re.fullmatch(r"[a-z_]{1,40}", code) else ""


def _reveal(credential: Credential, index: int) -> str:
    value = credential.values[index]
    return value.reveal() if value is not None else ""


def _place(request: Outgoing, credential: Credential) -> None:
    if credential.place == "query":
        request.set_query(credential.wire_name, _reveal(credential, 0))
    elif credential.place == "cookie":
        request.cookies[credential.wire_name] = _reveal(credential, 0)
    else:
        request.set_header(credential.wire_name, _reveal(credential, 0))


def _basic(credential: Credential) -> str:
    """User name and password as RFC 7617 joins them."""
    return base64.b64encode(f"{_reveal(credential, 0)}:{_reveal(credential, 1)}".encode()).decode()


def _bare(credential: Credential, index: int) -> str:
    """A token without the scheme word that people paste in front of it."""
    token = _reveal(credential, index)
    word, space, rest = token.partition(" ")
    return (
        rest.strip() if space and word.lower() == (credential.scheme or "Bearer").lower() else token
    )
