"""ASGI, as far as the HTTP transport speaks it: types, fields of requests, plain answers, and the
pages in browsers that may call.

A browser first asks whether a page of another origin may send such a request, and shows the page
only what the answer says it may see (Fetch, section 3.2, "CORS protocol").
"""

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
    own = dict(fields)
    if status == 405:
        own.setdefault(b"allow", b"POST")
    headers += own.items()
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_ALLOWED = (
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-max-age", b"600"),
    (b"content-length", b"0"),
)
_SEEN = (b"access-control-expose-headers", b"www-authenticate, retry-after")


class Browsers:
    """CORS rules. `origins` are the values of the header field `Origin` of the pages that may
    call.
    """

    def __init__(self, origins: frozenset[str]) -> None:
        self._origins = origins

    def check(self, scope: Scope) -> None:
        """Raises Refused for a page of another origin."""
        if any(origin not in self._origins for origin in header(scope, b"origin")):
            raise HTTPRefusal(403, {"error": "This Origin is not allowed"})

    def fields(self, scope: Scope) -> tuple[Field, ...]:
        """Return the header fields of every answer to a page."""
        origins = header(scope, b"origin")
        if len(origins) != 1 or origins[0] not in self._origins:
            return ()
        allowed = (b"access-control-allow-origin", origins[0].encode("latin-1"))
        return allowed, _SEEN, (b"vary", b"origin")


def is_question(scope: Scope) -> bool:
    """Return whether a browser asks whether a page may send a request."""
    return scope["method"] == "OPTIONS" and bool(header(scope, b"access-control-request-method"))


async def answer_question(scope: Scope, send: Send) -> None:
    """It may, with every header field that it asks for."""
    fields = list(_ALLOWED)
    names = header(scope, b"access-control-request-headers")
    if names:
        fields.append((b"access-control-allow-headers", ", ".join(names).encode("latin-1")))
    await send({"type": "http.response.start", "status": 204, "headers": fields})
    await send({"type": "http.response.body", "body": b""})
