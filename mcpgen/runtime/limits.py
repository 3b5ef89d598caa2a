"""Limits on the calls of a server, and rates that replicas share where a part counts them."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from contextvars import ContextVar
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from .record import figures

if TYPE_CHECKING:
    from .settings import Settings

BURST_SECONDS = 10.0
"""Calls of so many seconds may come at once."""
REFUSAL_SECONDS = 1.0
"""Seconds after which a caller over HTTP is told of a limit."""
TOO_MANY = "You already run {} calls here, which is the limit for each caller"
LATER = "Wait a few seconds, then call `{}` again"
MOST_CALLERS = 10_000
"""Callers whose own rate is remembered."""

Place: TypeAlias = Callable[[float], AbstractAsyncContextManager[bool]]
"""Holds a place, for which a call waits at most so many seconds, and says whether there was one."""


class Pace(Protocol):
    """A number of requests a second: of this process (`Rate`), or of all replicas together."""

    async def take(self, longest: float) -> float:
        """Take the next turn if it is at most `longest` seconds away; return how far it is."""

    def give_back(self) -> None:
        """Return a turn that was taken and not used."""


class Rate:
    """A token bucket: `rate` requests a second on average (0: no limit), `burst` seconds' worth at
    once.
    """

    def __init__(self, rate: float, burst: float) -> None:
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

    def __init__(
        self, settings: Settings, rates: Mapping[str, tuple[int, int]] = MappingProxyType({})
    ) -> None:
        """`rates`: tool -> calls, and the seconds in which there may be that many."""
        self._settings = settings
        self._paces = {
            tool: pace_of(settings, f"tool:{tool}", calls / seconds, seconds)
            for tool, (calls, seconds) in rates.items()
        }
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
            await hold(key)
            return f"{reason}. {LATER.format(name)}"
        wait = await self._own(key)[0].take(longest=0.0) or await self._wait(key)
        if wait:
            await hold(key)
            return _too_many("calls", wait, name)
        return ""

    async def tool_refusal(self, name: str) -> str:
        """Explain why the rate of a tool does not allow a call now, or return an empty text."""
        if name not in self._paces:
            return ""
        wait = await self._paces[name].take(longest=0.0)
        return _too_many(f"calls of `{name}`", wait, name) if wait else ""

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


_taken: ContextVar[Counter[Room] | None] = ContextVar("taken", default=None)
"""The amounts of each room that the call under way has taken."""


class Room:
    """Let calls take parts of a sum; those for which too little is left wait, in their order."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self._turn, self._freed = asyncio.Lock(), asyncio.Event()

    async def take(self, amount: int, until: float) -> None:
        """Take an amount, at most everything, until the call ends. A call that has taken some
        already does not wait. Raises TimeoutError when there is none by then (event loop's clock).
        """
        taken, amount = _taken.get(), min(amount, self._most)
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
        """Return what was taken."""
        self._left += amount
        self._freed.set()


@contextmanager
def taking() -> Iterator[None]:
    """Return what a call takes of each `Room` when it ends."""
    taken: Counter[Room] = Counter()
    token = _taken.set(taken)
    try:
        yield
    finally:
        _taken.reset(token)
        for room, amount in taken.items():
            room.give_back(amount)


def _too_many(calls: str, wait: float, name: str) -> str:
    seconds = "1 second" if wait <= 1 else f"{math.ceil(wait)} seconds"
    return (
        f"Too many {calls}. Wait {seconds}, then call `{name}` again, and leave more time between"
        " calls"
    )


async def hold(key: Hashable) -> None:
    """Let a caller over HTTP wait for its refusal: a program that repeats a call at once would take
    the processor from those who keep to the limits.
    """
    if key is not None:
        await asyncio.sleep(REFUSAL_SECONDS)
