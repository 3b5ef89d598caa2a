"""Connections in turn: of several processes that listen on one socket, the one that holds the
fewest takes the next.

All of them wake up for a connection. The one that runs first would take whatever waits, and keep
it: of 32 callers that come together and stay, one process had 28.
"""

from __future__ import annotations

import asyncio
import mmap
import socket
from collections.abc import Callable, Set
from typing import Any

PATIENCE_SECONDS = 0.01
"""Seconds for which a connection is left to the process whose turn it is: it may be busy, or
dead.
"""
RETRY_SECONDS = 1.0
"""When to try again after the system gave no connection: there are too many open files."""


class Turns:
    """Numbers of connections that each of `count` processes held when it last looked, in shared
    memory.
    """

    def __init__(self, count: int) -> None:
        self._held = memoryview(mmap.mmap(-1, 4 * count)).cast("i")

    def has(self, index: int, held: int) -> bool:
        """Return whether it is the turn of the process of that number, which holds so many."""
        self._held[index] = held
        return held <= min(self._held)


Turn = Callable[[int], bool]
"""Whether it is the turn of this process, which holds so many connections."""


class Listener:
    """Takes connections of a socket when it is this process's turn. `make` makes their protocols,
    and `held` are those there are.
    """

    def __init__(
        self,
        bound: socket.socket,
        turn: Turn,
        make: Callable[[], asyncio.Protocol],
        held: Set[object],
    ) -> None:
        self._bound = bound
        self._is_my_turn = turn
        self._make = make
        self._held = held
        self._loop = asyncio.get_running_loop()
        self._opening: dict[asyncio.Task[Any], asyncio.Protocol] = {}
        """Connections that were taken; the first of them may be held already."""
        self._pause: asyncio.TimerHandle | None = None
        bound.setblocking(False)
        self._loop.add_reader(bound, self._wake)

    def close(self) -> None:
        """Take no more."""
        self._loop.remove_reader(self._bound)
        if self._pause is not None:
            self._pause.cancel()

    def _wake(self) -> None:
        """Take the connection that waits, or leave it to another process for a moment."""
        if self._is_my_turn(len(self._held | set(self._opening.values()))):
            self._take()
        else:
            self._look_away(PATIENCE_SECONDS)

    def _look_away(self, seconds: float) -> None:
        """Take nothing for so long, and then what waits."""
        self._loop.remove_reader(self._bound)
        self._pause = self._loop.call_later(seconds, self._look_again)

    def _look_again(self) -> None:
        self._loop.add_reader(self._bound, self._wake)
        self._take()

    def _take(self) -> None:
        """Take the connection that waits, if no other process has."""
        try:
            connection, _ = self._bound.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:
            self._look_away(RETRY_SECONDS)
            return
        connection.setblocking(False)
        protocol = self._make()
        opening = self._loop.connect_accepted_socket(lambda: protocol, connection)
        task = self._loop.create_task(opening)
        self._opening[task] = protocol
        task.add_done_callback(self._opening.pop)
