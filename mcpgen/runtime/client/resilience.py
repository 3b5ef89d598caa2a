"""Turns of requests to an API: slots, retries, and the waits that the API asks for.

What many callers need besides is in `queues`.
"""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import math
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*,.*)?", re.ASCII)
LONGEST_WAIT = 3_600.0
"""Seconds: a longer `Retry-After` is reported as "later", without its number."""
LONGEST_REST = 300.0
"""Seconds that calls are held back at most because of one `Retry-After`."""


class Gate:
    """Limit of `most` running requests, taken in order: the queue of one caller. `async with` holds
    the gate for one request while it waits for limits and for its `place`, so that a rate is kept
    by running requests.
    """

    def __init__(self, most: int) -> None:
        self._turn, self._places = asyncio.Lock(), asyncio.Semaphore(most)
        self.running = 0
        """Requests under way."""

    @property
    def full(self) -> bool:
        """Whether the next request would have to wait."""
        return any((self._turn.locked(), self._places.locked()))

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a slot, and hold it in the block, counted in `running`."""
        async with self._places:
            self.running += 1
            try:
                yield
            finally:
                self.running -= 1

    async def __aenter__(self) -> None:
        """Acquire the gate, after a wait."""
        await self._turn.acquire()

    async def __aexit__(self, *_: object) -> None:
        """Release the gate."""
        self._turn.release()


class RetryBudget:
    """Retry budget: one repetition for each `CALLS` calls, at most `RESERVE` at once.

    Against an API that fails every time, retries would otherwise multiply its load.
    """

    CALLS = 5
    """Calls for each permitted repetition."""
    RESERVE = 10
    """Repetitions there may be at once."""

    def __init__(self) -> None:
        self._calls = self.RESERVE * self.CALLS

    def count_call(self) -> None:
        """Count a call that has begun: each `CALLS` calls allow one repetition more."""
        self._calls = min(self.RESERVE * self.CALLS, self._calls + 1)

    def take(self) -> bool:
        """Return whether a call may be repeated now; if so, count the repetition."""
        if self._calls < self.CALLS:
            return False
        self._calls -= self.CALLS
        return True


def back_off(attempt: int, first: float) -> float:
    """Return the seconds to wait before attempt `attempt` (2, 3, ...): `first`, doubled each time,
    less up to half at random so that callers spread out.
    """
    return float(first * 2 ** (attempt - 2) * random.uniform(0.5, 1.0))


def retry_after(value: str | None) -> float | None:
    """Return the seconds a `Retry-After` field asks for, or None (RFC 9110 section 10.2.3).

    The field holds seconds or a date; a date in the past is 0. Some servers send fractions, and
    some proxies the field twice.
    """
    if not value:
        return None
    text = value.strip()
    seconds = _SECONDS.fullmatch(text[:256])
    if seconds is not None:
        return float(seconds[1][:12])
    try:
        date = email.utils.parsedate_to_datetime(text[:64])
        if date.tzinfo is None:
            date = date.replace(tzinfo=datetime.UTC)
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def clock(seconds: float) -> str:
    """Return the time of day after some seconds: `14:03:20 UTC (in 7 seconds)`."""
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return f"{then:%H:%M:%S} UTC (in {seconds_text(max(1, seconds))})"


def seconds_text(seconds: float) -> str:
    """Return whole seconds with their noun, rounded up: `1 second`, `7 seconds`."""
    whole = math.ceil(seconds)
    return f"{whole} second" if whole == 1 else f"{whole} seconds"


class Health:
    """State of one origin: until when calls are held back (`Retry-After`). `queues.Breaker`, a
    subclass for many callers, adds a circuit breaker.
    """

    def __init__(self) -> None:
        self.is_open = False
        """Whether the API is left alone."""
        self._rest_until: dict[Hashable, float] = {}

    def rest(self, seconds: float, limited: Hashable) -> None:
        """Hold calls back as the API asked (`Retry-After`), at most for `LONGEST_REST` seconds:
        calls under the limit `limited`, or every call if it is None.
        """
        now = time.monotonic()
        rests = {key: until for key, until in self._rest_until.items() if until > now}
        rests[limited] = max(rests.get(limited, 0.0), now + min(seconds, LONGEST_REST))
        self._rest_until = rests

    def resting(self, limited: Hashable) -> float:
        """Return the seconds that a call under that limit is still held back; else 0."""
        if not self._rest_until:
            return 0.0
        until = max(self._rest_until.get(key, 0.0) for key in (None, limited))
        return max(0.0, until - time.monotonic())


taken_now: ContextVar[Counter[Any] | None] = ContextVar("taken_now", default=None)
"""Amounts of each `Room` that the call under way has taken."""


class Room:
    """Budget (of memory) that calls share; a call for which too little is left waits, in order."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self._turn, self._freed = asyncio.Lock(), asyncio.Event()

    async def take(self, amount: int, until: float) -> None:
        """Take an amount, at most everything, for the running call; outside a call take nothing. A
        call that has taken some does not wait. Raises TimeoutError at `until` (event loop's clock).
        """
        taken, amount = taken_now.get(), min(amount, self._most)
        if taken is None:
            return
        if not taken[self]:
            async with asyncio.timeout_at(until), self._turn:
                while self._left < amount:
                    self._freed.clear()
                    await self._freed.wait()
        taken[self] += amount
        self._left -= amount

    def give_back(self, amount: int) -> None:
        """Give back an amount that was taken, and wake the call that waits."""
        self._left += amount
        self._freed.set()
