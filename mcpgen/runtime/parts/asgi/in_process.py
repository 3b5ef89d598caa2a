"""Send requests to an ASGI application in this process, without a socket (ASGI 3.0)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Mapping
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote, unquote

from yarl import URL

from ...client import BadAnswer, Refused
from ...client.network import ResponseHead, Transport, failure_of
from ...client.settings import ApiSettings
from ...facts import origin_of
from ...transports.guard import ASGIApp, Message, Scope
from . import CHALLENGE, PLACE, outer, path_of

T = TypeVar("T")
logger = logging.getLogger(__name__)

SHARED = ("asgi", "client", "server", "scheme", "state")
"""The entries of the caller's scope that a request inside has, too; `state` is the lifespan's."""
PIECES = 8
"""Pieces of an answer that wait to be read."""


class InProcess:
    """Transport that sends requests to an application here; to another origin, over the network."""

    def __init__(self, app: ASGIApp, path: str, settings: ApiSettings) -> None:
        """`path` is that of the MCP endpoint, which is not called."""
        self._app = app
        self._path = path
        self._settings = settings
        self._base_path = URL(settings.base_url).path.rstrip("/")
        self._network = Transport(settings)
        self._tasks: set[asyncio.Task[None]] = set()
        """Kept until each has ended: background tasks of the application run after its answer."""

    async def send(
        self, method: str, url: URL, headers: Mapping[str, str], content: bytes | None
    ) -> Reply | ResponseHead:
        """Send one request; return its answer, the body still to be read. Raises ApiError."""
        if origin_of(str(url)) != self._settings.origin:
            return await self._network.send(method, url, headers, content)
        caller = outer.get() or {}
        host, root = caller.get(PLACE, (url.authority, ""))
        above = root.removeprefix(self._base_path)  # the base URL may have it
        fields = {"host": host, "user-agent": f"{self._settings.name}-mcp", **headers}
        if content is not None:
            fields["content-length"] = str(len(content))
        scope: Scope = {
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "scheme": "http",
            **{key: caller[key] for key in SHARED if key in caller},
            "type": "http",
            "http_version": "1.1",
            "root_path": root,
            "method": method,
            "path": above + unquote(url.raw_path),
            "raw_path": quote(above).encode("ascii") + url.raw_path.encode("ascii"),
            "query_string": url.raw_query_string.encode("ascii"),
            "headers": [
                (name.lower().encode("ascii"), value.encode("utf-8"))
                for name, value in fields.items()
            ],
        }
        if f"{path_of(scope)}/".startswith(f"{self._path}/"):
            raise Refused("nothing was sent: a tool cannot call the MCP server that it is part of")
        if "state" in scope:
            scope["state"] = scope["state"].copy()
        reply = Reply(self._settings, content or b"")
        task = asyncio.create_task(reply.run(self._app, scope))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            await reply.begin()
        except BaseException:
            reply.close()
            raise
        if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            caller[CHALLENGE] = reply.status, reply.headers.get("www-authenticate", "")
        if reply.status in range(300, 400) and "location" in reply.headers:
            base = re.escape(f"{scope['scheme']}://{host}")
            own = f"({base})?{re.escape(above)}(?=/(?!/))"
            place = re.sub(f"^{own}", str(url.origin()), reply.headers["location"])
            reply.headers["location"] = place
        return reply

    async def reach(self, url: URL) -> None:
        """Do nothing: the application is in this process."""

    async def aclose(self) -> None:
        """Close the connections to other origins."""
        await self._network.aclose()


class Reply:
    """Answer to one request: its head, and its body as it arrives.

    `headers` have lower-case names, and the values of a repeated one are joined by commas.
    """

    def __init__(self, settings: ApiSettings, content: bytes) -> None:
        self._settings = settings
        self._content: bytes | None = content
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(PIECES)
        self._gone = asyncio.Event()
        """Set once the answer is complete, or its reader has left."""
        self._head = asyncio.Event()
        self._is_whole = False
        self.status = 0
        self.headers: dict[str, str] = {}

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Run the application for this request. Its exception is logged, and a status of 500 if the
        answer has not begun, as behind a server.
        """
        try:
            await app(scope, self._receive, self._send)
        except ReaderGone:
            pass
        except Exception:
            logger.exception("Exception in the ASGI application")
            if not self._head.is_set():
                self.status, self._is_whole = HTTPStatus.INTERNAL_SERVER_ERROR, True
        finally:
            self._head.set()
            if not self._gone.is_set():
                await self._pieces.put(None)

    async def begin(self) -> None:
        """Wait for the head. Raises ApiError if it is late, or never comes."""
        await self._soon(self._head.wait())
        if not self.status:
            raise BadAnswer("the application ended without an answer")

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the body as they arrive. Raises ApiError if the application ends
        before the last, or sends nothing for `timeout` seconds.
        """
        while True:
            piece = await self._soon(self._pieces.get())
            if piece:
                yield piece
            elif piece is None and self._is_whole:
                return
            elif piece is None:
                raise BadAnswer("the application's answer is incomplete")

    async def _soon(self, coming: Awaitable[T]) -> T:
        """Return what the application gives, within `timeout` seconds. Raises TimedOut."""
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await coming
        except TimeoutError as error:
            raise failure_of(error, self._settings) from None

    def close(self) -> None:
        """Disconnect from the application, and drop the pieces that were not read."""
        self._gone.set()
        while not self._pieces.empty():
            self._pieces.get_nowait()

    drop = close

    async def _receive(self) -> Message:
        content, self._content = self._content, None
        if content is not None:
            return {"type": "http.request", "body": content, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        """Take a message of the application. Raises ReaderGone, as servers do from ASGI 2.4 on."""
        if self._gone.is_set():
            if self._is_whole:
                return
            raise ReaderGone
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for name, value in message.get("headers", ()):
                key = bytes(name).decode("latin-1").lower()
                text = bytes(value).decode("latin-1")
                self.headers[key] = ", ".join(filter(None, (self.headers.get(key), text)))
            return
        self._head.set()
        await self._pieces.put(bytes(message.get("body", b"")))
        if not message.get("more_body"):
            self._is_whole = True
            await self._pieces.put(None)
            self._gone.set()


class ReaderGone(OSError):
    """Raised to an application whose answer has no reader any more."""
