"""Limits on the calls of a server, on its requests and their retries, and the circuit breaker."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import math
import random
import re
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from .errors import Busy
from .log import event
from .record import current, figures

if TYPE_CHECKING:
    from .settings import Settings

_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:\s*,.*)?", re.ASCII)
LONGEST_WAIT = 3_600.0
"""Seconds: a longer `Retry-After` is reported as "later", without its number."""
BURST_SECONDS = 10.0
"""Calls of so many seconds may come at once."""
REFUSAL_SECONDS = 1.0
"""Seconds after which a caller over HTTP is told of a limit."""
FULL_SECONDS = 3.0
"""Seconds of a full queue after which a load balancer is asked to send no more."""
TOO_MANY = "You already run {} calls here, which is the limit for each caller"
LATER = "Wait a few seconds, then call `{}` again"
STREAK_SECONDS = 2.0
"""Seconds for which failures last before the circuit opens."""
LONGEST_REST = 300.0
"""Seconds that calls are held back at most because of one `Retry-After`."""
MOST_CALLERS = 10_000
"""Callers whose own rate is remembered."""


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
            await _hold(key)
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
        """Raises Busy where the queues are full and no other caller has two more in them."""
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


Place: TypeAlias = Callable[[float], AbstractAsyncContextManager[bool]]
"""Holds a place, for which a call waits at most so many seconds, and says whether there was one."""


class Pace(Protocol):
    """A number of requests a second: of this process (`Rate`), or of all replicas together."""

    async def take(self, longest: float = math.inf) -> float:
        """Take the next turn, unless it is further away than `longest` seconds, and return how far
        it is.
        """

    def give_back(self) -> None:
        """Return a turn that was taken and not used."""


class Rate:
    """A token bucket: `rate` requests a second on average (0: no limit), `burst` seconds' worth at
    once.
    """

    def __init__(self, rate: float, burst: float = 1.0) -> None:
        self._rate, self._size = rate, max(1.0, rate * burst)
        self._tokens, self._at = self._size, time.monotonic()

    async def take(self, longest: float = math.inf) -> float:
        """Take the next token, unless it is further away than `longest` seconds."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        self._tokens = min(self._size, self._tokens + (now - self._at) * self._rate) - 1
        self._at = now
        wait = max(0.0, -self._tokens / self._rate)
        if wait > longest:
            self.give_back()
        return wait

    @property
    def spent(self) -> float:
        """Tokens that were taken and have not come back."""
        return max(0.0, self._size - self._tokens - (time.monotonic() - self._at) * self._rate)

    def give_back(self) -> None:
        """Return a token that was taken and not used."""
        if self._rate:
            self._tokens += 1


def pace_of(settings: Settings, limit: str, rate: float, burst: float = 1.0) -> Pace:
    """Return the rate of a limit, which all replicas share where a part counts them. Raises
    SettingsError.
    """
    return cast("Pace", _shared(Rate(rate, burst), "pace", settings, limit, rate, burst))


def place_of(settings: Settings, limit: str, most: int | None = None) -> Place:
    """Return the places that a part counts for all replicas, else places without a limit."""
    return cast("Place", _shared(lambda _: nullcontext(True), "place", settings, limit, most))


def _shared(own: Any, kind: str, settings: Settings, *limit: Any) -> Any:
    seams = filter(None, (getattr(part, kind) for part in settings.parts))
    return next(filter(None, (seam(settings, *limit) for seam in seams)), own)


class Quota:
    """The calls of one server: `max_calls` run at a time in this process, `call_rate` begin in a
    second on average (0: no limit), in all replicas together where they share their limits.

    One caller may use all of that while no other needs it. Where others do, a caller below its
    equal share is let in all the same, and the excess is at the expense of those above theirs.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._rate = pace_of(settings, "calls", settings.call_rate, BURST_SECONDS)
        self._running: Counter[Hashable] = Counter()
        self._begun: Counter[Hashable] = Counter()
        """The calls of each caller since `_since`."""
        self._since = 0.0
        self._own = lru_cache(maxsize=MOST_CALLERS)(self._limits_of)
        figures["calls"] = lambda: (sum(list(self._running.values())), settings.max_calls)

    def _limits_of(self, key: Hashable) -> tuple[Pace, Place]:
        settings, caller = self._settings, sha256(repr(key).encode()).hexdigest()[:32]
        rate = pace_of(settings, f"calls:{caller}", settings.call_rate_per_caller, BURST_SECONDS)
        return rate, place_of(settings, f"running:{caller}", settings.max_calls_per_caller)

    async def refusal(self, name: str, key: Hashable) -> str:
        """Explain why a call cannot begin now, in words for the model; if it can, count the call
        and return an empty text. `key` is the caller's.
        """
        own, most = self._running[key], self._settings.max_calls
        reason = ""
        if 0 < self._settings.max_calls_per_caller <= own:
            reason = TOO_MANY.format(own)
        running = self._running.total()
        has_share = running < 2 * most and own < most // len(self._running | Counter((key,)))
        if running >= most and not has_share:
            reason = f"This server already runs {running} calls, which is its limit"
        if reason:
            await _hold(key)
            return f"{reason}. {LATER.format(name)}"
        wait = await self._own(key)[0].take(longest=0.0) or await self._wait(key)
        if wait:
            await _hold(key)
            seconds = "1 second" if wait <= 1 else f"{math.ceil(wait)} seconds"
            return (
                f"Too many calls. Wait {seconds}, then call `{name}` again, and leave more"
                " time between calls"
            )
        return ""

    async def _wait(self, key: Hashable) -> float:
        """Seconds until the rate of all callers allows a call: none for one within its share, which
        the others wait for.
        """
        now = time.monotonic()
        if now - self._since > BURST_SECONDS:
            self._begun.clear()
            self._since = now
        self._begun[key] += 1
        share = self._settings.call_rate * BURST_SECONDS / len(self._begun)
        if len(self._begun) == 1 or self._begun[key] > share:
            return await self._rate.take(longest=0.0)
        wait = await self._rate.take(longest=BURST_SECONDS)
        return wait if wait > BURST_SECONDS else 0.0

    @asynccontextmanager
    async def running(self, name: str, key: Hashable) -> AsyncIterator[str]:
        """Count a caller's call while it runs; yield why it may not, or an empty text."""
        reason = f"{TOO_MANY.format(self._settings.max_calls_per_caller)}. {LATER.format(name)}"
        self._running[key] += 1
        try:
            async with self._own(key)[1](REFUSAL_SECONDS) as is_free:
                yield "" if is_free else reason
        finally:
            self._running[key] -= 1
            if not self._running[key]:
                del self._running[key]


async def _hold(key: Hashable) -> None:
    """Let a caller over HTTP wait for its refusal: a program that repeats a call at once would take
    the processor from those who keep to the limits.
    """
    if key is not None:
        await asyncio.sleep(REFUSAL_SECONDS)


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
    """The time of day in so many seconds: `14:03:20 UTC (in 7 seconds)`."""
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return f"{then:%H:%M:%S} UTC (in {seconds_text(max(1, seconds))})"


def seconds_text(seconds: float) -> str:
    """Whole seconds with their noun: `1 second`, `7 seconds`."""
    whole = round(seconds)
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
