"""Whether the API can be reached, for `/ready`."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable

from ..errors import ApiError

KEPT_SECONDS = 5.0
"""Seconds for which an answer is cached for all callers."""
ANSWER_SECONDS = 0.8
"""Whoever asks `/ready` waits a second, as a rule."""


class Reach:
    """Asks by opening a connection, which `connect` does. Raises its errors nowhere."""

    def __init__(self, connect: Callable[[], Awaitable[None]]) -> None:
        self._connect = connect
        self._asked_at = -math.inf
        self._attempt: asyncio.Task[bool] | None = None

    async def ask(self) -> bool:
        """Return whether a connection could be opened, a few seconds ago at most."""
        attempt = self._attempt
        if attempt is None or self._is_due(attempt):
            self._asked_at = time.monotonic()
            attempt = self._attempt = asyncio.create_task(self._try())
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.shield(attempt)
        except TimeoutError:
            return False

    def _is_due(self, attempt: asyncio.Task[bool]) -> bool:
        return attempt.done() and time.monotonic() - self._asked_at > KEPT_SECONDS

    async def _try(self) -> bool:
        try:
            await self._connect()
        except ApiError:
            return False
        return True
