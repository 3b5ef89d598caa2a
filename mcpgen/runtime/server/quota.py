"""How many calls a server takes (MCP: a server must rate limit the invocations of its tools).

A caller who comes too early is not kept waiting: the model is told to wait.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from ..limits import pace_of
from ..settings import Settings

BURST_SECONDS = 10.0
"""Calls of so many seconds may come at once."""


class Quota:
    """The calls of one server: `max_calls` run at a time in this process, `call_rate` begin in a
    second on average (0: no limit), in all replicas together where they share their limits.
    """

    def __init__(self, settings: Settings) -> None:
        self._at_once = settings.max_calls
        self._rate = pace_of(settings, "calls", settings.call_rate, BURST_SECONDS)
        self._running = 0

    async def refusal(self, name: str) -> str:
        """Why a call cannot begin now, in words for the model; nothing, and the call is counted,
        when it can.
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
