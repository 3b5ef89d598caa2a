"""The state of an API: its circuit breaker, the end of a `Retry-After`, and whether it answers.

The circuit is closed while calls work. After some failures in a row it is open: no call is
made for a while. Then one trial call is let through; if it works, the circuit is closed
again. Simultaneous failures, as when an API restarts, do not open it: they have to last for
`STREAK_SECONDS`.
"""

from __future__ import annotations

import asyncio
import datetime
import math
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager

from ..errors import ApiError, Busy
from ..log import event

STREAK_SECONDS = 2.0
"""Seconds for which failures last before the circuit opens."""
LONGEST_REST = 300.0
"""Seconds that calls are held back at most because of one `Retry-After`."""


def clock(seconds: float) -> str:
    """The time of day in so many seconds: `14:03:20 UTC (in 7 seconds)`."""
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return f"{then:%H:%M:%S} UTC (in {seconds_text(max(1, seconds))})"


def seconds_text(seconds: float) -> str:
    """Whole seconds with their noun: `1 second`, `7 seconds`."""
    whole = round(seconds)
    return f"{whole} second" if whole == 1 else f"{whole} seconds"


class Attempt:
    """The outcome of one attempt; neither success nor failure if it was cancelled, or failed for a
    reason of its own.
    """

    def __init__(self) -> None:
        self.is_good: bool | None = None
        self.reason = ""

    def worked(self) -> None:
        """The API answered."""
        self.is_good = True

    def failed(self, reason: str) -> None:
        """The API did not answer, or said that it cannot work."""
        self.is_good = False
        self.reason = reason


class Health:
    """The state of one origin. After `failures` failures in a row (0: never) it is left alone for
    `seconds`.
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

    @contextmanager
    def attempt(self) -> Iterator[Attempt]:
        """One attempt, which says how it ended. Raises Busy while the API is left alone."""
        reason = self.refusal()
        if reason:
            raise Busy(reason)
        attempt = Attempt()
        if not self.is_open:
            try:
                yield attempt
            finally:
                self._count(attempt)
            return
        self._is_tried = True
        try:
            yield attempt
        finally:
            self._is_tried = False
            self._end_trial(attempt)

    def _count(self, attempt: Attempt) -> None:
        """Count how an attempt ended that was no trial."""
        if self.is_open:
            return  # it began before others failed, and says nothing new
        if attempt.is_good is None:
            return  # it began before others failed, and says nothing new
        if attempt.is_good:
            self._failures = 0
            return
        now = time.monotonic()
        if not self._failures:
            self._failing_since = now
        self._failures += 1
        has_streak = now - self._failing_since >= STREAK_SECONDS
        if has_streak and 0 < self._limit <= self._failures:
            self._open(attempt)

    def _end_trial(self, attempt: Attempt) -> None:
        if attempt.is_good is None:
            return
        if attempt.is_good:
            self._failures = 0
            self.is_open = False
            event("warning", "api_works_again")
            return
        self._failures += 1
        self._open(attempt)

    def _open(self, attempt: Attempt) -> None:
        self.is_open = True
        self._open_until = time.monotonic() + self._seconds
        self._reason = attempt.reason
        event("error", "api_left_alone", failures=self._failures, reason=attempt.reason)

    def rest(self, seconds: float, limited: Hashable = None) -> None:
        """Hold calls back for as long as the API asked (`Retry-After`): those that share the limit
        `limited`, or without one every call.
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
