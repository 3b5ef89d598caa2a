"""End the HTTP server without dropping a call.

On SIGTERM `/ready` says 503 at once, so that a load balancer sends no more; connections are still
taken for the grace period, because it needs a moment to notice. Then the server stops listening,
calls under way end, and the process leaves with exit code 0.
"""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from sse_starlette.sse import AppStatus

from ..log import event
from .turns import Listener, Turn

INTERRUPT_SECONDS = 5
"""Seconds of grace after Ctrl-C for calls under way; a second Ctrl-C ends them."""

QUEUE = 1024
"""Connections that the system keeps until they are accepted; beyond that a client's first packet is
dropped, and sent again after a second. asyncio would have as many as it accepts in a row.
"""
ARRIVAL_SECONDS = 0.2
"""Seconds for which the request of a connected caller may be on its way."""


class DrainingServer(uvicorn.Server):
    """uvicorn's server with a grace period. `drain` is called when the period begins, `parent` is a
    file descriptor that is readable once the process that started this one has died, `turn` that
    of this process among others that listen on the same sockets.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        grace_seconds: float,
        drain: Callable[[], None],
        parent: int | None = None,
        turn: Turn | None = None,
    ) -> None:
        super().__init__(config)
        self._grace_seconds = grace_seconds
        self._drain = drain
        self._parent = parent
        self._turn = turn
        self._listeners: list[Listener] = []
        self.announcement = ""
        """Printed on stderr once the server listens and SIGTERM is handled."""
        self._listens_until = math.inf
        # Else every event stream would break off at the signal, its call unanswered
        AppStatus.enable_automatic_graceful_drain = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and watch the process that started this one."""
        listening = sockets or []
        await super().startup([] if self._turn else listening)
        for each in listening:
            each.listen(QUEUE)
            if self._turn:
                held = self.server_state.connections
                self._listeners.append(Listener(each, self._turn, self._protocol, held))
        if self.announcement:
            print(self.announcement, file=sys.stderr)
        if self._parent is not None:
            asyncio.get_running_loop().add_reader(self._parent, self._orphaned, self._parent)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take the connections that wait and no more, and wait for the calls under way. What has
        been sent on a connection that is about to be closed is still read.
        """
        listening = sockets or []
        for listener in self._listeners:
            listener.close()
        taken = [connection for each in listening for connection in _waiting(each)]
        for server in self.servers:
            server.close()
        for each in listening:
            each.close()
        loop = asyncio.get_running_loop()
        for connection in taken:
            await loop.connect_accepted_socket(self._protocol, connection)
        await asyncio.sleep(ARRIVAL_SECONDS)
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        """The protocol of a new connection, as uvicorn makes it."""
        made: Callable[..., asyncio.Protocol] = self.config.http_protocol_class
        state = self.server_state
        return made(config=self.config, server_state=state, app_state=self.lifespan.state)

    def _orphaned(self, parent: int) -> None:
        """End like on SIGTERM: nobody is left who would send it."""
        asyncio.get_running_loop().remove_reader(parent)
        self.handle_exit(signal.SIGTERM, None)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end: after the grace period on SIGTERM, at once when it is sent again and on
        Ctrl-C.
        """
        self._drain()
        if sig != signal.SIGTERM:
            self.config.timeout_graceful_shutdown = INTERRUPT_SECONDS
            super().handle_exit(sig, frame)
            return
        grace = self._grace_seconds
        if math.isfinite(self._listens_until):
            grace = 0.0
        self._listens_until = time.monotonic() + grace
        event("info", "draining", seconds=grace)

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop listening; asked every tenth of a second."""
        has_ended = time.monotonic() >= self._listens_until
        return await super().on_tick(counter) or has_ended


def _waiting(bound: socket.socket) -> Iterator[socket.socket]:
    """The connections that the system keeps; it would reset them once nobody listens."""
    bound.setblocking(False)
    for _ in range(QUEUE):
        try:
            connection, _ = bound.accept()
        except OSError:
            return
        connection.setblocking(False)
        yield connection
