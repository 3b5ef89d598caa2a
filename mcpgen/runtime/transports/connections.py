"""Limit the connections of the HTTP server: how many there are, and how long they may wait.

uvicorn closes idle connections and refuses requests when too many connections are open
(`limit_concurrency`), but it waits for a request's head without end: half a head on each of enough
connections keeps everybody else out. Here a request's head has a deadline, and a new connection
beyond the limit closes one whose request is not complete or that is idle.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..log import event
from .asgi import GONE

if TYPE_CHECKING:
    Base = H11Protocol
else:
    Base = object

RESERVED_FILES = 128
"""File descriptors that are not for callers: the API's connections, files, and connections that are
accepted but not yet counted.
"""
GRACE_SECONDS = 1.0
"""An honest client sends a whole request within this time."""
BACKLOG = 32
"""Connections that asyncio accepts in a row before it lets the earlier ones be closed."""


class ConnectionLimits:
    """The shared limits of a server's connections.

    `total` and `per_address` are numbers of connections, `head_seconds` the timeout for a
    request's head and for an answer that the client does not read.
    """

    def __init__(self, total: int, per_address: int, head_seconds: float) -> None:
        self.total = fitting(total)
        self.per_address = per_address
        self.head_seconds = head_seconds
        self._addresses: Counter[str] = Counter()
        self._waiting: dict[Connection, float] = {}
        """Connections without a complete request, longest wait first, and since when they wait."""

    def add(self, connection: Connection) -> bool:
        """Count a new connection, and close another one if there are too many. Returns False when
        that was not possible.
        """
        address = connection.address
        self._addresses[address] += 1
        has_room = True
        if self._addresses[address] > self.per_address:
            has_room = self._evict(address)
        elif self._addresses.total() > self.total:
            busiest = self._addresses.most_common(1)[0][0]
            has_room = self._evict(busiest) or self._evict(None)
        return has_room

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._waiting.pop(connection, None)
        self._addresses[connection.address] -= 1
        if not self._addresses[connection.address]:
            del self._addresses[connection.address]

    def waits(self, connection: Connection) -> None:
        """Note that this connection waits for a request from now on."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = time.monotonic()

    def works(self, connection: Connection) -> None:
        """Note that this connection has sent a complete request."""
        self._waiting.pop(connection, None)

    def _evict(self, address: str | None) -> bool:
        """Close the connection (of an address) that has waited longest; False if none waits.

        Incomplete requests come first, then idle connections, which a server may close (RFC 9112,
        section 9.3): of both, those that have waited for a while. An honest client is still sending
        a new request, and about to send the next one on a connection that was just used.
        """
        waiting = [each for each in self._waiting if address in (None, each.address)]
        latest = time.monotonic() - GRACE_SECONDS
        overdue = [each for each in waiting if self._waiting[each] <= latest]
        candidates = _incomplete_first(overdue) or _incomplete_first(waiting)
        if not candidates:
            return False
        candidates[0].give_up("too many connections")
        return True


def _incomplete_first(connections: list[Connection]) -> list[Connection]:
    """The connections with an incomplete request, or else all, which are idle."""
    return [each for each in connections if each.is_half_open] or connections


class OnePiece:
    """A transport that sends in one piece what is written in a row. uvicorn writes the head and the
    body of an answer one by one: two system calls, and a client that wakes up twice.
    """

    __slots__ = ("_pieces", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._pieces: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send bytes when the event loop goes on."""
        if not self._pieces:
            asyncio.get_running_loop().call_soon(self._send)
        self._pieces.append(data)

    def close(self) -> None:
        """Close, when everything has been sent."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._pieces and not self._transport.is_closing():
            self._transport.write(b"".join(self._pieces))
        self._pieces.clear()


class Connection(Base):
    """A deadline for heads and a place among the others, mixed into one of uvicorn's protocols."""

    limits: ConnectionLimits
    """Set on a subclass: see `protocol`."""

    has_partial_head: bool
    """Whether part of a request's head has arrived."""
    awaits_rest: bool
    """Whether a request's head has arrived and its body has not."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and wait for its first request."""
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) else ""
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        super().connection_made(OnePiece(transport))  # type: ignore[arg-type]
        if self.limits.add(self):
            self.limits.waits(self)
            self._start_deadline()
        else:
            event("warning", "connection_refused", reason="too many connections", peer=self.address)
            self._end(b"503 Service Unavailable", b"Retry-After: 1\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back, and cancel the call under way."""
        self._stop_deadline()
        scope: Any = self.cycle.scope if self._serves() else {}
        if GONE in scope:
            scope[GONE]()
        self.resume_writing()
        self.limits.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on. A request whose head has arrived has no deadline here; one whose body has
        arrived as well keeps its connection open.
        """
        if self._deadline is None and not self._serves():
            self.limits.waits(self)
            self._start_deadline()
        super().data_received(data)
        if not self._serves():
            return
        self._stop_deadline()
        if not self.awaits_rest:
            self.limits.works(self)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if self._serves():
            return
        self.limits.waits(self)
        if self.awaits_rest and self._deadline is None:
            self._start_deadline()  # the answer came before the body

    def pause_writing(self) -> None:
        """Give a client that does not read its answer a deadline as well."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(
                self.limits.head_seconds, self.give_up, "the answer was not read"
            )

    def resume_writing(self) -> None:
        """Take that deadline back."""
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        super().resume_writing()

    def give_up(self, reason: str) -> None:
        """Close the connection, with 408 (RFC 9110, section 15.5.9) if part of a request has
        arrived that nothing has answered.
        """
        self._stop_deadline()
        self.limits.works(self)
        if self.transport.is_closing():
            return
        event("info", "connection_closed", reason=reason, peer=self.address)
        if self.has_partial_head or self._awaits_body:
            self._end(b"408 Request Timeout", b"")
        else:
            self._close()

    def _end(self, status: bytes, fields: bytes) -> None:
        """Send an answer without content and close, without waiting for the client to read it."""
        head = b"HTTP/1.1 " + status + b"\r\n" + fields
        self.transport.write(head + b"Connection: close\r\nContent-Length: 0\r\n\r\n")
        self._close()

    def _close(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    @property
    def is_half_open(self) -> bool:
        """Whether a request is awaited that has begun, or the first one."""
        return self._deadline is not None or self._awaits_body

    @property
    def _awaits_body(self) -> bool:
        """Whether the head of a request has arrived, its body has not, and nothing is answered."""
        return self.awaits_rest and not self.cycle.response_started

    def _serves(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start_deadline(self) -> None:
        self._deadline = self.loop.call_later(
            self.limits.head_seconds, self.give_up, "the request's head did not arrive in time"
        )

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class H11Connection(Connection, H11Protocol):
    """A connection that h11 reads."""

    @property
    def has_partial_head(self) -> bool:  # type: ignore[override]
        """Whether part of a request's head has arrived."""
        return self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])

    @property
    def awaits_rest(self) -> bool:  # type: ignore[override]
        """Whether a request's head has arrived and its body has not."""
        return self.conn.their_state is h11.SEND_BODY


def protocol(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """The protocol of a server with these limits, as `uvicorn.Config(http=...)` takes it: the one
    of httptools where that is installed (the extra `fast`), or else of h11.
    """
    base: type[asyncio.Protocol] = H11Connection
    with suppress(ImportError):
        from .fast import HttpToolsConnection

        base = HttpToolsConnection
    return type("LimitedConnection", (base,), {"limits": limits})


def fitting(total: int) -> int:
    """As many of `total` connections as this process has file descriptors for, or 16."""
    try:
        import resource
    except ImportError:  # Windows counts no descriptors
        return total
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return total
    return min(total, max(16, files - RESERVED_FILES))
