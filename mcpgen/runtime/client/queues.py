"""Limits of an API that many callers share: a queue for each, the circuit breaker, and whether more
calls should come. They come with the part `http`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Hashable
from typing import Any

from yarl import URL

from ..log import event
from ..parts.http import hold
from ..record import current, figures
from . import ApiError, Busy
from .network import failure_of
from .resilience import Gate, Health, clock

FULL_SECONDS = 3.0
"""Seconds of a full queue after which a load balancer is asked to send no more."""
STREAK_SECONDS = 2.0
"""Seconds for which failures last before the circuit opens."""
KEPT_SECONDS = 5.0
"""Seconds for which an answer is cached for all callers."""
ANSWER_SECONDS = 0.8
"""Seconds for an answer: a caller of `/ready` usually waits a second."""


class Queues(Gate):
    """Gate with a queue for each caller; callers take turns. Beside the request that holds the gate
    (`async with`) at most `waiting` wait. Busy is raised in a request that finds no room, or in the
    last of the longest queue, if that is two longer than the queue of the caller who needs its
    room.
    """

    def __init__(self, most: int, waiting: int) -> None:
        super().__init__(most)
        self._most = waiting
        self._is_held = False
        self._queues: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """Caller -> its waiting requests, in the order of turns; none is empty."""
        self._full_since = math.inf

    @property
    def full(self) -> bool:
        """Whether the next request would have to wait."""
        return self._is_held or super().full

    @property
    def waiting(self) -> int:
        """Requests in all queues, and the one that holds the gate."""
        return sum(map(len, list(self._queues.values()))) + self._is_held

    @property
    def overfull(self) -> bool:
        """Whether a request was turned away over `FULL_SECONDS` ago, with queues never half empty
        since.
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
        """Do nothing unless the queues are full: then the last request of the longest queue gets
        Busy. Raises Busy if no caller has two more requests waiting than `key`.
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
        """Pass the gate on to the first waiting request of the next caller, or open it."""
        if self.waiting <= self._most / 2:
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
        self._is_held, self._full_since = False, math.inf


class Breaker(Health):
    """Circuit breaker of one origin.

    The circuit is closed while calls work. After `failures` failures in a row (0: never), which
    last for `STREAK_SECONDS` (not those of a restart, all at once), it is open: no call is made for
    `seconds`. Then one trial call is let through; if it works, the circuit is closed again.
    """

    def __init__(self, failures: int, seconds: float) -> None:
        super().__init__()
        self._limit = failures
        self._seconds = seconds
        self.failures = 0
        """Failures in a row."""
        self._failing_since = 0.0
        self._reason = ""
        self._open_until = 0.0
        self._is_tried = False

    def refusal(self) -> str:
        """Explain why no call may be made now that the circuit is open; return an empty text if one
        may.
        """
        left = self._open_until - time.monotonic()
        if left <= 0 and not self._is_tried:
            return ""
        ending = f"no call is made until {clock(left)}; try again then"
        if left <= 0:
            ending = "another call is trying whether it works again; try again in a moment"
        return f"the API failed {self.failures} times in a row ({self._reason}): {ending}"

    def begin(self) -> bool:
        """Begin the trial call of an open circuit; return True. Raises Busy while none may."""
        reason = self.refusal()
        if reason:
            raise Busy(reason)
        self._is_tried = True
        return True

    def end(self, is_trial: bool, failure: str | None) -> None:
        """Count an ended attempt: `failure` is its reason, empty for success, None (not counted) if
        it was cancelled or failed for a reason of its own. `is_trial`: it is the call of `begin`.
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
            self.failures, self.is_open = 0, False
            return
        self._fail(is_trial, failure)

    def _fail(self, is_trial: bool, failure: str) -> None:
        now = time.monotonic()
        if not self.failures:
            self._failing_since = now
        self.failures += 1
        has_streak = now - self._failing_since >= STREAK_SECONDS
        if is_trial or (has_streak and 0 < self._limit <= self.failures):
            self.is_open = True
            self._open_until, self._reason = now + self._seconds, failure
            event("error", "api_left_alone", failures=self.failures, reason=failure)


def show(api: Any) -> None:
    """Register figures of the queues and breakers of `api` and its further APIs for telemetry."""
    figures["api_queue"] = lambda: api.total(
        lambda each: (each.gate.waiting, each.settings.max_waiting)
    )
    figures["open_breakers"] = lambda: api.total(_open)


def _open(api: Any) -> tuple[int, int]:
    """Return for how many origins the circuit is open, and how many were called."""
    states = [health.is_open for health in list(api.healths.values())]
    return sum(states), len(states)


async def reach(api: Any) -> None:
    """Open a connection to each API of a server, and close it. Raises ApiError."""
    for each in api.every:
        if each.settings.base_url:
            try:
                await each.sender().reach(URL(each.settings.base_url))
            except Exception as error:
                raise failure_of(error, each.settings) from None


class Readiness:
    """Judge of whether more calls should come. An attempt to connect counts for `KEPT_SECONDS`."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self._asked_at = -math.inf
        self._attempt: asyncio.Task[bool] | None = None

    async def fault(self) -> str:
        """Explain why no calls should come here now, or return an empty text."""
        if any(each.gate.overfull for each in self._api.every):
            return "the queue for the API is full"
        if self._api.settings.http_ready_api and not await self._ask():
            return "the API cannot be reached"
        return ""

    async def _ask(self) -> bool:
        """Return whether every API could be connected to, tried at most every `KEPT_SECONDS`; false
        after `ANSWER_SECONDS` without a result.
        """
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
            await reach(self._api)
        except ApiError:
            return False
        return True
