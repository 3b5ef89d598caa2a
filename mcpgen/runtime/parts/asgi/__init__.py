"""Part `asgi`: MCP at a path of an ASGI application, whose tools call it in process."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from typing import Any

from .. import Part

CHALLENGE = "mcp.challenge"
"""The key under which the caller's scope has the status and the challenge of a refused call."""

PLACE = "mcp.place"
"""The key under which the caller's scope has the host and the root path of its application."""

outer: ContextVar[MutableMapping[str, Any] | None] = ContextVar("outer", default=None)
"""The scope of the request of the MCP client that is answered."""

PART = Part()


def root_of(scope: Mapping[str, Any]) -> str:
    """Return the root path of a scope, without a slash at its end; empty without."""
    return str(scope.get("root_path", "")).rstrip("/")


def path_of(scope: Mapping[str, Any]) -> str:
    """Return the path of a request below its root path (ASGI 3.0): `/x` for `/api/x` at `/api`."""
    path, root = str(scope["path"]), f"{root_of(scope)}/"
    return f"/{path.removeprefix(root)}" if path.startswith(root) else path
