"""A tool of ours."""

from __future__ import annotations


async def shout(*, text: str) -> str:
    """Return a text in capitals."""
    return text.upper()
