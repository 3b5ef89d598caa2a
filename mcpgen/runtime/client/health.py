"""What is known of the state of an API: whether it fails, and until when it wants to be left alone.

The circuit is closed while calls work. After some failures in a row it is open: no call is made for
a while. Then one call is let through; if it works, the circuit is closed again.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import Busy
from ..log import event

LONGEST_REST = 300.0
"""Seconds that calls are held back at most because of one `Retry-After`."""


def clock(seconds: float) -> str:
    """The time of day in so many seconds: `14:03:20 UTC (in 7 seconds)`."""
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return f"{then:%H:%M:%S} UTC (in {max(1, round(seconds))} seconds)"


class Attempt:
    """How one attempt ended; neither way when it was cancelled, or failed for a reason of its
    own.
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
        self._reason = ""
        self._open_until = 0.0
        self._is_tried = False
        self._rest_until = 0.0

    @property
    def _is_closed(self) -> bool:
        return not self._limit or self._failures < self._limit

    def refusal(self) -> str:
        """Why no call may be made now; nothing when one may."""
        if self._is_closed:
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
        is_trial = not self._is_closed
        self._is_tried = self._is_tried or is_trial
        attempt = Attempt()
        try:
            yield attempt
        finally:
            if is_trial:
                self._is_tried = False
            self._count(attempt)

    def _count(self, attempt: Attempt) -> None:
        if attempt.is_good is None:
            return
        if attempt.is_good:
            if not self._is_closed:
                event("warning", "api_works_again")
            self._failures = 0
            return
        self._failures += 1
        self._reason = attempt.reason
        if not self._is_closed:
            self._open_until = time.monotonic() + self._seconds
            event("error", "api_left_alone", failures=self._failures, reason=attempt.reason)

    def rest(self, seconds: float) -> None:
        """Leave the API alone for as long as it asked (`Retry-After`)."""
        until = time.monotonic() + min(seconds, LONGEST_REST)
        self._rest_until = max(self._rest_until, until)

    def resting(self) -> float:
        """Seconds that the API is still to be left alone."""
        return max(0.0, self._rest_until - time.monotonic())
