"""The methods of HTTP and their properties (RFC 9110 section 9; PATCH is of RFC 5789, QUERY of
draft-ietf-httpbis-safe-method-w-body), and the header fields that only the client sets.

A method that is not in the table is treated as one that changes something and cannot be repeated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple


class Method(NamedTuple):
    """The properties of one method."""

    safe: bool = False
    """It only reads (section 9.2.1)."""
    idempotent: bool = False
    """Sent twice, it has the effect of one request (section 9.2.2)."""
    content: Literal["expected", "possible", "undefined"] = "possible"
    """The meaning of a request's content; where it is expected, its length is sent even when it is
    empty (section 8.6).
    """
    metadata: bool = False
    """It asks about a resource, not for it."""
    callable: bool = True
    """It is about the API, not about the connection."""


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "GET": Method(safe=True, idempotent=True, content="undefined"),
        "PUT": Method(idempotent=True, content="expected"),
        "POST": Method(content="expected"),
        "DELETE": Method(idempotent=True),
        "OPTIONS": Method(safe=True, idempotent=True, content="undefined", metadata=True),
        "HEAD": Method(safe=True, idempotent=True, content="undefined", metadata=True),
        "PATCH": Method(content="expected"),
        "TRACE": Method(safe=True, idempotent=True, content="undefined", callable=False),
        "QUERY": Method(safe=True, idempotent=True, content="expected"),
        "CONNECT": Method(content="undefined", callable=False),
    }
)
SAFE = frozenset(name for name, method in METHODS.items() if method.safe)
IDEMPOTENT = frozenset(name for name, method in METHODS.items() if method.idempotent)
CONTENT_UNDEFINED = frozenset(
    name for name, method in METHODS.items() if method.content == "undefined"
)
METADATA = frozenset(name for name, method in METHODS.items() if method.metadata)
UNCALLABLE = frozenset(name for name, method in METHODS.items() if not method.callable)
PATH_ITEM = tuple(name.lower() for name in METHODS if name != "CONNECT")
"""The operations of a path item (OpenAPI 3.1 section 4.8.9; `query` is of OpenAPI 3.2)."""
CALLABLE = tuple(name for name in PATH_ITEM if name.upper() not in UNCALLABLE)
"""The operations of a path item that can become tools."""


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
"""A field name or cookie name (RFC 9110, section 5.6.2; RFC 6265, section 4.1.1)."""

FORBIDDEN_HEADERS = frozenset(
    (
        "accept accept-encoding authorization connection content-encoding content-length"
        " content-type cookie cookie2 expect forwarded host http2-settings keep-alive"
        " proxy-authenticate proxy-authorization proxy-connection set-cookie te trailer"
        " transfer-encoding upgrade via x-forwarded-for x-forwarded-host x-forwarded-port"
        " x-forwarded-prefix x-forwarded-proto x-forwarded-server x-http-method"
        " x-http-method-override x-method-override x-original-url x-real-ip x-rewrite-url"
    ).split()
)
"""Fields that no argument sets, in lower case.

They tell the API where a request goes and ends, what it holds, and who sends it on whose behalf
(RFC 9110, RFC 7239). The client writes them itself.
"""

CREDENTIAL_HEADERS = frozenset(("authorization", "cookie", "proxy-authorization"))
"""The forbidden fields that exist to carry a credential: a credential may set them."""
