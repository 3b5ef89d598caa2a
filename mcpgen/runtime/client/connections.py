"""Connections to the API: opened on the event loop itself, and kept open between requests.

httpcore2 speaks HTTP on them. Its own pool looks at every connection twice for each request, and
its streams go through anyio's: both cost CPU in every call.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from typing import Any, Protocol

import httpcore2

MOST_UNREAD = 256 * 1024
"""Bytes that wait to be read before no more are taken from the network."""
NEXT_ADDRESS_SECONDS = 0.25
KEEP_SECONDS = 30.0
"""How long an idle connection is kept (RFC 9112, section 9.3)."""


class Stream(asyncio.Protocol, httpcore2.AsyncNetworkStream):
    """A connection of the event loop, as httpcore2 reads and writes it. Raises its errors."""

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

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Receive some bytes; none at the end."""
        if not self._received and not self._has_ended:
            self._arrival = asyncio.get_running_loop().create_future()
            await _in_time(self._arrival, timeout, httpcore2.ReadTimeout)
        if not self._received and self._failure is not None:
            raise httpcore2.ReadError from self._failure
        data = bytes(self._received[:max_bytes])
        del self._received[:max_bytes]
        if self._is_paused and not self._received:
            self._is_paused = False
            self._transport.resume_reading()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        if not buffer:
            return
        if self._transport.is_closing():
            raise httpcore2.WriteError from self._failure
        self._transport.write(buffer)
        if self._room is not None:
            await _in_time(self._room, timeout, httpcore2.WriteTimeout)

    def close(self) -> None:
        """Close at once."""
        self._has_ended = True
        self._transport.abort()

    async def aclose(self) -> None:
        """Close, and let the event loop do it."""
        self.close()
        await asyncio.sleep(0)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> Stream:
        """The same connection with TLS on top. Raises ConnectError and ConnectTimeout."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                self._transport = await loop.start_tls(
                    self._transport, self, ssl_context, server_hostname=server_hostname
                )
        except BaseException as error:
            self.close()
            if isinstance(error, TimeoutError):
                raise httpcore2.ConnectTimeout from error
            if isinstance(error, OSError):
                raise httpcore2.ConnectError from error
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """A fact about the connection. It is `is_readable` when bytes that nobody asked for have
        arrived, or its end.
        """
        if info != "is_readable":
            return self._transport.get_extra_info(info)
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


async def _in_time(
    future: asyncio.Future[None], seconds: float | None, late: type[Exception]
) -> None:
    """Wait for a future. Raises `late` when it takes longer than so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await future
    except TimeoutError as error:
        raise late from error


class Network(Protocol):
    """Opens connections."""

    async def connect(self, host: str, port: int, timeout: float) -> Stream:
        """A connection to a host. Raises httpcore2's errors."""


class Pool:
    """Connections that are kept open between requests. At most `most` are idle."""

    def __init__(self, network: Network, context: ssl.SSLContext, most: int) -> None:
        self._network = network
        self._context = context
        self._most = most
        self._idle: list[httpcore2.AsyncHTTP11Connection] = []
        """The one that was used last comes last."""

    async def take(self, url: httpcore2.URL, timeout: float) -> httpcore2.AsyncHTTP11Connection:
        """A connection to where a URL points, on which no request is under way. A new one is open
        after `timeout` seconds, or ConnectTimeout is raised.
        """
        origin = url.origin
        await self._close_expired()
        for index in reversed(range(len(self._idle))):
            if self._idle[index].can_handle_request(origin):
                connection = self._idle.pop(index)
                if not connection.has_expired():
                    return connection
                await connection.aclose()
        host = origin.host.decode("ascii")
        stream = await self._network.connect(host, origin.port, timeout)
        if origin.scheme == b"https":
            stream = await stream.start_tls(self._context, host, timeout)
        return httpcore2.AsyncHTTP11Connection(origin, stream, KEEP_SECONDS)

    async def give_back(self, connection: httpcore2.AsyncHTTP11Connection) -> None:
        """Keep a connection for the next request, if it can serve another one."""
        if not connection.is_idle():
            return
        self._idle.append(connection)
        if len(self._idle) > self._most:
            await self._idle.pop(0).aclose()

    async def _close_expired(self) -> None:
        """Close what has been idle for too long."""
        while self._idle and self._idle[0].has_expired():
            await self._idle.pop(0).aclose()

    async def aclose(self) -> None:
        """Close every idle connection."""
        while self._idle:
            await self._idle.pop().aclose()
