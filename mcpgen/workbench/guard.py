"""Access to the workbench: by the person who started it, from its own pages.

The token of the URL becomes a cookie that browsers send to this origin alone
(`SameSite=Strict`). `Host` must name this server, so that a name which was made to point
here (DNS rebinding) is refused; a change must come from its own pages (`Origin`). Its pages
load nothing from anywhere else, and run no script and no style that is not a file of its
own.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
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
        self._app, self._host, self._token = app, host, token
        self.cookie = f"mcpgen-workbench-{host.rpartition(':')[2]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._answer(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(FIELDS)
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """A refusal, or the way in; None where the request may pass."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self._host]:
            return _refused("this is not the address of the workbench", 421)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return _refused("the request comes from another site")
        query = parse_qs(scope["query_string"].decode("latin-1"))
        token = query.pop("token", None)
        if token:
            page = quote("/" + scope["path"].lstrip("/"))
            return self._let_in(token[0], f"{page}?{urlencode(query, True)}".rstrip("?"))
        if not self._is_known(headers):
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

    def _let_in(self, token: str, page: str) -> Response:
        if not self._is_token(token):
            return _refused("this token is not the one that `mcpgen workbench` printed")
        response = RedirectResponse(page, status_code=303)
        response.set_cookie(self.cookie, self._token, httponly=True, samesite="strict", path="/")
        return response

    def _is_known(self, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return cookie is not None and self._is_token(cookie.value)

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self._token.encode())


def _refused(reason: str, status: int = 403) -> Response:
    return PlainTextResponse(f"refused: {reason}\n", status_code=status)
