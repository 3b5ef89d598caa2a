"""Check access tokens of OAuth authorization servers, by the keys that these publish.

This server is an OAuth 2.1 resource server (RFC 9728): tokens are checked and never issued,
forwarded or stored.
"""

from __future__ import annotations

import asyncio
import json
import math
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...log import event
from ...record import figures
from ...secrets import Caller, Secret
from ...transports.guard import METADATA

if TYPE_CHECKING:
    import httpx2

ALGORITHMS = tuple("RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split())
"""Signatures only: with a shared secret or `none` anyone who knows the public key could sign."""

MAX_TOKEN = 32_768
"""Characters of a token; Microsoft Entra writes up to 200 groups into one, which are 11,000."""
MOST_TOKENS = 10_000
"""Good tokens that are remembered."""
MAX_ANSWER_BYTES = 256 * 1024
KEYS_SECONDS = 600.0
FIRST_RETRY_SECONDS = 1.0
"""Seconds after the first fetch of keys that fails; twice as many after each further one."""
RETRY_SECONDS = 30.0
FETCH_SECONDS = 5.0
LEEWAY_SECONDS = 30
_TYPES = ("at+jwt", "application/at+jwt")
_UNTYPED = ("", "jwt", "application/jwt")
_CLIENT_CLAIMS = ("client_id", "azp", "cid", "appid")
_ID_CLAIMS = ("nonce", "at_hash", "c_hash", "s_hash")
_KINDS = {
    "token_type": ("bearer", "access_token"),
    "token_use": ("access_token", "access"),
    "typ": ("bearer", "at+jwt"),
}
"""Claims that distinguish access tokens from other tokens."""
CLIENT_ID = "client_id="
"""Prefix of an audience for tokens without `aud`, as Amazon Cognito issues them to the client of
that id.
"""


@dataclass(frozen=True, slots=True)
class Grant:
    """Result of a token's check: the scopes granted, and the caller that the token was issued
    to.
    """

    scopes: frozenset[str]
    caller: Caller


class Unavailable(Exception):
    """Raised if a token cannot be checked now; `seconds` (whole, 1 or more) to the next attempt."""

    def __init__(self, seconds: float) -> None:
        super().__init__("the authorization server cannot be reached")
        self.seconds = max(1, math.ceil(seconds))


class InsecureURL(ValueError):
    """URL that is neither `https` nor on this machine; `variable` is the setting with the URL."""

    def __init__(self, variable: str, url: str) -> None:
        super().__init__(f"`{url}` must be an https URL")
        self.variable = variable


class BadToken(Exception):
    """Refusal of a token. `fields` for the log: the reason (`fault`), unverified `claimed_...`."""

    def __init__(self, reason: str, **claimed: Any) -> None:
        super().__init__(reason)
        texts = {f"claimed_{name}": str(value)[:200] for name, value in claimed.items() if value}
        self.fields = {"fault": reason, **texts}


class ProtectedResource:
    """Base of the checks of tokens, with what clients are told of this server (RFC 9728)."""

    def __init__(
        self,
        issuers: Iterable[str],
        *,
        audiences: Sequence[str],
        resource: str,
        scopes: frozenset[str],
        offered: Iterable[str],
        ca_file: Path | None,
        authorization_servers: Sequence[str] = (),
    ) -> None:
        """Configure the checks. Raises InsecureURL for `resource` and the URLs told to clients.

        * `issuers`: values of `iss` in tokens, any text.
        * `authorization_servers`: URLs told to clients (RFC 9728), by default the issuers.
        * `resource`: this server's URL.
        * `audiences`: accepted values of `aud`; `client_id=ID` for a token without `aud`.
        * `scopes`: needed for every request.
        * `offered`: scopes, in tokens = for clients: `books:write`, `read=api://app/read`.
        * `ca_file`: trusted certificates, instead of the system's.
        """
        self.issuers = list(issuers)
        self._servers = list(authorization_servers or self.issuers)
        for url in self._servers:
            check_url("HTTP_AUTHORIZATION_SERVERS", url)
        check_url("HTTP_RESOURCE", resource)
        self.audiences = audiences
        self.ca_file = ca_file
        self._resource = resource
        self.scopes = scopes
        pairs = (item.partition("=") for item in offered)
        self.offered: Mapping[str, str] = {found: name or found for found, _, name in pairs}
        where = urlsplit(resource)
        self.metadata_path = METADATA + where.path.rstrip("/")
        self.challenge = f'resource_metadata="{where.scheme}://{where.netloc}{self.metadata_path}"'

    async def grant(self, token: str) -> Grant:
        """Return the scopes and the caller of a token. Raises BadToken and Unavailable."""
        raise NotImplementedError

    async def is_ready(self) -> bool:
        """Return whether a token can be checked, or could once."""
        raise NotImplementedError

    def metadata(self) -> dict[str, Any]:
        """Return the metadata for clients (RFC 9728, section 2), among it the scopes if any."""
        known: dict[str, Any] = {
            "resource": self._resource,
            "authorization_servers": self._servers,
            "bearer_methods_supported": ["header"],
        }
        names = {self.offered.get(scope, scope) for scope in self.scopes | self.offered.keys()}
        return {**known, "scopes_supported": sorted(names)} if names else known


class Issuer(ProtectedResource):
    """Check of JWTs (RFC 9068) for an audience by the keys that their issuers publish.

    Many servers do not give their access tokens the type `at+jwt` yet. A token without a type of
    its own is accepted if it says its scope and nothing that only an ID token says.
    """

    def __init__(self, keys_urls: Mapping[str, str], **about: Any) -> None:
        """`keys_urls` maps each issuer to the URL of its keys."""
        super().__init__(keys_urls, **about)
        self._keys = {issuer: Keys(url, self.ca_file) for issuer, url in keys_urls.items()}
        self._good: dict[bytes, tuple[Any, str | None, Grant]] = {}
        """Hash of a token -> the key of its check, the key's id, and the permissions."""
        figures["keys_age_seconds"] = lambda: (
            max(keys.age for keys in self._keys.values()),
            2 * KEYS_SECONDS,
        )

    async def grant(self, token: str) -> Grant:
        """Return the scopes and the caller of a token that is signed, current and meant for this
        server; the scopes may not suffice. Raises BadToken for any other, and Unavailable while the
        keys cannot be fetched.
        """
        digest = sha256(token.encode("utf-8", "replace")).digest()
        if digest in self._good:
            checked, kid, grant = self._good.pop(digest)
            # A set of keys that was fetched anew has other objects
            if time.time() < grant.caller.expires:
                key, _ = await self._keys[grant.caller.issuer].find(kid)
                if key is checked:
                    self._good[digest] = (checked, kid, grant)
                    return grant
        key, kid, grant = await self._checked(token)
        self._good[digest] = (key, kid, grant)
        if len(self._good) > MOST_TOKENS:
            del self._good[next(iter(self._good))]
        return grant

    def has_issued(self, token: str) -> bool:
        """Return whether a token claims one of the issuers; the claim is unverified."""
        import jwt

        try:
            claims = jwt.decode(token, options={"verify_signature": False})
            return claims.get("iss") in self._keys
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            return False

    async def is_ready(self) -> bool:
        """Return whether the keys of any issuer have been fetched, now or before."""
        return any([await keys.are_there() for keys in self._keys.values()])

    async def _checked(self, token: str) -> tuple[Any, str | None, Grant]:
        """Check a token; return its key, the key's id (None if absent), scopes and caller. Raises
        Unavailable, and BadToken for an unknown issuer or key, a bad signature or claims.
        """
        import jwt

        header: dict[str, Any] = {}
        claims: dict[str, Any] = {}
        try:
            header = jwt.get_unverified_header(token)
            claims = jwt.decode(token, options={"verify_signature": False})
            issuer = claims.get("iss")
            if not isinstance(issuer, str) or issuer not in self._keys:
                raise NotAnAccessToken("its issuer is not trusted here")
            # Keys come from the issuer alone, whatever `jku`, `jwk` or `x5u` a token proposes
            key, declared = await self._keys[issuer].find(header.get("kid"))
            if (
                key is None
                or header.get("alg") not in ALGORITHMS
                or declared not in (None, header["alg"])
            ):
                raise NotAnAccessToken("its issuer has no such key")
            claims = jwt.decode(
                token,
                key,
                algorithms=[header["alg"]],
                issuer=issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss"], "verify_aud": False},
            )
            check_audience(claims, self.audiences)
            check_type(header, claims)
            scopes = scopes_of(claims)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            raise bad_token(error, claims, header.get("kid")) from error
        kid = header.get("kid")
        return key, kid, Grant(scopes, caller_of(claims, issuer, token, kid))


class NotAnAccessToken(ValueError):
    """Raised for a token of unknown issuer or key, wrong or no audience, or no access token."""


def bad_token(error: Exception, claims: dict[str, Any], key: Any = None) -> BadToken:
    """Return the refusal for an error: reason, unverified claims and the key's id for the log."""
    reason = type(error).__name__
    if isinstance(error, NotAnAccessToken):
        reason = str(error)
    elif hasattr(error, "claim"):
        reason = f"it has no `{error.claim}`"
    return BadToken(
        reason,
        issuer=claims.get("iss"),
        audience=claims.get("aud"),
        subject=claims.get("sub"),
        client=_client_of(claims),
        key=key,
    )


class Keys:
    """Public keys of an authorization server (RFC 7517): fetched when needed, anew after 10
    minutes, used for 20 at most. Requests are 30 seconds apart, less after a failure.
    """

    def __init__(self, url: str, ca_file: Path | None = None) -> None:
        check_url("HTTP_JWKS_URL", url)
        self._url = url
        self._ca_file = ca_file
        self._keys: dict[str | None, tuple[Any, str | None]] = {}
        self._fetched = self._tried = float("-inf")
        self._pause = FIRST_RETRY_SECONDS / 2
        self._fetching: asyncio.Task[None] | None = None

    @property
    def age(self) -> float:
        """Seconds since the keys were fetched; infinite before."""
        return time.monotonic() - self._fetched

    async def find(self, kid: str | None) -> tuple[Any, str | None]:
        """Return the key of an id and the algorithm of the key, None if not named; (None, None) for
        an id that the authorization server does not publish. Raises Unavailable when it did not
        answer.

        An unknown id asks the server again, but at most every half minute, and only callers with
        such an id wait for the answer.
        """
        now = time.monotonic()
        is_known = self._named(kid) is not None and self.age <= 2 * KEYS_SECONDS
        is_stale = not is_known or self.age > KEYS_SECONDS
        if is_stale and now - self._tried > self._pause:
            self._tried = now
            self._fetching = asyncio.create_task(self._fetch())
        if is_known:
            return self._named(kid) or (None, None)
        if self._fetching is not None:
            # Whoever leaves must not take the answer from those who wait for it as well
            await asyncio.shield(self._fetching)
        if self._fetched < self._tried:
            raise Unavailable(self._pause - (time.monotonic() - self._tried))
        return self._named(kid) or (None, None)

    async def are_there(self) -> bool:
        """Return whether keys were ever fetched; fetch them now if they were not."""
        if self._fetched < 0:
            with suppress(Unavailable):
                await self.find(None)
        return self._fetched >= 0

    def _named(self, kid: str | None) -> tuple[Any, str | None] | None:
        """Return the key of an id and its algorithm; for None, the only key there is (RFC 7515,
        section 4.1.4). None without such a key.
        """
        if kid is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(kid)

    async def _fetch(self) -> None:
        try:
            async with client_of(self._ca_file) as client:
                keys = await read_json(client, "GET", self._url)
            self._keys = _signing_keys(keys["keys"])
            self._fetched = time.monotonic()
            self._pause = RETRY_SECONDS
        except (Unread, OSError, KeyError, TypeError, AttributeError) as error:
            self._pause = min(2 * self._pause, RETRY_SECONDS)
            reason = str(error) if isinstance(error, Unread) else type(error).__name__
            event("error", "keys_not_fetched", reason=reason)


class Unread(Exception):
    """Raised if the authorization server gave no JSON; the text says why."""


def client_of(ca_file: Path | None) -> httpx2.AsyncClient:
    """Return a client for the authorization server, without redirects and without proxies."""
    import httpx2

    return httpx2.AsyncClient(
        verify=True if ca_file is None else ssl.create_default_context(cafile=ca_file),
        follow_redirects=False,
        trust_env=False,
        timeout=FETCH_SECONDS,
    )


async def read_json(client: httpx2.AsyncClient, method: str, url: str, **more: Any) -> Any:
    """Return the JSON of an answer with status 200; `more` goes to the client. Raises Unread for
    any other status, and for an answer that is no JSON, too large or too late.
    """
    import httpx2

    fields = {"accept": "application/json", "accept-encoding": "identity"}
    try:
        async with (
            asyncio.timeout(FETCH_SECONDS),
            client.stream(method, url, headers=fields, **more) as answer,
        ):
            body = bytearray()
            async for chunk in answer.aiter_raw():
                body += chunk
                if len(body) > MAX_ANSWER_BYTES:
                    raise Unread("too large")
        if answer.status_code != 200:
            raise Unread(f"status {answer.status_code}")
        return json.loads(bytes(body))
    except (httpx2.HTTPError, OSError, ValueError, RecursionError) as error:
        raise Unread(type(error).__name__) from error


def _signing_keys(entries: list[dict[str, Any]]) -> dict[str | None, tuple[Any, str | None]]:
    """Return id -> public key and algorithm (or None), of a JWK set's usable keys that sign."""
    import jwt

    keys: dict[str | None, tuple[Any, str | None]] = {}
    for entry in entries:
        is_public = entry.get("kty") in ("RSA", "EC", "OKP")
        if not is_public or entry.get("use", "sig") != "sig":
            continue
        try:
            keys[entry.get("kid")] = (jwt.PyJWK(entry).key, entry.get("alg"))
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
    return keys


def check_audience(claims: dict[str, Any], audiences: Iterable[str]) -> None:
    """Raise NotAnAccessToken unless `aud` has one of the audiences (RFC 9068, section 4). A token
    without `aud` needs the audience `client_id=ID` of its client.
    """
    given = claims.get("aud")
    if given is None:
        if f"{CLIENT_ID}{claims.get('client_id')}" not in audiences:
            raise NotAnAccessToken("it has no `aud`")
        return
    named = {audience for audience in audiences if not audience.startswith(CLIENT_ID)}
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or named.isdisjoint(names):
        raise NotAnAccessToken("it is meant for another audience")


def check_type(header: dict[str, Any], claims: dict[str, Any]) -> None:
    """Raise NotAnAccessToken for a type that RFC 9068, section 4 refuses, for an ID token (OpenID
    Connect Core 1.0, section 2), and for a token with neither type nor scope.
    """
    for name, kinds in _KINDS.items():
        if name in claims and str(claims[name]).lower() not in kinds:
            raise NotAnAccessToken(f"its `{name}` is not that of an access token")
    kind = str(header.get("typ") or "").lower()
    if kind in _TYPES:
        return
    if kind not in _UNTYPED:
        raise NotAnAccessToken("the token's `typ` is not `at+jwt`")
    if any(name in claims for name in _ID_CLAIMS):
        raise NotAnAccessToken("the token's `typ` is not `at+jwt`, and it may be an ID token")
    if not claims.keys() & {"scope", "scp"}:
        raise NotAnAccessToken("the token's `typ` is not `at+jwt`, and it names no scope")


def scopes_of(claims: dict[str, Any]) -> frozenset[str]:
    """Return the scopes of `scope` (RFC 9068, section 2.2.3), else of `scp`: a text or a list of
    texts; none without both. Raises ValueError for anything else.
    """
    value = claims.get("scope", claims.get("scp", ""))
    scopes = value.split() if isinstance(value, str) else value
    if not isinstance(scopes, list) or not all(isinstance(scope, str) for scope in scopes):
        raise ValueError("the scopes are not text")
    return frozenset(scopes)


def _client_of(claims: dict[str, Any]) -> str:
    """Return the client that a token was issued to (RFC 9068, section 2.2, and names that providers
    use); empty if no claim says it.
    """
    return str(next((claims[name] for name in _CLIENT_CLAIMS if name in claims), ""))


def caller_of(claims: dict[str, Any], issuer: str, token: str, kid: str | None) -> Caller:
    """Return the caller that a checked token was issued to; `kid` is the id of its key."""
    return Caller(
        issuer=issuer,
        subject=str(claims.get("sub", "")),
        client=_client_of(claims),
        token=Secret(token),
        expires=float(claims["exp"]),
        key=kid or "",
    )


def check_url(variable: str, url: str) -> None:
    """Raise InsecureURL unless a URL is `https`, or `http` on this machine, and names no user."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise InsecureURL(variable, url) from None
    schemes = {"https"} if parts.hostname else set()
    if parts.hostname in ("localhost", "127.0.0.1", "::1"):
        schemes = {"https", "http"}
    if parts.username or parts.scheme not in schemes:
        raise InsecureURL(variable, url)
