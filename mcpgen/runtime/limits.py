"""Limits on the calls of a server, and rates that replicas share where a part counts them.

Those for many callers come with the part `http` (`transports.http`).
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from .record import figures

if TYPE_CHECKING:
    from .settings import Settings

BURST_SECONDS = 10.0
"""Burst size, in seconds of the rate."""
FULL = "This server already runs {} calls, which is its limit"
LATER = "Wait a few seconds, then call `{}` again"

Place: TypeAlias = Callable[[float], AbstractAsyncContextManager[bool]]
"""Holds a slot; a call waits at most the given seconds. Yields whether there was a slot."""


class Pace(Protocol):
    """A number of requests a second: of this process (`Rate`), or of all replicas together."""

    async def take(self, longest: float) -> float:
        """Take the next turn if at most `longest` seconds away; return the seconds until it."""

    def give_back(self) -> None:
        """Give back a turn that was taken and not used."""


class Rate:
    """Token bucket: `rate` requests a second on average (0: no limit), `burst` seconds' worth at
    once.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._size = rate, max(1.0, rate * burst)
        self._tokens, self._at = self._size, time.monotonic()

    async def take(self, longest: float = math.inf) -> float:
        """Take the next token if at most `longest` seconds away; return the seconds until it."""
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
        """Tokens that were taken from the bucket and that time has not refilled."""
        return max(0.0, self._size - self._tokens - (time.monotonic() - self._at) * self._rate)

    def give_back(self) -> None:
        """Give back a token that was taken and not used."""
        if self._rate:
            self._tokens += 1


def pace_of(settings: Settings, limit: str, rate: float, burst: float = 1.0) -> Pace:
    """Return the pace of a limit, `rate` a second: of all replicas if a part counts for them, else
    a `Rate` of this process. Raises SettingsError.
    """
    return cast("Pace", _shared(Rate(rate, burst), "pace", settings, limit, rate, burst))


def place_of(settings: Settings, limit: str, most: int | None = None) -> Place:
    """Return the slots that a part counts for all replicas; else a place without a limit."""
    return cast("Place", _shared(lambda _: nullcontext(True), "place", settings, limit, most))


def _shared(own: Any, kind: str, settings: Settings, *limit: Any) -> Any:
    seams = filter(None, (getattr(part, kind) for part in settings.parts))
    return next(filter(None, (seam(settings, *limit) for seam in seams)), own)


class Quota:
    """Limits of calls of one server: `max_calls` run at a time in this process, `call_rate` begin
    in a second on average (0: no limit), in all replicas together where they share their limits.
    """

    def __init__(
        self, settings: Settings, rates: Mapping[str, tuple[int, int]] = MappingProxyType({})
    ) -> None:
        """Make the limits. `rates`: tool -> calls, and the seconds they are meant for."""
        self._settings = settings
        self._paces = {
            tool: pace_of(settings, f"tool:{tool}", calls / seconds, seconds)
            for tool, (calls, seconds) in rates.items()
        }
        self._rate = pace_of(settings, "calls", settings.call_rate, BURST_SECONDS)
        self._running: Counter[Hashable] = Counter()
        figures["calls"] = lambda: (sum(list(self._running.values())), settings.max_calls)

    async def refusal(self, name: str, key: Hashable) -> str:
        """Explain why a call of tool `name` cannot begin now, in words for the model; if it can,
        take a token of the rate and return an empty text. `key` identifies the caller.
        """
        running = self._running.total()
        if running >= self._settings.max_calls:
            return f"{FULL.format(running)}. {LATER.format(name)}"
        wait = await self._rate.take(longest=0.0)
        return too_many("calls", wait, name) if wait else ""

    async def tool_refusal(self, name: str) -> str:
        """Take a token of a tool's rate, if any; explain a refusal, or return an empty text."""
        if name not in self._paces:
            return ""
        wait = await self._paces[name].take(longest=0.0)
        return too_many(f"calls of `{name}`", wait, name) if wait else ""

    @asynccontextmanager
    async def running(self, name: str, key: Hashable) -> AsyncIterator[str]:
        """Count a caller's call in the block; yield an empty text, in a subclass a refusal."""
        self._running[key] += 1
        try:
            yield ""
        finally:
            self._running[key] -= 1
            if not self._running[key]:
                del self._running[key]


CurrentQuota: TypeAlias = Callable[[], Quota]
"""Returns the quota of the transport that serves."""


def too_many(calls: str, wait: float, name: str) -> str:
    """Return that there are too many `calls` and when to call tool `name` again, for the model."""
    seconds = "1 second" if wait <= 1 else f"{math.ceil(wait)} seconds"
    return (
        f"Too many {calls}. Wait {seconds}, then call `{name}` again, and leave more time between"
        " calls"
    )
