"""Connections: which addresses may be connected to, and answers read within bounds.

The address rule is applied to the address that is connected to, not to one looked up before: a name
is resolved once, and the result decides.

Requests go to connections of our own, not through `httpx2.AsyncClient`: the client took a third of
a request's CPU (docs/performance.md of mcpgen), and its cookies, redirects, proxies and credentials
from the environment would have to be turned off.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping

import httpcore2
import httpx2

from ..errors import BadAnswer, Refused
from ..facts.methods import CONTENT_EXPECTED
from ..origin import is_public, origin_of
from ..settings import Settings
from .connections import Connection, Pool, Stream
from .plain import Fields, Request

MAX_HEADERS = 256
MAX_ADDRESSES = 4
ACCEPTED_CODING = "gzip"

"""Methods that announce a body of no bytes too (RFC 9110 section 8.6)."""
_COMPRESSED = re.compile(
    r"\b(aes128gcm|br|compress|dcb|dcz|deflate|exi|pack200-gzip|zstd)\b|gzip\s*,|,\s*(x-)?gzip"
)
"""Content codings but gzip alone. What is none at all, such as `utf-8`, changes no bytes."""


class PrivateAddress(Refused):
    """The host is at an address of this machine or network, and the operator has not named it."""


class Network:
    """Open connections to public addresses; to others only for hosts that the operator named."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._named_hosts = {(origin.host, origin.port) for origin in settings.trusted_origins}
        if settings.exchange_url:
            exchange = origin_of(settings.exchange_url)
            self._named_hosts.add((exchange.host, exchange.port))
        if settings.base_url_trusted:
            self._named_hosts.add((settings.origin.host, settings.origin.port))

    async def connect(self, host: str, port: int, timeout: float) -> Stream:
        """Resolve the name, check its addresses, connect to the first that answers. Raises
        httpcore2's errors and PrivateAddress.
        """
        addresses = await self._addresses(host, port, timeout)
        if not self._may_be_private(host, port) and not all(map(is_public, addresses)):
            variable = self._settings.variable
            raise PrivateAddress(
                "nothing was sent: the host of the API is at a private address; the operator of"
                f" this server can allow that by naming the API in `{variable('BASE_URL')}`, or for"
                f" every host with `{variable('ALLOW_PRIVATE')}=true`"
            )
        return await Stream.connected(addresses[:MAX_ADDRESSES], port, timeout)

    def _may_be_private(self, host: str, port: int) -> bool:
        return self._settings.allow_private or (host.lower(), port) in self._named_hosts

    async def _addresses(self, host: str, port: int, timeout: float) -> list[str]:
        """The addresses of a name, in the order of preference. Raises httpcore2's errors."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("resolving the name took too long") from None
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError("the name cannot be resolved") from error
        return list(dict.fromkeys(str(info[4][0]) for info in infos))


class Response:
    """The head of an answer.

    `headers` have lower-case names, and the values of a repeated one are joined by commas; `raw`
    holds the header fields as received.
    """

    def __init__(self, status: int, raw: Fields, connection: Connection, pool: Pool) -> None:
        self._connection = connection
        self._pool = pool
        self._is_closed = False
        self.status = status
        self.raw = raw
        values: dict[str, list[str]] = {}
        for name, value in self.raw:
            values.setdefault(name.decode("ascii").lower(), []).append(_text(value))
        self.headers = {name: ", ".join(texts) for name, texts in values.items()}

    def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the body, as they arrive."""
        return self._connection.chunks()

    def close(self) -> None:
        """Release the connection. An answer read to its end leaves it to the next request."""
        if not self._is_closed:
            self._is_closed = True
            self._pool.give_back(self._connection)

    def drop(self) -> None:
        """Close the connection of this answer, so that it is not used again."""
        self._is_closed = True
        self._connection.close()

    @property
    def leftover(self) -> bool:
        """Whether the connection holds bytes beyond the answer."""
        return self._connection.leftover


def _text(value: bytes) -> str:
    """A header field's value: ASCII by the standard, and often UTF-8 or Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Transport:
    """Send requests over a pool of connections with `Network` below it. Raises h11's and
    httpcore2's errors.

    Unlike an HTTP client it follows no redirects, keeps no cookies and reads no proxy settings or
    credentials from the environment.
    """

    def __init__(self, settings: Settings) -> None:
        self._agent = f"{settings.name}-mcp"
        self._pool = Pool(
            Network(settings),
            tls(settings),
            settings.max_concurrency,
            connect=settings.connect_timeout,
            silent=settings.timeout,
        )

    async def send(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], content: bytes | None
    ) -> Response:
        """Send one request; the answer's body is still to be read."""
        method = method.upper()
        fields = {
            "Host": url.netloc.decode("ascii"),
            "User-Agent": self._agent,
            "Accept-Encoding": ACCEPTED_CODING,
        }
        if content or method in CONTENT_EXPECTED:
            fields["Content-Length"] = str(len(content or b""))
        request = Request(method, url.raw_path, fields, headers)
        connection = await self._pool.take(url)
        try:
            status, raw = await connection.send(request, content)
        except BaseException:
            connection.close()
            raise
        return Response(status, raw, connection, self._pool)

    async def reach(self, url: httpx2.URL) -> None:
        """Open a connection to where a URL points, and close it."""
        await self._pool.reach(url)

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
    context.set_alpn_protocols(["http/1.1"])
    return context


def check_head(response: Response) -> None:
    """Raise BadAnswer for too many header fields. Their size is bounded (`MAX_HEAD`)."""
    if len(response.raw) > MAX_HEADERS:
        raise BadAnswer(f"the API answered with more than {MAX_HEADERS} header fields")


async def body_of(response: Response, limit: int) -> AsyncIterator[bytes]:
    """The decoded body of an answer in chunks, at most `limit` bytes before and after decoding.

    Raises BadAnswer when there is more, or when its content coding was not asked for.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if _COMPRESSED.search(coding):
        raise UnreadableCoding(
            f"the API encoded its answer as `{coding[:40]}`, which was not asked for:"
            f" this server reads `{ACCEPTED_CODING}` alone"
        )
    decoder = _Gunzip() if coding in ("gzip", "x-gzip") else _Identity()
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
    # What follows an answer that has no body by its status or method is dropped with the connection
    if received and response.leftover:
        raise BadAnswer("the API sent more than the `Content-Length` it announced")


class UnreadableCoding(BadAnswer):
    """An answer in a content coding that was not asked for."""

    advice = (
        "The same call will be answered the same way: the operator of this server has to see to it"
        " that the API, or a proxy before it, respects `Accept-Encoding`"
    )


class TooLarge(BadAnswer):
    """More bytes than the limit allows."""

    advice = "Ask for less: a smaller page, a narrower filter or fewer fields"

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
