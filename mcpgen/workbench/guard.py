"""Access to the workbench: by the person who started it, from its own pages.

Every address begins with a token, unknown to other pages and ports of this machine (a cookie would
go to all its ports, RFC 6265 section 8.5). `Host` must name this server, against DNS rebinding, and
a change must come from its own pages (`Origin`). The pages load scripts and styles of their own
alone.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 1_000_000
"""Bytes of a request's body."""
READING = frozenset({"GET", "HEAD"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FIELDS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class WorkbenchGuard:
    """Refuses every request that does not come from the person who started the workbench."""

    def __init__(self, app: ASGIApp, *, host: str, token: str) -> None:
        """`host` is the server's own `Host`, with its port."""
        self._app, self._host, self._root = app, host, f"/{token}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(FIELDS)
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        await self._app({**scope, "root_path": self._root[:-1]}, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return a response (403, 413, 415 or 421) that refuses a request; None if it may pass."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self._host]:
            return _refused("this is not the address of the workbench", 421)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return _refused("the request comes from another site")
        beginning = scope["path"][: len(self._root)]
        if not secrets.compare_digest(beginning.encode(), self._root.encode()):
            return _refused("open the address that `mcpgen workbench` printed")
        if scope["method"] in READING:
            return None
        if headers.get("origin") != f"http://{self._host}":
            return _refused("the request does not come from a page of the workbench")
        if headers.get("content-type") != "application/json":
            return _refused("the request is not JSON", 415)
        length = headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BODY:
            return _refused("the request is too large", 413)
        return None


def _refused(reason: str, status: int = 403) -> Response:
    return PlainTextResponse(f"refused: {reason}\n", status_code=status)
