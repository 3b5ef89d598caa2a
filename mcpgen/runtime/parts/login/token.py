"""Access token of a login: read from the keyring, renewed with its refresh token."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from yarl import URL

from ...client.oauth import (
    OAuthClient,
    TokenRefused,
    TokenResponse,
    ask,
    error_text,
    grant_of,
    is_passing,
)
from ...client.request import Post
from ...client.settings import ApiSettings, Credential
from ...log import event
from ...secrets import Secret
from .endpoints import safe_url
from .store import UNREADABLE, NoKeyring, Store, Tokens

LOOK_AGAIN = 1.0
"""Seconds between two looks for the tokens of a login that was not there."""
LOCK_SECONDS = 30.0
RENEWAL_SECONDS = 60.0
"""Seconds that a token endpoint may take in all, while other processes wait."""


class StoredToken:
    """Access token that `login` left in the keyring for a credential.

    It is renewed before it expires, or when the API refuses it: by one process of this machine at a
    time, and one request for all calls that wait. A refresh token that was exchanged for another is
    replaced (RFC 6749 section 6).
    """

    def __init__(self, credential: Credential, settings: ApiSettings) -> None:
        self._credential, self._settings = credential, settings
        self._store = Store(settings, credential)
        self._tokens: Tokens | None = None
        self._unkept: Tokens | None = None
        """Renewed tokens that the keyring did not take: the only valid ones."""
        self._replaced: Tokens | None = None
        """The tokens in the keyring that they were renewed from."""
        self._refused = ""
        """The last access token that the API refused."""
        self._renewal: asyncio.Task[None] | None = None
        self._next_look = 0.0

    @property
    def is_there(self) -> bool:
        """Whether tokens were found in the keyring."""
        return self._tokens is not None

    async def find(self) -> None:
        """Read the keyring, unless the tokens are there or it was read in the last second."""
        if self._tokens is not None or time.monotonic() < self._next_look:
            return
        self._tokens = await self._load()
        self._next_look = time.monotonic() + LOOK_AGAIN

    async def get(self, post: Post) -> Secret:
        """Return the access token, renewed with `post` if due or refused. Raises ApiError."""
        if self._is_due():
            if self._renewal is None or self._renewal.done():
                self._renewal = asyncio.create_task(self._renew(post))
            # A call that is cancelled must not lose the refresh token that is on its way
            await asyncio.shield(self._renewal)
        assert self._tokens is not None
        return Secret(self._tokens.access_token)

    def forget(self, token: Secret) -> None:
        """Note that the API refused a token: `get` renews it, unless another has replaced it."""
        self._refused = token.reveal()

    def _is_due(self) -> bool:
        tokens = self._tokens
        if tokens is None or tokens.access_token == self._refused:
            return True
        return 0 < tokens.expires_at <= time.time()

    async def _load(self) -> Tokens | None:
        """Return the tokens of the keyring, or None; renewed tokens that the keyring did not take
        come first until it holds another login or none. Masks their secrets in texts.
        """
        try:
            tokens = await asyncio.to_thread(self._store.load)
        except NoKeyring:
            return self._unkept
        if tokens in (self._replaced, UNREADABLE):
            return self._unkept
        self._unkept = self._replaced = None
        if tokens is not None:
            for secret in (tokens.access_token, tokens.refresh_token, tokens.client_secret):
                self._settings.redactor.add(secret)
        return tokens

    async def _renew(self, post: Post) -> None:
        async with self._locked():
            before = self._tokens = await self._load()
            if before is None:
                raise self._refusal("nobody is logged in any more")
            if before is self._unkept:
                await self._keep(before, before)  # it may be kept now
            if self._is_due():
                self._tokens = await self._renewed(before, post)
                await self._keep(self._tokens, before)

    @asynccontextmanager
    async def _locked(self) -> AsyncIterator[None]:
        """Keep other processes from renewing meanwhile. Raises TokenRefused without the lock."""
        library = importlib.import_module("filelock")
        try:
            lock = library.AsyncFileLock(self._store.lock_file(), timeout=LOCK_SECONDS)
            await lock.acquire()
        except library.Timeout:
            raise self._refusal("another process is renewing the login, and does not end") from None
        except OSError as error:
            reason = f"the login cannot be renewed: its lock cannot be written ({error.strerror})"
            raise TokenRefused(reason) from None
        try:
            yield
        finally:
            await lock.release()

    async def _renewed(self, tokens: Tokens, post: Post) -> Tokens:
        """Return new tokens for the refresh token. Raises TokenRefused if there are none."""
        if not tokens.refresh_token:
            raise self._refusal("the login has expired")
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        client = OAuthClient(tokens.client_id, tokens.client_secret)
        url = URL(safe_url(tokens.token_url, "the token endpoint"))
        try:
            async with asyncio.timeout(RENEWAL_SECONDS):
                answer = await ask(post, url, form, client, self._settings.redactor)
        except TimeoutError:
            raise TokenRefused("the token endpoint did not answer in time") from None
        grant = grant_of(answer)
        if grant is None:
            fact = f"the token endpoint answered {answer.status}{error_text(answer)}"
            reason = f"the login could not be renewed: {fact}"
            raise TokenRefused(reason) if is_passing(answer) else self._refusal(reason)
        fresh = after(tokens, grant)
        for secret in (fresh.access_token, fresh.refresh_token):
            self._settings.redactor.add(secret)
        return fresh

    async def _keep(self, fresh: Tokens, before: Tokens) -> None:
        """Save renewed tokens; keep them in memory and log an error if the keyring fails."""
        if self._unkept is None:
            self._replaced = before
        self._unkept = fresh  # whatever happens now
        try:
            await asyncio.to_thread(self._store.save, fresh)
        except NoKeyring as error:
            event("error", "login_not_kept", reason=str(error))
        else:
            self._unkept = self._replaced = None

    def _refusal(self, reason: str) -> TokenRefused:
        refused = TokenRefused(
            f"{reason}; the operator of this server has to run `{self._settings.login_command}`"
        )
        refused.variables = self._credential.variables
        return refused


def after(tokens: Tokens, grant: TokenResponse) -> Tokens:
    """Return the tokens after a grant; the refresh token stays if the grant has no new one."""
    expires_at = 0.0
    if grant.seconds is not None:
        expires_at = time.time() + grant.used_seconds
    return Tokens(
        access_token=grant.access_token,
        refresh_token=grant.refresh_token or tokens.refresh_token,
        expires_at=expires_at,
        token_url=tokens.token_url,
        client_id=tokens.client_id,
        client_secret=tokens.client_secret,
    )
