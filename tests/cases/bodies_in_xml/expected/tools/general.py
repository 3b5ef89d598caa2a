"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def create_any(api: Api, *, body: str | Omit = OMIT) -> Answer[Any]:
    """Create anything."""
    return await api.request(
        "POST",
        "/any",
        content=body,
        media_type="application/xml",
    )


async def create_book(api: Api, *, body: str) -> Answer[Any]:
    """Create a book."""
    return await api.request(
        "POST",
        "/books",
        content=body,
        media_type="application/xml",
    )


async def create_order(api: Api, *, body: str) -> Answer[Any]:
    """Create an order."""
    return await api.request(
        "POST",
        "/orders",
        content=body,
        media_type="text/xml; charset=utf-8",
    )


async def create_wide(api: Api, *, body: str) -> Answer[Any]:
    """Create something wide."""
    return await api.request(
        "POST",
        "/wide",
        content=body,
        media_type="application/xml",
    )
