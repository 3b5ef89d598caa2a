"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def add_a(api: Api, *, title: str) -> Answer[models.AddAAnswer]:
    """Add a."""
    return await api.request("POST", "/a", json={"title": title})


async def add_x(api: Api, *, body: str) -> Answer[Any]:
    """Add x."""
    return await api.request(
        "POST",
        "/x",
        content=body,
        media_type="application/xml",
    )


async def create_note(api: Api, *, body: str) -> Answer[Any]:
    """Create note."""
    return await api.request(
        "POST",
        "/notes",
        content=body,
        media_type="application/xml",
    )


async def get_e(api: Api, *, q: str | Omit = OMIT) -> Answer[Any]:
    """Get e."""
    return await api.request(
        "GET",
        "/e",
        query={"q": q},
        security=(("key",),),
    )
