"""How much at a time: so many requests, so many waiting, a rate, and how long to wait before trying
again.
"""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .errors import Busy

LONGEST_WAIT = 3_600.0
"""Seconds of a `Retry-After` that are told as such; more is "later"."""


class Gate:
    """Lets `running` requests go at a time and `waiting` more wait; whoever comes then is told to
    come back.
    """

    def __init__(self, running: int, waiting: int) -> None:
        self._semaphore = asyncio.Semaphore(running)
        self._waiting, self._queue = 0, waiting

    @property
    def full(self) -> bool:
        """Whether the next request would have to wait."""
        return self._semaphore.locked()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A place among the running ones. Raises Busy when the queue is full."""
        if self._semaphore.locked() and self._waiting >= self._queue:
            raise Busy(
                f"busy: {self._waiting} calls are waiting for the API already; try again in a"
                " moment"
            )
        self._waiting += 1
        try:
            await self._semaphore.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._semaphore.release()


class Rate:
    """A token bucket: `rate` requests a second on average, as many at once as fit `burst` seconds.

    A rate of 0 is no limit.
    """

    def __init__(self, rate: float, burst: float = 1.0) -> None:
        self._rate, self._size = rate, max(1.0, rate * burst)
        self._tokens, self._at = self._size, time.monotonic()

    def reserve(self) -> float:
        """Take the next token; the seconds to wait until it is there."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        self._tokens = min(self._size, self._tokens + (now - self._at) * self._rate)
        self._at = now
        self._tokens -= 1
        return max(0.0, -self._tokens / self._rate)

    def give_back(self) -> None:
        """Return a token that was reserved and not used."""
        if self._rate:
            self._tokens += 1


def back_off(attempt: int, first: float) -> float:
    """Seconds before attempt `attempt` (2, 3, ...): doubling, with half of it random so that
    callers spread out.
    """
    wait: float = first * 2 ** (attempt - 2)
    return wait * random.uniform(0.5, 1.0)


def retry_after(value: str | None) -> float | None:
    """The seconds a `Retry-After` field asks for (RFC 9110 section 10.2.3: seconds or a date), or
    None.
    """
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        at = email.utils.parsedate_to_datetime(text[:64])
        if at.tzinfo is None:
            at = at.replace(tzinfo=datetime.UTC)
        return max(0.0, at.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
