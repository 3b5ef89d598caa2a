"""ASGI, as far as the HTTP transport speaks it: types, fields of requests, plain answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Field = tuple[bytes, bytes]
"""The name and the value of a header field."""


class HTTPRefusal(Exception):
    """A request gets this answer in place of the application's."""

    def __init__(self, status: int, content: dict[str, Any], *fields: Field) -> None:
        super().__init__(status)
        self.status = status
        self.content = content
        self.fields = fields


def header(scope: Scope, name: bytes) -> list[str]:
    """The values of the header fields of a name, which is in lower case, as in a scope."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def answer(send: Send, status: int, content: dict[str, Any], *fields: Field) -> None:
    """Answer a request with JSON."""
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"POST"))
    headers += fields
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
