"""Requests to the API over aiohttp: the addresses that may be connected to, and bounded answers.

aiohttp follows no redirect, keeps no cookie and reads no proxy or credential from the environment
here. Its errors end in this module: every failure is an `ApiError`. The operator's own proxy
resolves names itself: behind it, only addresses written in URLs are judged.
"""

from __future__ import annotations

import asyncio
import math
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from typing import ClassVar
from weakref import WeakKeyDictionary

import aiohttp
import httpcore2
from yarl import URL

from ..facts import is_public, origin_of
from . import ApiError, BadAnswer, Refused, TimedOut, Unreachable
from .settings import ApiSettings

MAX_HEADERS = 256
LEAST_STATUS = 200
"""No final status of HTTP is less (RFC 9110, section 15)."""
MAX_FIELD = 32 * 1024
"""Bytes of one header field of an answer."""
ACCEPTED_CODING = "gzip"
KEEP_SECONDS = 30.0
"""Seconds for which an idle connection is kept (RFC 9112, section 9.3)."""
CLOSE_SECONDS = 1.0
LIFE_SECONDS = 300.0
"""Seconds that a connection is used before the API's name is resolved anew."""

_COMPRESSED = re.compile(
    r"\b(aes128gcm|br|compress|dcb|dcz|deflate|exi|pack200-gzip|zstd)\b|gzip\s*,|,\s*(x-)?gzip"
)
"""Content codings other than gzip alone; an unknown one, such as `utf-8`, changes no bytes."""


_NUMERIC = re.compile(r"(^|\.)(\d+|0x[0-9a-f]*)$", re.I)
"""A host that resolvers take for an IPv4 address in another form, such as `127.1`."""


class _Spent(aiohttp.ClientError):
    """A kept connection that must not be used again; nothing was sent on it."""


class _Request(aiohttp.ClientRequest):
    """A request that refuses a connection that is too old or has unread data: such data would be
    taken for the answer.
    """

    _opened: ClassVar[WeakKeyDictionary[asyncio.BaseTransport, float]] = WeakKeyDictionary()

    async def send(self, conn: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Send the request. Raises _Spent, with the connection closed."""
        assert conn.protocol is not None and conn.transport is not None
        now = self.loop.time()
        age = now - self._opened.setdefault(conn.transport, now)
        if conn.protocol.should_close or age > LIFE_SECONDS:
            conn.close()
            raise _Spent
        return await super().send(conn)


class PrivateAddress(OSError):
    """An address of this machine or network, whose host the operator has not named."""


def public_socket(info: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
    """Return a socket for a public address of `getaddrinfo`. Raises PrivateAddress."""
    family, kind, protocol, _, address = info
    if not is_public(str(address[0])):
        raise PrivateAddress
    return socket.socket(family, kind, protocol)


class ResponseHead:
    """Head of an answer; `chunks` reads its body. `headers` have lower-case names, and the values
    of a repeated field are joined by commas.
    """

    def __init__(self, received: aiohttp.ClientResponse, settings: ApiSettings) -> None:
        self._received = received
        self._settings = settings
        self.status = received.status
        values: dict[str, list[str]] = {}
        for name, value in received.raw_headers:
            text = value.decode() if value.isascii() else _text(value)
            values.setdefault(name.decode("ascii").lower(), []).append(text)
        self.headers = {name: ", ".join(texts) for name, texts in values.items()}

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the body as they arrive. Raises ApiError."""
        try:
            async for chunk in self._received.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, OSError) as error:
            raise failure_of(error, self._settings) from None

    def close(self) -> None:
        """Release the connection. An answer read to its end leaves it to the next request."""
        self._received.release()

    def drop(self) -> None:
        """Close the connection of this answer, so that it is not used again."""
        self._received.close()


def _text(value: bytes) -> str:
    """Decode the value of a header field that is not ASCII: UTF-8, or else Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Transport:
    """Sender of requests over connections that are kept open. Its errors are those of aiohttp;
    `failure_of` turns them into ApiError.
    """

    def __init__(self, settings: ApiSettings) -> None:
        self._settings = settings
        self._context = tls(settings)
        self._proxy = settings.proxy_url.reveal() if settings.proxy_url else None
        self._named_hosts = {(origin.host, origin.port) for origin in settings.trusted_origins}
        for part in settings.parts:
            named = [origin_of(url) for url in part.origins(settings)] if part.origins else ()
            self._named_hosts |= {(origin.host, origin.port) for origin in named}
        if settings.base_url_trusted:
            self._named_hosts.add((settings.origin.host, settings.origin.port))
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        """Whether private addresses are allowed -> the session."""

    async def send(
        self, method: str, url: URL, headers: Mapping[str, str], content: bytes | None
    ) -> ResponseHead:
        """Send one request and return the head of its answer; no redirect is followed. Raises
        Refused for a private host, BadAnswer for a status below 200, and errors for `failure_of`.
        """
        may_be_private = self._may_be_private(url)
        if not may_be_private:
            self._check_host(url)
        session = self._session(may_be_private)
        while True:
            try:
                received = await session.request(
                    method, url, headers=headers, data=content, allow_redirects=False
                )
            except _Spent:
                continue
            if received.status < LEAST_STATUS:
                received.close()
                raise BadAnswer(f"the API answered with the status {received.status:03}, no answer")
            return ResponseHead(received, self._settings)

    async def reach(self, url: URL) -> None:
        """Open a connection to the host of a URL, or to the proxy, and close it. Raises OSError."""
        origin = origin_of(self._proxy or str(url))
        if not self._proxy and not self._may_be_private(url):
            loop = asyncio.get_running_loop()
            for info in await loop.getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM):
                public_socket(info).close()
        context = self._context if origin.scheme == "https" else None
        async with asyncio.timeout(self._settings.connect_timeout):
            _, writer = await asyncio.open_connection(origin.host, origin.port, ssl=context)
        writer.close()

    def _check_host(self, url: URL) -> None:
        """Raise Refused for `localhost`, a private address, or an unusual spelling (`127.1`)."""
        origin = origin_of(str(url))
        is_inside = origin.loopback or _NUMERIC.search(origin.host) is not None
        with suppress(ValueError):
            is_inside = not is_public(origin.host)
        if is_inside:
            raise _private(self._settings)

    def _may_be_private(self, url: URL) -> bool:
        if self._settings.allow_private:
            return True
        origin = origin_of(str(url))
        return (origin.host, origin.port) in self._named_hosts

    def _session(self, may_be_private: bool) -> aiohttp.ClientSession:
        """Return the session to send with, opened when it is first needed."""
        session = self._sessions.get(may_be_private)
        if session is None:
            session = self._sessions[may_be_private] = self._opened(may_be_private)
        return session

    def _opened(self, may_be_private: bool) -> aiohttp.ClientSession:
        settings = self._settings
        session = aiohttp.ClientSession(
            request_class=_Request,
            connector=aiohttp.TCPConnector(
                limit=0,
                ssl=self._context,
                keepalive_timeout=KEEP_SECONDS,
                use_dns_cache=False,
                resolver=aiohttp.ThreadedResolver(),
                socket_factory=None if any((may_be_private, self._proxy)) else public_socket,
            ),
            proxy=self._proxy,
            timeout=aiohttp.ClientTimeout(
                connect=settings.connect_timeout,
                sock_read=settings.timeout,
                ceil_threshold=math.inf,
            ),
            headers={"User-Agent": f"{settings.name}-mcp", "Accept-Encoding": ACCEPTED_CODING},
            skip_auto_headers=("Accept", "Content-Type"),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            max_line_size=MAX_FIELD,
            max_field_size=MAX_FIELD,
            max_headers=MAX_HEADERS,
        )
        # `Api` repeats what may be repeated, within the operator's limits, and counts it
        session._retry_connection = False
        return session

    async def aclose(self) -> None:
        """Close every connection, within `CLOSE_SECONDS`."""
        sessions, self._sessions = self._sessions, {}
        # One that still has bytes to send, to an API that does not read them, is left behind
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.gather(*(session.close() for session in sessions.values()))


def failure_of(error: Exception, settings: ApiSettings, url: URL | None = None) -> Exception:
    """Return the ApiError for an error of aiohttp or the system, without its message, which may
    hold a credential; another exception unchanged. `url` None is the base URL.
    """
    match error:
        case ApiError():
            return error
        case aiohttp.ConnectionTimeoutError():
            return TimedOut(f"no connection to the API within {settings.connect_timeout:g} seconds")
        case TimeoutError():
            late = TimedOut(
                f"the API sent nothing for {settings.timeout:g} seconds"
                f" (`{settings.variable('TIMEOUT')}`)"
            )
            late.sent = True
            return late
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            return _no_tunnel(getattr(error, "status", 0), settings)
        case aiohttp.ClientConnectorError():
            return _unreachable(error, settings, url)
        case ValueError():
            return Refused("nothing was sent: the request cannot be written as HTTP")
        case (
            aiohttp.ClientResponseError()
            | aiohttp.ClientPayloadError()
            | aiohttp.ServerDisconnectedError()
        ):
            return BadAnswer("the API's answer is incomplete, or not HTTP")
        case aiohttp.ClientError() | OSError():
            return BadAnswer("the connection to the API broke before the answer was complete")
    return error


def _no_tunnel(status: int, settings: ApiSettings) -> Unreachable:
    """Return the error for a proxy that answered `status`; 0 if it was not reached."""
    said = f"answered {status}" if status else "cannot be reached"
    proxy = settings.variable("PROXY_URL")
    return Unreachable(f"no connection to the API: the proxy of `{proxy}` {said}")


def _private(settings: ApiSettings) -> Refused:
    """Return the error for a host at a private address that is not allowed."""
    variable = settings.variable
    return Refused(
        "nothing was sent: the host of the API is at a private address; the operator of this server"
        f" can allow that by naming the API in `{variable('BASE_URL')}`, or for every host with"
        f" `{variable('ALLOW_PRIVATE')}=true`"
    )


_CAUSES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    (
        ssl.SSLCertVerificationError,
        "the TLS certificate is not trusted that `{0.host}:{0.port}` shows",
    ),
    (ssl.SSLError, "the TLS handshake with `{0.host}:{0.port}` failed"),
    ((socket.gaierror, UnicodeError), "the host `{0.host}` is not known"),
    (ConnectionRefusedError, "`{0.host}:{0.port}` refuses connections"),
    (BaseException, "`{0.host}:{0.port}` cannot be reached"),
)
"""Kind of an error -> the reason that it gives, for a URL; the first that fits."""


def _unreachable(
    error: aiohttp.ClientConnectorError, settings: ApiSettings, url: URL | None
) -> ApiError:
    """Return the error for a failed connection: its place, its cause, and the operator's remedy."""
    cause = getattr(error, "certificate_error", error.os_error)
    if isinstance(cause, PrivateAddress):
        return _private(settings)
    reason = next(text for kind, text in _CAUSES if isinstance(cause, kind))
    where = URL(settings.base_url) if url is None else url
    failure = Unreachable(f"no connection to the API: {reason.format(where)}")
    if isinstance(cause, ssl.SSLCertVerificationError):
        failure.advice = (
            "The operator of this server can name the file of its CA (PEM) in"
            f" `{settings.variable('CA_FILE')}`, if it is to be trusted"
        )
    return failure


def tls(settings: ApiSettings) -> ssl.SSLContext:
    """Return a TLS context that trusts the system's certificates, or only those of `CA_FILE`. It
    writes no key log, and asks for no passphrase. Raises Refused for files that cannot be read.
    """
    try:
        if settings.ca_file is None:
            context = httpcore2.default_ssl_context(_trust_env=False)
        else:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(settings.ca_file)
        if settings.client_cert is not None:
            context.load_cert_chain(settings.client_cert, settings.client_key, password="")
    except OSError:
        files = {
            "CA_FILE": settings.ca_file,
            "CLIENT_CERT": settings.client_cert,
            "CLIENT_KEY": settings.client_key,
        }
        names = " or ".join(f"`{settings.variable(name)}`" for name, path in files.items() if path)
        fault = "names no certificates (PEM)"
        if settings.client_cert:
            fault = "names no certificates, or no key that fits (PEM, without a passphrase)"
        raise Refused(f"nothing was sent: {names or 'the system'} {fault}") from None
    context.set_alpn_protocols(["http/1.1"])
    return context


async def body_of(response: ResponseHead, limit: int) -> AsyncIterator[bytes]:
    """Yield the decoded body of an answer in chunks. Raises BadAnswer for more than `limit` bytes,
    raw or decoded, for gzip that breaks off, and for another compression.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if _COMPRESSED.search(coding):
        raise UnreadableCoding(
            f"the API encoded its answer as `{coding[:40]}`, which was not asked for:"
            f" this server reads `{ACCEPTED_CODING}` alone"
        )
    decoder = _Gunzip() if coding in ("gzip", "x-gzip") else None
    received = decoded = 0
    async for chunk in response.chunks():
        received += len(chunk)
        if received > limit:
            raise TooLarge(f"is larger than {limit:,} bytes")
        for piece in (chunk,) if decoder is None else decoder.feed(chunk):
            decoded += len(piece)
            if decoded > limit:
                raise TooLarge(f"is larger than {limit:,} bytes")
            yield piece
    if received and not getattr(decoder, "done", True):
        raise BadAnswer("the API's answer ended in the middle")


class UnreadableCoding(BadAnswer):
    """An answer in a content coding that was not asked for."""

    advice = (
        "The same call will be answered the same way: the operator of this server has to see to it"
        " that the API, or a proxy before it, respects `Accept-Encoding`"
    )


class TooLarge(BadAnswer):
    """An answer beyond a limit; `how` ends the sentence: `is larger than 9 bytes`."""

    advice = "Ask for less: a smaller page, a narrower filter or fewer fields"

    def __init__(self, how: str) -> None:
        super().__init__(f"the API's answer {how}")


class NoRoom(TooLarge):
    """A large answer for which others left no memory until the call had no time left."""

    advice = f"Try again in a moment. {TooLarge.advice}"


class _Gunzip:
    """Decoder of gzip (RFC 1952), also of several members, in pieces of at most 64 KiB, so that a
    bomb is noticed before it is decoded whole.
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
        """Yield the decoded bytes of `data` in pieces. Raises BadAnswer for what is not gzip."""
        try:
            while data:
                if self._member.eof:
                    data = data.lstrip(b"\0")  # padding, as in tapes and blocks
                    if not data:
                        break
                    self._next_member()
                piece = self._member.decompress(data, self.PIECE)
                data = self._member.unused_data or self._member.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error:
            raise BadAnswer("the API's answer says it is gzip and is not") from None

    def _next_member(self) -> None:
        """Begin another member. Raises BadAnswer past `MEMBERS`: even an empty one costs time."""
        self._members += 1
        if self._members > self.MEMBERS:
            raise BadAnswer(f"the API's answer has more than {self.MEMBERS:,} gzip members")
        self._member = zlib.decompressobj(wbits=31)
