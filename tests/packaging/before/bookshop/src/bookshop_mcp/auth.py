"""Our signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Outgoing

PROVIDES: frozenset[str] = frozenset()


async def authorize(request: Outgoing) -> None:
    """Sign the request."""
    request.headers["X-Signature"] = request.conceal(f"signed {request.method}")
