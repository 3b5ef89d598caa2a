"""The turns of requests to an API: its queue, their retries, and the circuit breaker."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import math
import random
import re
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from ..limits import hold
from ..log import event
from ..record import current
from . import Busy

_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*,.*)?", re.ASCII)
LONGEST_WAIT = 3_600.0
"""Seconds: a longer `Retry-After` is reported as "later", without its number."""
FULL_SECONDS = 3.0
"""Seconds of a full queue after which a load balancer is asked to send no more."""
STREAK_SECONDS = 2.0
"""Seconds for which failures last before the circuit opens."""
LONGEST_REST = 300.0
"""Seconds that calls are held back at most because of one `Retry-After`."""


class Gate:
    """Let requests pass one at a time and queue `waiting` more, each caller in a queue of its own:
    the callers take turns. `async with` holds the gate, for as long as a request waits for limits,
    and raises Busy for a request that finds no room, and for the last one of the longest queue when
    another caller needs its room. `place` holds one of `most` places for running requests.
    """

    def __init__(self, most: int, waiting: int) -> None:
        self._places, self._most = asyncio.Semaphore(most), waiting
        self.running = 0
        """Requests under way."""
        self._is_held = False
        self._queues: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """By caller, in the order of their turns; none is empty."""
        self._full_since = math.inf

    @property
    def full(self) -> bool:
        """Whether the next request would have to wait."""
        return self._is_held or self._places.locked()

    @property
    def waiting(self) -> int:
        """Requests in all queues, and the one that holds the gate."""
        return sum(map(len, list(self._queues.values()))) + self._is_held

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place, and wait until there is one."""
        async with self._places:
            self.running += 1
            try:
                yield
            finally:
                self.running -= 1

    @property
    def overfull(self) -> bool:
        """Whether there has been no room for seconds: since requests were turned away, the queues
        have not been half empty.
        """
        return time.monotonic() - self._full_since > FULL_SECONDS

    async def __aenter__(self) -> None:
        if not self._is_held and (self._most or not self.full):
            self._is_held = True
            return
        key = current().key
        turn = asyncio.get_running_loop().create_future()
        try:
            self._make_room(key)
            self._queues.setdefault(key, deque()).append(turn)
            await turn
        except Busy:
            await hold(key)
            raise
        except asyncio.CancelledError:
            if turn.cancelled():
                self._leave(key, turn)
            elif turn.exception() is None:
                self._give_turn()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._give_turn()

    def _make_room(self, key: Hashable) -> None:
        """Take the last request out of the longest queue if all are full: it gets Busy. Raises Busy
        if no caller has two more requests waiting than `key`.
        """
        waiting = self.waiting
        if waiting < self._most:
            return
        self._full_since = min(self._full_since, time.monotonic())
        busy = Busy(f"busy: {waiting} calls are already waiting for the API; try again in a moment")
        longest = max(self._queues, key=lambda each: len(self._queues[each]), default=key)
        if len(self._queues.get(longest, ())) - len(self._queues.get(key, ())) < 2:
            raise busy
        turn = self._queues[longest][-1]
        self._leave(longest, turn)
        if not turn.done():
            turn.set_exception(busy)

    def _leave(self, key: Hashable, turn: asyncio.Future[None]) -> None:
        if turn in self._queues.get(key, ()):
            self._queues[key].remove(turn)
            if not self._queues[key]:
                del self._queues[key]

    def _give_turn(self) -> None:
        """Pass the gate on to the first request of the next caller that still waits."""
        if self._full_since < math.inf and self.waiting <= self._most / 2:
            self._full_since = math.inf
        while self._queues:
            key = next(iter(self._queues))
            queue = self._queues.pop(key)
            turn = queue.popleft()
            if queue:
                self._queues[key] = queue
            if not turn.done():  # cancelled, and its task has not run since
                turn.set_result(None)
                return
        self._is_held = False


class RetryBudget:
    """A retry budget: a share of the calls, and a few more.

    Against an API that fails every time, retries would otherwise multiply its load.
    """

    CALLS = 5
    """Calls for each permitted repetition."""
    RESERVE = 10
    """Repetitions there may be at once."""

    def __init__(self) -> None:
        self._calls = self.RESERVE * self.CALLS

    def count_call(self) -> None:
        """Count a call that has begun."""
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
    return float(first * 2 ** (attempt - 2) * random.uniform(0.5, 1.0))


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


def clock(seconds: float) -> str:
    """Return the time of day after some seconds: `14:03:20 UTC (in 7 seconds)`."""
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return f"{then:%H:%M:%S} UTC (in {seconds_text(max(1, seconds))})"


def seconds_text(seconds: float) -> str:
    """Whole seconds with their noun, rounded up: `1 second`, `7 seconds`."""
    whole = math.ceil(seconds)
    return f"{whole} second" if whole == 1 else f"{whole} seconds"


class Health:
    """The state of one origin: its circuit breaker, and the end of a `Retry-After`.

    The circuit is closed while calls work. After `failures` failures in a row (0: never), which
    last for `STREAK_SECONDS` (not those of a restart, all at once), it is open: no call is made for
    `seconds`. Then one trial call is let through; if it works, the circuit is closed again.
    """

    def __init__(self, failures: int, seconds: float) -> None:
        self._limit = failures
        self._seconds = seconds
        self._failures = 0
        self._failing_since = 0.0
        self._reason = ""
        self.is_open = False
        """Whether the API is left alone."""
        self._open_until = 0.0
        self._is_tried = False
        self._rest_until: dict[Hashable, float] = {}

    def refusal(self) -> str:
        """Explain why no call may be made now; return an empty text if one may."""
        if not self.is_open:
            return ""
        left = self._open_until - time.monotonic()
        if left <= 0 and not self._is_tried:
            return ""
        ending = f"no call is made until {clock(left)}; try again then"
        if left <= 0:
            ending = "another call is trying whether it works again; try again in a moment"
        return f"the API failed {self._failures} times in a row ({self._reason}): {ending}"

    def begin(self) -> bool:
        """Begin an attempt; return whether it is the trial call. Raises Busy while the circuit is
        open.
        """
        reason = self.refusal()
        if reason:
            raise Busy(reason)
        self._is_tried = self.is_open
        return self.is_open

    def end(self, is_trial: bool, failure: str | None) -> None:
        """Count an attempt: a failure with its reason, an empty text for success, None for one that
        was cancelled or failed for a reason of its own.
        """
        if is_trial:
            self._is_tried = False
        elif self.is_open:
            return  # it began before others failed, and is no news
        if failure is None:
            return
        if not failure:
            if is_trial:
                event("warning", "api_works_again")
            self._failures, self.is_open = 0, False
            return
        self._fail(is_trial, failure)

    def _fail(self, is_trial: bool, failure: str) -> None:
        now = time.monotonic()
        if not self._failures:
            self._failing_since = now
        self._failures += 1
        has_streak = now - self._failing_since >= STREAK_SECONDS
        if is_trial or (has_streak and 0 < self._limit <= self._failures):
            self.is_open = True
            self._open_until, self._reason = now + self._seconds, failure
            event("error", "api_left_alone", failures=self._failures, reason=failure)

    def rest(self, seconds: float, limited: Hashable) -> None:
        """Hold calls back as the API asked (`Retry-After`), at most for `LONGEST_REST` seconds:
        calls under the limit `limited`, or every call if it is None.
        """
        now = time.monotonic()
        rests = {key: until for key, until in self._rest_until.items() if until > now}
        rests[limited] = max(rests.get(limited, 0.0), now + min(seconds, LONGEST_REST))
        self._rest_until = rests

    def resting(self, limited: Hashable) -> float:
        """Seconds that a call with that limit is still held back."""
        if not self._rest_until:
            return 0.0
        until = max(self._rest_until.get(key, 0.0) for key in (None, limited))
        return max(0.0, until - time.monotonic())


taken_now: ContextVar[Counter[Any] | None] = ContextVar("taken_now", default=None)
"""The amounts of each `Room` that the call under way has taken."""


class Room:
    """Let calls take parts of a sum; those for which too little is left wait, in their order."""

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
        """Give back an amount that was taken."""
        self._left += amount
        self._freed.set()
