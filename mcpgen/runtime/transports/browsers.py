"""Pages in a browser that may call: those of the origins that the operator named.

A browser first asks whether a page of another origin may send such a request, and shows the page
only what the answer says it may see (Fetch, section 3.2, "CORS protocol").
"""

from __future__ import annotations

from .asgi import Field, HTTPRefusal, Scope, Send, header

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
