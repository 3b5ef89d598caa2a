"""Limits on the calls of a server, on its requests, and on their retries."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import math
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, cast

from .errors import Busy

if TYPE_CHECKING:
    from .settings import Settings

_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*,.*)?", re.ASCII)
LONGEST_WAIT = 3_600.0
"""Seconds: a longer `Retry-After` is reported as "later", without its number."""
BURST_SECONDS = 10.0
"""Calls of so many seconds may come at once."""


class Gate:
    """Allow `running` concurrent requests and queue `waiting` more. `async with` holds one of the
    running places, and raises Busy when the queue is full.
    """

    def __init__(self, running: int, waiting: int) -> None:
        self._semaphore = asyncio.Semaphore(running)
        self._waiting, self._queue = 0, waiting

    @property
    def full(self) -> bool:
        """Whether the next request would have to wait."""
        return self._semaphore.locked()

    async def __aenter__(self) -> None:
        if self._semaphore.locked() and self._waiting >= self._queue:
            raise Busy(
                f"busy: {self._waiting} calls are already waiting for the API; try again in a"
                " moment"
            )
        self._waiting += 1
        try:
            await self._semaphore.acquire()
        finally:
            self._waiting -= 1

    async def __aexit__(self, *_: object) -> None:
        self._semaphore.release()


class Pace(Protocol):
    """A number of requests a second: of this process (`Rate`), or of all replicas together
    (`shared.SharedRate`).
    """

    async def take(self, longest: float = math.inf) -> float:
        """Take the next turn; return the seconds to wait for it. A turn that is more than `longest`
        seconds away is not taken.
        """

    def give_back(self) -> None:
        """Return a turn that was taken and not used."""


class Rate:
    """A token bucket: `rate` requests a second on average, and `burst` seconds' worth at once.

    A rate of 0 means no limit.
    """

    def __init__(self, rate: float, burst: float = 1.0) -> None:
        self._rate, self._size = rate, max(1.0, rate * burst)
        self._tokens, self._at = self._size, time.monotonic()

    async def take(self, longest: float = math.inf) -> float:
        """Take the next turn, if it is not further away than `longest` seconds; return how far it
        is.
        """
        wait = self.reserve()
        if wait > longest:
            self.give_back()
        return wait

    def reserve(self) -> float:
        """Take the next token; return the seconds to wait before using it."""
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


def pace_of(settings: Settings, limit: str, rate: float, burst: float = 1.0) -> Pace:
    """Return the rate of a limit, which all replicas share where a part counts them. Raises
    SettingsError.
    """
    if rate:
        for part in settings.parts:
            pace = part.pace(settings, limit, rate, burst) if part.pace is not None else None
            if pace is not None:
                return cast("Pace", pace)
    return Rate(rate, burst)


class Quota:
    """The calls of one server: `max_calls` run at a time in this process, `call_rate` begin in a
    second on average (0: no limit), in all replicas together where they share their limits. MCP
    requires a server to limit them; a caller who comes too early is told to wait.
    """

    def __init__(self, settings: Settings) -> None:
        self._at_once = settings.max_calls
        self._rate = pace_of(settings, "calls", settings.call_rate, BURST_SECONDS)
        self._running = 0

    async def refusal(self, name: str) -> str:
        """Explain why a call cannot begin now, in words for the model; if it can, count the call
        and return an empty text.
        """
        if self._running >= self._at_once:
            return (
                f"This server already runs {self._running} calls, which is its limit. Wait a few"
                f" seconds, then call `{name}` again"
            )
        wait = await self._rate.take(longest=0.0)
        if wait:
            return (
                f"Too many calls. Wait {_seconds(wait)}, then call `{name}` again, and leave more"
                " time between calls"
            )
        return ""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count a call while it runs."""
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


def _seconds(wait: float) -> str:
    seconds = math.ceil(wait)
    return "1 second" if seconds == 1 else f"{seconds} seconds"


class RetryBudget:
    """A retry budget: a share of the calls, and a few more.

    Against an API that fails every time, retries would otherwise multiply its load.
    """

    CALLS = 5
    """Calls for which there may be one repetition."""
    RESERVE = 10
    """Repetitions there may be at once."""

    def __init__(self) -> None:
        self._calls = self.RESERVE * self.CALLS

    def count_call(self) -> None:
        """A call has begun."""
        self._calls = min(self.RESERVE * self.CALLS, self._calls + 1)

    def take(self) -> bool:
        """Return whether a call may be repeated now; the repetition is counted."""
        if self._calls < self.CALLS:
            return False
        self._calls -= self.CALLS
        return True


def back_off(attempt: int, first: float) -> float:
    """Seconds to wait before attempt `attempt` (2, 3, ...): `first`, doubled each time, of which
    up to half is taken off at random so that callers spread out.
    """
    wait: float = first * 2 ** (attempt - 2)
    return wait * random.uniform(0.5, 1.0)


def retry_after(value: str | None) -> float | None:
    """The seconds a `Retry-After` field asks for, or None (RFC 9110 section 10.2.3).

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
