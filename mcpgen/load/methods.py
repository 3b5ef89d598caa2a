"""Methods of HTTP in documents (RFC 9110 section 9; PATCH is of RFC 5789). What the server reads of
them, too, is in `runtime.facts`.
"""

from __future__ import annotations

PATH_ITEM = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""The operations of a path item (OpenAPI 3.1 section 4.8.9; `query` is of OpenAPI 3.2)."""
UNCALLABLE = frozenset(("CONNECT", "TRACE"))
"""Methods about the connection, not about the API."""
CALLABLE = PATH_ITEM[:-2] + PATH_ITEM[-1:]
"""The operations of a path item that can become tools: all but `trace`."""
METADATA = frozenset(("HEAD", "OPTIONS"))
"""Methods that ask about a resource, not for it."""
CONTENT_UNDEFINED = METADATA | UNCALLABLE | {"GET"}
"""Methods whose requests have no content with a meaning."""
METHODS = CONTENT_UNDEFINED | {"DELETE", "PATCH", "POST", "PUT", "QUERY"}
