"""The state of an API: its circuit breaker, and the end of a `Retry-After`.

The circuit is closed while calls work. After some failures in a row it is open: no call is
made for a while. Then one trial call is let through; if it works, the circuit is closed
again. Simultaneous failures, as when an API restarts, do not open it: they have to last for
`STREAK_SECONDS`.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Hashable

from ..errors import Busy
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
        now = time.monotonic()
        if not self._failures:
            self._failing_since = now
        self._failures += 1
        has_streak = now - self._failing_since >= STREAK_SECONDS
        if is_trial or (has_streak and 0 < self._limit <= self._failures):
            self.is_open = True
            self._open_until, self._reason = now + self._seconds, failure
            event("error", "api_left_alone", failures=self._failures, reason=failure)

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
