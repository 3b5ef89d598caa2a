"""Connections to the API: opened on the event loop itself, and kept open between requests.

h11 reads and writes HTTP/1.1 (RFC 9112) on them where a message is not an ordinary one (`plain`).
The connections of httpcore2 do the same with it, and take a sixth of a call's CPU for locks, traces
and generators that are of no use here.
"""

from __future__ import annotations

import asyncio
import select
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Protocol

import h11
import httpcore2
import httpx2

from .plain import Fields, Request, ordinary

MOST_UNREAD = 256 * 1024
"""Bytes that wait to be read before no more are taken from the network."""
NEXT_ADDRESS_SECONDS = 0.25
KEEP_SECONDS = 30.0
"""How long an idle connection is kept (RFC 9112, section 9.3)."""
LIFE_SECONDS = 300.0
"""How long a connection is used. A name that leads elsewhere by now would else never be looked up
again while there are calls.
"""
MAX_HEAD = 100 * 1024
"""Bytes of an answer's head."""
READ_BYTES = 64 * 1024
PORTS = {b"http": 80, b"https": 443}


class Stream(asyncio.Protocol):
    """A connection of the event loop. Raises httpcore2's errors."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._received = bytearray()
        self._is_paused = False
        self._has_ended = False
        self._failure: Exception | None = None
        self._arrival: asyncio.Future[None] | None = None
        """Done when something has arrived, or the end."""
        self._room: asyncio.Future[None] | None = None
        """Done when there is room to write again."""
        self._poll = select.poll() if hasattr(select, "poll") else None  # not on Windows

    @classmethod
    async def connected(cls, addresses: list[str], port: int, timeout: float) -> Stream:
        """A connection to the address of a host that answers first; the next one is tried when one
        keeps silent (RFC 8305, section 5). Raises ConnectError and ConnectTimeout.
        """
        try:
            async with asyncio.timeout(timeout):
                return await _first_connected(addresses, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout from error
        except OSError as error:
            raise httpcore2.ConnectError from error

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = transport
        if self._poll is not None:
            self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        """Keep what arrives until it is read."""
        self._received += data
        if len(self._received) > MOST_UNREAD and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        _wake(self._arrival)
        # An answer to half a request, such as 413, ends the writing (RFC 9112, section 9.5)
        _wake(self._room)

    def eof_received(self) -> None:
        """Nothing more arrives."""
        self._has_ended = True
        _wake(self._arrival)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who reads or writes."""
        self._has_ended = True
        self._failure = exc
        _wake(self._arrival)
        _wake(self._room)

    def pause_writing(self) -> None:
        """Let the next write wait."""
        self._room = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """Let it go on."""
        _wake(self._room)
        self._room = None

    async def read(self, max_bytes: int, timeout: float) -> bytes:
        """Receive some bytes; none at the end."""
        if not self._received and not self._has_ended:
            self._arrival = asyncio.get_running_loop().create_future()
            await _in_time(self._arrival, timeout, httpcore2.ReadTimeout())
        if not self._received and self._failure is not None:
            raise httpcore2.ReadError from self._failure
        data = bytes(self._received[:max_bytes])
        del self._received[:max_bytes]
        if self._is_paused and not self._received:
            self._is_paused = False
            self._transport.resume_reading()
        return data

    async def write(self, data: bytes, timeout: float) -> None:
        """Send bytes."""
        if self._transport.is_closing():
            raise httpcore2.WriteError from self._failure
        self._transport.write(data)
        if self._room is not None:
            await _in_time(self._room, timeout, httpcore2.WriteTimeout())

    def close(self) -> None:
        """Close at once."""
        self._has_ended = True
        self._transport.abort()

    async def start_tls(self, context: ssl.SSLContext, host: str, timeout: float) -> None:
        """Go on with TLS. Raises ConnectError and ConnectTimeout."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                self._transport = await loop.start_tls(
                    self._transport, self, context, server_hostname=host
                )
        except BaseException as error:
            self.close()
            if isinstance(error, TimeoutError):
                raise httpcore2.ConnectTimeout from error
            if isinstance(error, OSError):
                raise httpcore2.ConnectError from error
            raise

    @property
    def is_sending(self) -> bool:
        """Whether bytes wait to be sent."""
        return bool(self._transport.get_write_buffer_size())

    @property
    def is_readable(self) -> bool:
        """Whether bytes that nobody asked for have arrived, or the end."""
        if self._has_ended or self._received:
            return True
        return self._poll is not None and bool(self._poll.poll(0))


async def _first_connected(addresses: list[str], port: int) -> Stream:
    """A connection to the address that answers first. Raises OSError, of an address that failed,
    when none answers.

    `loop.create_connection` tries one address after the other by itself when it is given a name,
    but then it resolves the name again, to addresses that nobody checked.
    """
    untried = list(addresses)
    attempts: set[asyncio.Task[Stream]] = set()
    running: set[asyncio.Task[Stream]] = set()
    failure: BaseException = OSError("the name has no address")
    try:
        while untried or running:
            if untried:
                attempt = asyncio.create_task(_connected(untried.pop(0), port))
                attempts.add(attempt)
                running.add(attempt)
            patience = NEXT_ADDRESS_SECONDS if untried else None
            ended, running = await asyncio.wait(
                running, timeout=patience, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in ended:
                error = attempt.exception()
                if error is None:
                    attempts.remove(attempt)
                    return attempt.result()
                failure = error
        raise failure
    finally:
        for attempt in attempts:
            attempt.cancel()
            attempt.add_done_callback(_close_late)


async def _connected(address: str, port: int) -> Stream:
    """A connection to an address."""
    _, stream = await asyncio.get_running_loop().create_connection(Stream, address, port)
    return stream


def _close_late(attempt: asyncio.Task[Stream]) -> None:
    """Close the connection of an attempt that came second."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()


def _wake(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)


async def _in_time(future: asyncio.Future[None], seconds: float, late: Exception) -> None:
    """Wait for a future. Raises `late` when it takes longer than so many seconds."""
    timer = asyncio.get_running_loop().call_later(seconds, _fail, future, late)
    try:
        await future
    finally:
        timer.cancel()


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


Destination = tuple[bytes, bytes, int]
"""Scheme, host and port."""


def _destination(url: httpx2.URL) -> Destination:
    scheme, host = url.raw_scheme, url.raw_host
    return scheme, host, url.port or PORTS[scheme]


class Connection:
    """HTTP/1.1 on a stream: a request, its answer, and then perhaps another request. Raises h11's
    and httpcore2's errors; whoever meets one closes the connection.

    `seconds` is how long the API may be silent.
    """

    def __init__(self, destination: Destination, stream: Stream, seconds: float) -> None:
        self.destination = destination
        self._stream = stream
        self._seconds = seconds
        self._state: h11.Connection | None = None
        """What writes and reads, where the request or its answer is not an ordinary one."""
        self._arrived = b""
        self._missing = 0
        """Bytes of the body of an ordinary answer that were not read yet; `_arrived` begins with
        some of them.
        """
        self._idle_since = 0.0
        self._last_use = time.monotonic() + LIFE_SECONDS

    async def send(self, request: Request, content: bytes | None) -> tuple[int, Fields]:
        """Send a request and wait for the head of its answer: its status and its fields."""
        if request.head is None:
            await self._write(self._begun(request, content))
            return await self._head()
        await self._write(request.head + (content or b""))
        data = await self._stream.read(READ_BYTES, self._seconds)
        head = ordinary(data, request.method)
        if head is None:
            self._begun(request, content)
            assert self._state is not None
            self._state.receive_data(data)
            return await self._head()
        self._missing, self._arrived = head.length, head.body
        return head.status, head.fields

    async def _write(self, data: bytes) -> None:
        with suppress(httpcore2.WriteError):  # the answer may be there all the same
            await self._stream.write(data, self._seconds)

    def _begun(self, request: Request, content: bytes | None) -> bytes:
        """Leave the request and its answer to h11; the bytes of the request."""
        self._state = state = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        parts = [state.send(request.for_h11())]
        if content:
            parts.append(state.send(h11.Data(content)))
        parts.append(state.send(h11.EndOfMessage()))
        return b"".join(filter(None, parts))

    async def _head(self) -> tuple[int, Fields]:
        event = await self._event()
        while isinstance(event, h11.InformationalResponse):
            event = await self._event()
        if not isinstance(event, h11.Response):
            raise h11.RemoteProtocolError("the connection was switched to another protocol")
        return event.status_code, event.headers.raw_items()

    def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the answer's body, as they arrive."""
        return self._missing_chunks() if self._state is None else self._h11_chunks()

    async def _missing_chunks(self) -> AsyncIterator[bytes]:
        while self._missing:
            data = self._arrived or await self._stream.read(READ_BYTES, self._seconds)
            if not data:
                raise h11.RemoteProtocolError("the answer ended in its body")
            piece, self._arrived = data[: self._missing], data[self._missing :]
            self._missing -= len(piece)
            yield piece

    async def _h11_chunks(self) -> AsyncIterator[bytes]:
        event = await self._event()
        while isinstance(event, h11.Data):
            yield bytes(event.data)
            event = await self._event()

    async def _event(self) -> Any:
        assert self._state is not None
        event = self._state.next_event()
        while event is h11.NEED_DATA:
            self._state.receive_data(await self._stream.read(READ_BYTES, self._seconds))
            event = self._state.next_event()
        return event

    @property
    def leftover(self) -> bool:
        """Whether bytes beyond the answer have arrived, which the next request would take for its
        own answer.
        """
        if self._state is None:
            return bool(self._arrived) and not self._missing
        return bool(self._state.trailing_data[0])

    def reuse(self) -> bool:
        """Make ready for the next request; False when there can be none."""
        state = self._state
        if state is not None and (state.our_state, state.their_state) != (h11.DONE, h11.DONE):
            return False
        if any((self._missing, self.leftover, self._stream.is_sending)):
            return False
        self._state = None
        self._idle_since = time.monotonic()
        return True

    @property
    def has_expired(self) -> bool:
        """Whether it is too old or has been idle for too long, or the API has ended it or spoken on
        it.
        """
        if time.monotonic() > min(self._last_use, self._idle_since + KEEP_SECONDS):
            return True
        return self._stream.is_readable

    def close(self) -> None:
        """Close it."""
        self._stream.close()


class Network(Protocol):
    """Opens connections."""

    async def connect(self, host: str, port: int, timeout: float) -> Stream:
        """A connection to a host. Raises httpcore2's errors."""


class Pool:
    """Connections that are kept open between requests. At most `most` are idle."""

    def __init__(
        self, network: Network, context: ssl.SSLContext, most: int, *, connect: float, silent: float
    ) -> None:
        """A connection may take `connect` seconds to open and be `silent` for so many."""
        self._network = network
        self._context = context
        self._most = most
        self._connect_seconds = connect
        self._silent_seconds = silent
        self._idle: list[Connection] = []
        """The one that was used last comes last."""

    async def take(self, url: httpx2.URL) -> Connection:
        """A connection to where a URL points, on which no request is under way. Raises
        httpcore2's errors where a new one cannot be opened in time.
        """
        destination = _destination(url)
        connection = self._take_idle(destination)
        if connection is not None:
            return connection
        return Connection(destination, await self._opened(*destination), self._silent_seconds)

    async def reach(self, url: httpx2.URL) -> None:
        """Open a connection to where a URL points, and close it. Raises httpcore2's errors."""
        stream = await self._opened(*_destination(url))
        stream.close()

    def _take_idle(self, destination: Destination) -> Connection | None:
        """The connection to a destination that was used last. Those that expired are closed: what
        is longest idle, and what is in the way.
        """
        while self._idle and self._idle[0].has_expired:
            self._idle.pop(0).close()
        for index in reversed(range(len(self._idle))):
            if self._idle[index].destination != destination:
                continue
            connection = self._idle.pop(index)
            if not connection.has_expired:
                return connection
            connection.close()
        return None

    async def _opened(self, scheme: bytes, host: bytes, port: int) -> Stream:
        """A new connection."""
        name, seconds = host.decode("ascii"), self._connect_seconds
        stream = await self._network.connect(name, port, seconds)
        if scheme == b"https":
            await stream.start_tls(self._context, name, seconds)
        return stream

    def give_back(self, connection: Connection) -> None:
        """Keep a connection for the next request, if it can serve another one."""
        if not connection.reuse():
            connection.close()
            return
        self._idle.append(connection)
        if len(self._idle) > self._most:
            self._idle.pop(0).close()

    async def aclose(self) -> None:
        """Close every idle connection, and let the event loop do it."""
        while self._idle:
            self._idle.pop().close()
        await asyncio.sleep(0)
