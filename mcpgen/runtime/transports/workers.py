"""Serve HTTP from several processes that share one listening socket.

There is one queue of connections, and none is lost when a process ends. (With a socket for each
process, Linux resets what waits in the queue of a socket that is closed.) The process that holds
the fewest takes the next one. Nothing else is shared. The server keeps no sessions, so every
process can answer every request; progress and cancellation belong to one connection, and so to one
process.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

from ..errors import StartError
from ..log import event

if TYPE_CHECKING:
    from ..settings import Settings

MOST = 256
SHORTEST_LIFE = 2.0
"""Seconds. A process that ends sooner would end again, and is not replaced."""

_SHARED_COUNTS = ("max_calls", "max_concurrency", "max_waiting", "http_max_connections")
_SHARED_RATES = ("call_rate", "rate_limit")


def share(settings: Settings, count: int) -> Settings:
    """The settings of one of `count` processes: each gets its part of the limits that hold for the
    server. Raises StartError for a number of processes that cannot be.
    """
    if not 1 <= count <= MOST:
        raise StartError(f"--workers has to be from 1 to {MOST}")
    if count > 1 and not hasattr(os, "fork"):
        raise StartError("--workers needs a system with `fork`; start several servers instead")
    parts: dict[str, float] = {}
    for name in _SHARED_COUNTS:
        parts[name] = math.ceil(getattr(settings, name) / count)
    if not any(part.pace for part in settings.parts):  # there all processes count together
        for name in _SHARED_RATES:
            parts[name] = getattr(settings, name) / count
    return replace(settings, **parts)  # type: ignore[arg-type]


class Workers:
    """Processes that run `serve`, which gets the number of its process and a file descriptor that
    is readable once this process has died. `release` gives up what the first process alone would
    keep open once they end: the listening socket.
    """

    def __init__(
        self, count: int, serve: Callable[[int, int], int], release: Callable[[], None]
    ) -> None:
        self._count = count
        self._serve = serve
        self._release = release
        self._running: dict[int, tuple[int, float]] = {}
        """Process id -> number of the process, and when it was started."""
        self._is_ending = False
        self._alive = os.pipe()

    def run(self) -> int:
        """Serve until all processes have ended; one that dies is replaced. The exit code is 0 when
        every process ended as it was asked to.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._pass_on)
        for index in range(self._count):
            self._start(index)
        worst = 0
        while self._running:
            process, status = os.wait()
            if process in self._running:
                worst = max(worst, self._ended(process, os.waitstatus_to_exitcode(status)))
        return worst

    def _start(self, index: int) -> None:
        """Start the process of that number, unless all are to end. A signal that arrives meanwhile
        waits.
        """
        signals = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        if self._is_ending:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            return
        process = os.fork()
        if process:
            self._running[process] = index, time.monotonic()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            return
        code = 1
        try:
            # Ctrl-C reaches the first process alone, which passes it on
            os.setpgid(0, 0)
            os.close(self._alive[1])
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            code = self._serve(index, self._alive[0])
        except KeyboardInterrupt:
            code = 130
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _ended(self, process: int, code: int) -> int:
        """Replace a process that ended by itself; what it adds to the exit code."""
        index, started = self._running.pop(process)
        if self._is_ending:
            return abs(code)
        event("error", "worker_ended", worker=index, exit_code=code)
        if time.monotonic() - started < SHORTEST_LIFE:
            self._pass_on(signal.SIGTERM, None)
            return 1
        self._start(index)
        return 0

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        """Ask every process to end."""
        self._is_ending = True
        self._release()
        for process in self._running:
            with suppress(ProcessLookupError):  # it has ended, and is about to be taken off
                os.kill(process, number)
