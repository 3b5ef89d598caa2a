"""Access tokens for the API on behalf of each caller, in exchange for the caller's own token.

The caller's own token goes to the issuer's token endpoint and nowhere else. What comes back is kept
for that token alone, until it ends.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from yarl import URL

from ...client import Refused
from ...client.oauth import OAuthClient, TokenRefused, ask, error_text, grant_of
from ...client.request import Post
from ...client.settings import ApiSettings
from ...secrets import Caller, Secret
from .variables import GRANTS

if TYPE_CHECKING:
    from .variables import ExchangeSettings

MOST_CALLERS = 10_000
"""Tokens that are kept; the one that was used the longest time ago makes room."""


class CachedToken:
    """Token of one caller. Concurrent calls share one request for it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.token: Secret | None = None
        self.until = 0.0


class TokenExchange:
    """Tokens of all callers, by the tokens they came with: another token of the same subject may
    allow less.
    """

    def __init__(self, settings: ApiSettings, own: ExchangeSettings) -> None:
        assert own.exchange_client_secret is not None
        self._settings = settings
        self._own = own
        self._entries: OrderedDict[bytes, CachedToken] = OrderedDict()
        self._client = OAuthClient(own.exchange_client_id, own.exchange_client_secret.reveal())

    async def token(self, caller: Caller | None, post: Post) -> Secret:
        """Return a valid access token for a caller, fetched if due. Raises Refused for None, and
        ApiError (TokenRefused) if there is none.
        """
        if caller is None:
            raise Refused(
                "nothing was sent: this server calls the API on behalf of its callers, and does not"
                " know who calls; it has to be called over HTTP with a token of its issuer"
            )
        entry = self._entry(caller)
        async with entry.lock:
            if entry.token is None or time.time() >= entry.until:
                await self._fetch(caller, entry, post)
            assert entry.token is not None
            return entry.token

    def forget(self, token: Secret) -> None:
        """Forget a token refused by the API; the next call fetches a new token."""
        for entry in self._entries.values():
            if entry.token == token:
                entry.token = None

    def _entry(self, caller: Caller) -> CachedToken:
        key = hashlib.sha256(caller.token.reveal().encode()).digest()
        entry = self._entries.setdefault(key, CachedToken())
        self._entries.move_to_end(key)
        if len(self._entries) > MOST_CALLERS:
            self._entries.popitem(last=False)
        return entry

    async def _fetch(self, caller: Caller, entry: CachedToken, post: Post) -> None:
        field, fixed = GRANTS[self._own.exchange_grant]
        form = {**fixed, field: caller.token.reveal()}
        if self._own.exchange_audience:
            form["audience"] = self._own.exchange_audience
        if self._own.exchange_scopes:
            form["scope"] = " ".join(sorted(self._own.exchange_scopes))
        url = URL(self._own.exchange_url)
        answer = await ask(post, url, form, self._client, self._settings.redactor)
        grant = grant_of(answer)
        if grant is None or not _is_bearer(answer.data):
            raise TokenRefused(
                f"the token endpoint answered {answer.status}{error_text(answer)} and gave no"
                " access token for this caller; the operator of this server has to look at it"
            )
        if grant.access_token == caller.token.reveal():
            raise TokenRefused(
                "the token endpoint gave the caller's own token back, which does not go to the API"
            )
        entry.token = Secret(grant.access_token)
        entry.until = min(time.time() + grant.used_seconds, caller.expires)


def _is_bearer(data: Any) -> bool:
    """Return whether the token of an answer is a bearer token, also without `token_type` (RFC 8693,
    section 2.2.1).
    """
    return str(data.get("token_type", "Bearer")).lower() == "bearer"
