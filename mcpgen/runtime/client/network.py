"""Connections: which addresses may be connected to, and answers read within bounds.

The address rule is applied to the address that is connected to, not to one looked up before: a name
is resolved once, and the result decides.

Requests go to httpcore2's connection pool, below `httpx2.AsyncClient`: a request takes 0.8 ms of
CPU here and 1.2 ms through the client with the same pool, and the request is more than half of a
tool call (docs/performance.md of mcpgen). The client's cookies, redirects, proxies and credentials
from the environment would have to be turned off besides.
"""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import httpcore2
import httpx2

from ..errors import BadAnswer, Refused
from ..origin import is_public, origin_of
from ..settings import Settings

MAX_HEADERS = 256
MAX_ADDRESSES = 4

_WITH_BODY = frozenset(("POST", "PUT", "PATCH", "QUERY"))
"""Methods that announce a body of no bytes too (RFC 9110 section 8.6)."""


class PrivateAddress(Refused):
    """The host is at an address of this machine or network, and the operator has not named it."""


class Backend(httpcore2.AsyncNetworkBackend):
    """Open connections to public addresses; to others only for hosts that the operator named."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._named_hosts = {(origin.host, origin.port) for origin in settings.trusted_origins}
        if settings.exchange_url:
            exchange = origin_of(settings.exchange_url)
            self._named_hosts.add((exchange.host, exchange.port))
        if settings.base_url_trusted:
            self._named_hosts.add((settings.origin.host, settings.origin.port))
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve the name, check its addresses, connect to the first that answers."""
        if self._settings.allow_private or (host.lower(), port) in self._named_hosts:
            return _Connection(
                await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
            )
        failure: Exception = httpcore2.ConnectError("the name has no address")
        for address in await self._addresses(host, port, timeout):
            try:
                stream = await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
                return _Connection(stream)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _addresses(self, host: str, port: int, timeout: float | None) -> list[str]:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("resolving the name took too long") from None
        except (OSError, UnicodeError):
            raise httpcore2.ConnectError("the name cannot be resolved") from None
        addresses = list(dict.fromkeys(str(info[4][0]) for info in infos))
        if not all(is_public(address) for address in addresses):
            variable = self._settings.variable
            raise PrivateAddress(
                "nothing was sent: the host of the API is at a private address; the operator of"
                f" this server can allow that by naming the API in `{variable('BASE_URL')}`, or for"
                f" every host with `{variable('ALLOW_PRIVATE')}=true`"
            )
        return addresses[:MAX_ADDRESSES]

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Raise ConnectError: an API is reached by its URL."""
        raise httpcore2.ConnectError("no Unix sockets")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class _Connection(httpcore2.AsyncNetworkStream):
    """A stream with a cheap `is_readable` check for pool reuse.

    The pool asks every idle connection before each request, and the library's own check takes
    longer than everything else that the pool does.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket = stream.get_extra_info("socket")
        self._poll = select.poll() if hasattr(select, "poll") else None  # not on Windows
        if self._poll is not None:
            self._poll.register(self._socket, select.POLLIN)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Receive some bytes; none at the end."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        if buffer:
            await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """The same connection with TLS on top."""
        return _Connection(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """A fact about the connection."""
        if info == "is_readable" and self._poll is not None:
            # The number of a closed socket may belong to another one by now
            return self._socket.fileno() < 0 or bool(self._poll.poll(0))
        return self._stream.get_extra_info(info)


class Response:
    """The head of an answer.

    `headers` have lower-case names, and the values of a repeated one are joined by commas; `raw`
    holds the header fields as received.
    """

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer
        self.status = answer.status
        self.raw = answer.headers
        values: dict[str, list[str]] = {}
        for name, value in self.raw:
            values.setdefault(name.decode("latin-1").lower(), []).append(_text(value))
        self.headers = {name: ", ".join(texts) for name, texts in values.items()}

    def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the body, as they arrive."""
        return self._answer.aiter_stream()

    async def aclose(self) -> None:
        """Release the connection. An answer read to its end leaves it to the next request."""
        await self._answer.aclose()

    async def drop(self) -> None:
        """Close the connection of this answer, so that it is not used again."""
        await self._answer.extensions["network_stream"].aclose()

    @property
    def leftover(self) -> bool:
        """Whether the connection holds bytes beyond the answer, which the next request on it would
        take for its own answer.

        The library keeps them without telling (httpcore2 2.16, h11 `trailing_data`), so this reads
        its private state.
        """
        stream = getattr(self._answer.stream, "_stream", None)
        state = getattr(getattr(stream, "_connection", None), "_h11_state", None)
        trailing = getattr(state, "trailing_data", (b"", False))
        return bool(trailing[0])


def _text(value: bytes) -> str:
    """A header field's value: ASCII by the standard, and often UTF-8 or Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Transport:
    """Send requests over a pool of connections with `Backend` below it. Raises httpcore2's errors.

    Unlike an HTTP client it follows no redirects, keeps no cookies and reads no proxy settings or
    credentials from the environment.
    """

    def __init__(self, settings: Settings) -> None:
        self._agent = f"{settings.name}-mcp"
        self._timeouts = {
            "connect": settings.connect_timeout,
            "read": settings.timeout,
            "write": settings.timeout,
            "pool": settings.timeout,
        }
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls(settings),
            max_connections=settings.max_concurrency + 4,
            max_keepalive_connections=settings.max_concurrency,
            keepalive_expiry=30.0,
            network_backend=Backend(settings),
        )

    async def send(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], content: bytes | None
    ) -> Response:
        """Send one request; the answer's body is still to be read."""
        method = method.upper()
        fields = {
            "Host": url.netloc.decode("ascii"),
            "User-Agent": self._agent,
            "Accept-Encoding": "gzip",
        }
        if content or method in _WITH_BODY:
            fields["Content-Length"] = str(len(content or b""))
        overridden = {name.lower() for name in headers}
        lines = [item for item in fields.items() if item[0].lower() not in overridden]
        lines += headers.items()
        request = httpcore2.Request(
            method=method.encode("ascii"),
            url=httpcore2.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in lines],
            content=content,
            extensions={"timeout": self._timeouts},
        )
        return Response(await self._pool.handle_async_request(request))

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


def tls(settings: Settings) -> ssl.SSLContext:
    """A context that trusts the system's certificates, or the operator's. It writes no key log,
    whatever the environment says.
    """
    if settings.ca_file is None:
        context = httpcore2.default_ssl_context(_trust_env=False)
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(settings.ca_file)
    if settings.client_cert is not None:
        context.load_cert_chain(settings.client_cert, settings.client_key)
    return context


def check_head(response: Response) -> None:
    """Raise BadAnswer for too many header fields. The HTTP library bounds their size (100 KiB)."""
    if len(response.raw) > MAX_HEADERS:
        raise BadAnswer(f"the API answered with more than {MAX_HEADERS} header fields")


async def body_of(response: Response, limit: int) -> AsyncIterator[bytes]:
    """The decoded body of an answer in chunks, at most `limit` bytes before and after decoding.

    Raises BadAnswer when there is more, or when its content coding was not asked for.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise BadAnswer("the API encoded its answer in a way that was not asked for")
    decoder = _Gunzip() if coding.endswith("gzip") else _Identity()
    received = decoded = 0
    async for chunk in response.chunks():
        received += len(chunk)
        if received > limit:
            raise TooLarge(limit)
        for piece in decoder.feed(chunk):
            decoded += len(piece)
            if decoded > limit:
                raise TooLarge(limit)
            yield piece
    if received and not decoder.done:
        raise BadAnswer("the API's answer ended in the middle")
    if response.leftover:
        raise BadAnswer("the API sent more than the `Content-Length` it announced")


class TooLarge(BadAnswer):
    """More bytes than the limit allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the API's answer is larger than {limit:,} bytes")
        self.limit = limit


class _Identity:
    """The decoder of a body without content coding."""

    done = True

    def feed(self, data: bytes) -> Iterable[bytes]:
        """The bytes as they are."""
        return (data,)


class _Gunzip:
    """Decode gzip (RFC 1952), also of several members, in pieces of at most 64 KiB, so that a bomb
    costs no more than its limit.
    """

    PIECE = 64 * 1024
    MEMBERS = 1_024

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)
        self._members = 1

    @property
    def done(self) -> bool:
        """Whether the last member is complete."""
        return self._member.eof

    def feed(self, data: bytes) -> Iterable[bytes]:
        """The bytes that these decode to."""
        try:
            while data:
                if self._member.eof:
                    self._next_member()
                piece = self._member.decompress(data, self.PIECE)
                data = self._member.unused_data or self._member.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error:
            raise BadAnswer("the API's answer says it is gzip and is not") from None

    def _next_member(self) -> None:
        """Begin another member. Each costs memory and time, however little it holds."""
        self._members += 1
        if self._members > self.MEMBERS:
            raise BadAnswer(f"the API's answer has more than {self.MEMBERS:,} gzip members")
        self._member = zlib.decompressobj(wbits=31)
