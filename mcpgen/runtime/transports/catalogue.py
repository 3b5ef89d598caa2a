"""Serve the page at `/` that shows every tool to a browser: `catalogue.html` of the package."""

from __future__ import annotations

from pathlib import Path

from .guard import ASGIApp, Receive, Scope, Send, respond

FIELDS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"sandbox allow-scripts; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)
"""The page itself allows its style and script, by their hashes; these headers keep it away from the
server's origin and from frames on other sites.
"""


def front_page(path: Path) -> ASGIApp:
    """Return an application that answers with a file, read now. Raises OSError if that fails."""
    content = path.read_bytes()
    length = (b"content-length", str(len(content)).encode())

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        body = b"" if scope["method"] == "HEAD" else content
        await respond(send, 200, [*FIELDS, length], body)

    return answer
