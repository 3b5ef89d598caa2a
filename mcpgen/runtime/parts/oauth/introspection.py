"""Check opaque tokens by introspection: the authorization server is asked about each.

Its answer holds for a short time, in which a token that is withdrawn is still good.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from ...log import event
from .tokens import (
    LEEWAY_SECONDS,
    MOST_TOKENS,
    BadToken,
    Grant,
    Issuer,
    NotAnAccessToken,
    ProtectedResource,
    Unavailable,
    Unread,
    bad_token,
    caller_of,
    check_audience,
    check_type,
    check_url,
    client_of,
    read_json,
    scopes_of,
)

if TYPE_CHECKING:
    import httpx2

ANSWER_SECONDS = 30.0
"""Seconds for which an answer holds, unless the token ends before."""
RETRY_SECONDS = 1.0
"""Seconds for which a token that the endpoint gave no answer about is not asked about again, and
for which the endpoint is left alone when it does not answer this server's own question either.
"""
OWN_QUESTION = "is-anybody-there"
"""A token that no caller has."""
MOST_QUESTIONS = 32
"""Questions at the same time; further callers wait for their turn, for the time of an answer."""


class Introspection(ProtectedResource):
    """Check of one authorization server's tokens by introspection (RFC 7662, section 2.2)."""

    def __init__(self, issuers: Iterable[str], url: str, *login: str, **about: Any) -> None:
        """`login` is this server's client id and secret at the endpoint."""
        super().__init__(issuers, **about)
        check_url("INTROSPECTION_URL", url)
        self._url = url
        self._login = tuple(map(quote_plus, login))
        self._client: httpx2.AsyncClient | None = None
        self._turns = asyncio.Semaphore(MOST_QUESTIONS)
        self._answers: dict[bytes, asyncio.Task[tuple[float, Grant | BadToken | Unavailable]]] = {}
        """Hash of a token -> outcome of its introspection; the oldest entry is dropped first."""
        self._left_alone_until = self._answered_at = float("-inf")

    async def grant(self, token: str) -> Grant:
        """Return the scopes and the caller of a token that the authorization server calls active
        and for this server. Raises BadToken for any other, and Unavailable if it does not answer.
        """
        digest = sha256(token.encode("utf-8", "replace")).digest()
        answer = self._answers.get(digest)
        if answer is None or (answer.done() and answer.result()[0] <= time.monotonic()):
            self._answers.pop(digest, None)
            answer = self._answers[digest] = asyncio.create_task(self._ask(token))
            if len(self._answers) > MOST_TOKENS:
                del self._answers[next(iter(self._answers))]
        # Whoever leaves must not take the answer from those who wait for it as well
        _, outcome = await asyncio.shield(answer)
        if isinstance(outcome, Grant):
            return outcome
        raise outcome.with_traceback(None)

    async def is_ready(self) -> bool:
        """Return whether the endpoint has answered once, or answers now."""
        if self._answered_at < 0:
            with suppress(BadToken, Unavailable):
                await self.grant(OWN_QUESTION)
        return self._answered_at >= 0

    async def _ask(self, token: str) -> tuple[float, Grant | BadToken | Unavailable]:
        """Ask about a token; return until when the outcome holds (monotonic clock), and it."""
        async with self._turns:
            now, date = time.monotonic(), time.time()
            if now < self._left_alone_until:
                return now, Unavailable(RETRY_SECONDS)
            try:
                claims = await self._said_of(token)
            except (Unread, OSError) as error:
                event("error", "token_not_introspected", reason=str(error))
                if not await self._answers_others():
                    self._left_alone_until = time.monotonic() + RETRY_SECONDS
                return time.monotonic() + RETRY_SECONDS, Unavailable(RETRY_SECONDS)
        until = now + ANSWER_SECONDS
        claims.setdefault("exp", date + ANSWER_SECONDS)
        try:
            grant = self._granted(claims, token, date)
        except (ValueError, TypeError, OverflowError) as error:
            return until, bad_token(error, claims)
        return min(until, now + float(claims["exp"]) - date), grant

    async def _said_of(self, token: str) -> dict[str, Any]:
        """Return the endpoint's claims about a token, with `active`. Raises Unread and OSError."""
        form = {"token": token, "token_type_hint": "access_token"}
        self._client = self._client or client_of(self.ca_file)
        claims = await read_json(self._client, "POST", self._url, data=form, auth=self._login)
        if not isinstance(claims, dict) or not isinstance(claims.get("active"), bool):
            raise Unread("no answer of RFC 7662")
        self._answered_at = time.monotonic()
        return claims

    async def _answers_others(self) -> bool:
        """Return whether the endpoint answers about other tokens: in the last second, or now, asked
        about a token of no caller. A caller's refused token must not cost other callers.
        """
        if time.monotonic() - self._answered_at < RETRY_SECONDS:
            return True
        with suppress(Unread, OSError):
            await self._said_of(OWN_QUESTION)
            return True
        return False

    def _granted(self, claims: dict[str, Any], token: str, date: float) -> Grant:
        """Return the scopes and the caller by the claims of an active token, current at `date`
        (epoch). Raises ValueError (NotAnAccessToken), TypeError or OverflowError for any other.
        """
        if not claims["active"]:
            raise NotAnAccessToken("it is not active")
        if claims.setdefault("iss", self.issuers[0]) not in self.issuers:
            raise NotAnAccessToken("its issuer is not trusted here")
        check_audience(claims, self.audiences)
        begins, ends = float(claims.get("nbf", 0)) - LEEWAY_SECONDS, float(claims["exp"])
        if not begins <= date < ends + LEEWAY_SECONDS:
            raise NotAnAccessToken("it is not valid now")
        check_type({}, claims)
        return Grant(scopes_of(claims), caller_of(claims, str(claims["iss"]), token, None))


class EitherKind(ProtectedResource):
    """Check of tokens by the keys of some issuers; all other tokens are introspected."""

    def __init__(self, signed: Issuer, others: Introspection, **about: Any) -> None:
        super().__init__(dict.fromkeys([*signed.issuers, *others.issuers]), **about)
        self._signed, self._others = signed, others

    async def grant(self, token: str) -> Grant:
        """Return the scopes and the caller of a token. The keys alone decide about a token that
        names an issuer with keys, introspection about any other. Raises BadToken and Unavailable.
        """
        if self._signed.has_issued(token):
            return await self._signed.grant(token)
        return await self._others.grant(token)

    async def is_ready(self) -> bool:
        """Return whether tokens of both kinds can be checked."""
        return all([await each.is_ready() for each in (self._signed, self._others)])
