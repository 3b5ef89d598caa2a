"""HTTP methods: which a document may use, and what RFC 9110 says of them."""

from __future__ import annotations

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""The operations of a path item (OpenAPI 3.1 §4.8.9; `query` is of OpenAPI 3.2)."""
UNCALLABLE_METHODS = frozenset(["TRACE", "CONNECT"])
"""Methods that are about the connection and not about the API: none of them becomes a tool."""
CALLABLE_METHODS = tuple(name for name in METHODS if name.upper() not in UNCALLABLE_METHODS)
"""The operations of a path item that can become tools."""
SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS", "QUERY"])
"""Callable methods that read (RFC 9110 §9.2.1)."""
BODILESS_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])
"""Methods for which a request body has no defined meaning (RFC 9110 §9.3.1)."""
