"""Header field names: their grammar, and the fields that only the client sets."""

from __future__ import annotations

import re

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
"""A field name or cookie name (RFC 9110, section 5.6.2; RFC 6265, section 4.1.1)."""

FORBIDDEN_HEADERS = frozenset(
    (
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "cookie2",
        "expect",
        "forwarded",
        "host",
        "http2-settings",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-port",
        "x-forwarded-prefix",
        "x-forwarded-proto",
        "x-forwarded-server",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
        "x-original-url",
        "x-real-ip",
        "x-rewrite-url",
    )
)
"""Fields that no argument sets, in lower case.

They tell the API where a request goes and ends, what it holds, and who sends it on whose behalf
(RFC 9110, RFC 7239). The client writes them itself.
"""

CREDENTIAL_HEADERS = frozenset(
    (
        "authorization",
        "cookie",
        "proxy-authorization",
    )
)
"""The forbidden fields that exist to carry a credential: a credential may set them."""
