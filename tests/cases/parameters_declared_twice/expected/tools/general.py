"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def get_misspelt(
    api: Api,
    *,
    q: str | Omit = OMIT,
    x_shop: str | Omit = OMIT,
) -> Answer[Any]:
    """Search for items by their words."""
    return await api.request(
        "GET",
        "/misspelt",
        query={"q": q},
        headers={"X-Shop": x_shop},
    )


async def get_template(api: Api, *, key: str) -> Answer[Any]:
    """Search for items in the catalog."""
    return await api.request("GET", "/template", query={"key": key})


async def get_whole(api: Api, *, q: str | Omit = OMIT) -> Answer[Any]:
    """Search for items in the whole shop."""
    return await api.request("GET", "/whole", query={"q": q})
