"""An API that does as it is told: it records every request to the byte and answers with whatever a
test wants.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

Reply = bytes | Callable[["Request", asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    method: str
    target: str
    fields: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def path(self) -> str:
        """The path of the target, still encoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The query of the target, still encoded."""
        return self.target.partition("?")[2]

    def header(self, name: str) -> str | None:
        """The one value of a header field, or None."""
        found = [value for key, value in self.fields if key.lower() == name.lower()]
        assert len(found) < 2, f"{name} was sent {len(found)} times"
        return found[0] if found else None


def http(
    status: int = 200, body: bytes | str = b"", media_type: str = "application/json", *fields: str
) -> bytes:
    """An answer with a `Content-Length`."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}"]
    lines += [f"Content-Type: {media_type}"] if media_type else []
    return "\r\n".join([*lines, *fields, "", ""]).encode("utf-8") + content


def ok(value: Any) -> bytes:
    """A JSON answer."""
    return http(200, json.dumps(value))


class Upstream:
    """Serves on loopback; each request gets the next reply, the last one for ever."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies) or [http(200, "{}")]
        self.requests: list[Request] = []
        self.open = 0
        self.most = 0
        self.closed = asyncio.Event()

    async def __aenter__(self) -> Upstream:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**24)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._tasks: set[asyncio.Task[None]] = set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while True:
                request = await _read(reader)
                self.requests.append(request)
                reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
                self.open += 1
                self.most = max(self.most, self.open)
                try:
                    await self._reply(reply, request, reader, writer)
                finally:
                    self.open -= 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _reply(
        self,
        reply: Reply,
        request: Request,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if isinstance(reply, bytes):
            writer.write(reply)
            await writer.drain()
            return
        answering = asyncio.ensure_future(reply(request, writer))
        # A caller that goes away ends the answer, and is noticed
        leaving = asyncio.ensure_future(reader.read(1))
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if leaving.done() and not answering.done():
            self.closed.set()
        if not answering.done():
            answering.cancel()
        leaving.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)
        if writer.is_closing() or self.closed.is_set():
            raise ConnectionError


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    fields = tuple(
        (name, value.strip())
        for name, _, value in (line.partition(":") for line in head[1:] if line)
    )
    lengths = [int(value) for name, value in fields if name.lower() == "content-length"]
    return Request(method, target, fields, await reader.readexactly(lengths[0]) if lengths else b"")
