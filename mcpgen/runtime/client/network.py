"""Connections: which addresses may be connected to, and answers read within bounds.

The address rule is applied to the address that is connected to, not to a look-up before it: a name
is resolved once, and what it resolves to decides.
"""

from __future__ import annotations

import asyncio
import ipaddress
import select
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import httpcore2
import httpx2

from ..errors import BadAnswer, Refused
from ..settings import Settings

MAX_HEADERS = 256

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")


class PrivateAddress(Refused):
    """The host is at an address of this machine or network, which nobody has vouched for."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet at large, also where it wraps an IPv4
    address.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip in _LOCAL_NAT64 or ip.is_site_local:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


class Backend(httpcore2.AsyncNetworkBackend):
    """Opens connections to public addresses, and to others only for the hosts the operator
    named.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        vouched = {(origin.host, origin.port) for origin in settings.trusted_origins}
        if settings.base_url_given:
            vouched.add((settings.origin.host, settings.origin.port))
        self._vouched = vouched
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve, judge, connect: to the first address that answers."""
        if self._settings.allow_private or (host.lower(), port) in self._vouched:
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
                found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("resolving the name took too long") from None
        except (OSError, UnicodeError):
            raise httpcore2.ConnectError("the name cannot be resolved") from None
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if not all(is_public(address) for address in addresses):
            base, allow = self._settings.variable("BASE_URL"), self._settings.variable(
                "ALLOW_PRIVATE"
            )
            raise PrivateAddress(
                "nothing was sent: the host of the API is at a private address; the operator of"
                f" this server can allow that by naming the API in `{base}`, or for every host with"
                f" `{allow}=true`"
            )
        return addresses[:4]

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Never: an API is reached by its URL."""
        raise httpcore2.ConnectError("no Unix sockets")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class _Connection(httpcore2.AsyncNetworkStream):
    """A connection which can be asked cheaply whether its other end has hung up or spoken out of
    turn.

    The pool asks every idle connection before each request, and the library's own look-up takes
    longer than all else that the pool does.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket = stream.get_extra_info("socket")
        self._poll = select.poll() if hasattr(select, "poll") else None  # not on Windows
        if self._poll is not None:
            self._poll.register(self._socket, select.POLLIN)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Some bytes; none at the end."""
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
        """The connection with TLS over it."""
        return _Connection(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """A fact about the connection."""
        if info == "is_readable" and self._poll is not None:
            # A closed socket's number may be another's by now
            return self._socket.fileno() < 0 or bool(self._poll.poll(0))
        return self._stream.get_extra_info(info)


class Response:
    """The head of an answer. `headers` have lower-case names, a repeated one its values joined;
    `raw` is as it came.
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
        """The bytes of the body, as they come."""
        return self._answer.aiter_stream()

    async def aclose(self) -> None:
        """Done with it: what has been read to its end leaves the connection to the next request."""
        await self._answer.aclose()

    async def drop(self) -> None:
        """Close the connection the answer came on, so that nothing of it is used again."""
        await self._answer.extensions["network_stream"].aclose()

    @property
    def leftover(self) -> bool:
        """Whether the connection holds bytes beyond the answer, which the next request on it would
        take for its own.

        The library keeps them and does not tell (httpcore2 2.16, h11 `trailing_data`), so this
        looks where they are.
        """
        stream = getattr(self._answer.stream, "_stream", None)
        state = getattr(getattr(stream, "_connection", None), "_h11_state", None)
        trailing = getattr(state, "trailing_data", (b"", False))
        return bool(trailing[0])


def _text(value: bytes) -> str:
    """A header field's value: ASCII by the book, and often UTF-8 or Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Transport:
    """Sends requests over a pool of connections with `Backend` below it. Errors are those of
    httpcore2.

    There is nothing here that an HTTP client usually does besides: no redirects, no cookies that
    are kept, no proxies and no credentials of the environment's.
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
        fields = {
            "Host": url.netloc.decode("ascii"),
            "User-Agent": self._agent,
            "Accept-Encoding": "gzip",
        }
        method = method.upper()
        if content or method in ("POST", "PUT", "PATCH", "QUERY"):
            fields["Content-Length"] = str(len(content or b""))
        given = {name.lower() for name in headers}
        lines = [(name, value) for name, value in fields.items() if name.lower() not in given]
        return Response(
            await self._pool.handle_async_request(
                httpcore2.Request(
                    method=method.encode("ascii"),
                    url=httpcore2.URL(
                        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                    ),
                    headers=[
                        (name.encode("ascii"), value.encode("ascii"))
                        for name, value in [*lines, *headers.items()]
                    ],
                    content=content,
                    extensions={"timeout": self._timeouts},
                )
            )
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


def tls(settings: Settings) -> ssl.SSLContext:
    """The system's certificates, or the operator's; no key log, whatever the environment says."""
    if settings.ca_file is None:
        context = httpcore2.default_ssl_context(_trust_env=False)
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(settings.ca_file)
    if settings.client_cert is not None:
        context.load_cert_chain(settings.client_cert, settings.client_key)
    return context


def check_head(response: Response) -> None:
    """Refuse an answer whose head is out of proportion. Its size is bounded by the HTTP library
    (100 KiB).
    """
    if len(response.raw) > MAX_HEADERS:
        raise BadAnswer(f"the API answered with more than {MAX_HEADERS} header fields")


async def body_of(response: Response, limit: int) -> AsyncIterator[bytes]:
    """The body of an answer, decoded, chunk by chunk, never more than `limit` bytes on the wire or
    decoded.

    Raises BadAnswer when there is more, or when it is encoded in a way that was not asked for.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise BadAnswer("the API encoded its answer in a way that was not asked for")
    gunzip = _Gunzip() if coding.endswith("gzip") else None
    raw = decoded = 0
    async for chunk in response.chunks():
        raw += len(chunk)
        if raw > limit:
            raise TooLarge(limit)
        if gunzip is None:
            yield chunk
            continue
        for piece in gunzip.feed(chunk):
            decoded += len(piece)
            if decoded > limit:
                raise TooLarge(limit)
            yield piece
    if gunzip is not None and raw and not gunzip.done:
        raise BadAnswer("the API's answer ended in the middle")
    if response.leftover:
        raise BadAnswer("the API sent more than the `Content-Length` it announced")


class TooLarge(BadAnswer):
    """More bytes than the limit allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the API's answer is larger than {limit:,} bytes")
        self.limit = limit


class _Gunzip:
    """gzip (RFC 1952), several members too, in pieces of at most 64 KiB: a bomb costs no more than
    its limit.
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
        """What these bytes decode to."""
        try:
            while data:
                if self._member.eof:
                    self._next_member()
                piece = self._member.decompress(data, self.PIECE)
                data = (
                    self._member.unused_data if self._member.eof else self._member.unconsumed_tail
                )
                if piece:
                    yield piece
        except zlib.error:
            raise BadAnswer("the API's answer says it is gzip and is not") from None

    def _next_member(self) -> None:
        """Begin another member: each costs memory and time, however little it holds."""
        self._members += 1
        if self._members > self.MEMBERS:
            raise BadAnswer(f"the API's answer has more than {self.MEMBERS:,} gzip members")
        self._member = zlib.decompressobj(wbits=31)
