"""The part `asgi`: MCP at a path of an ASGI application, whose tools call it in process."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any

from .. import Part

CHALLENGE = "mcp.challenge"
"""The key under which the caller's scope has the status and the challenge of a refused call."""

outer: ContextVar[MutableMapping[str, Any] | None] = ContextVar("outer", default=None)
"""The scope of the request of the MCP client that is answered."""

PART = Part()
