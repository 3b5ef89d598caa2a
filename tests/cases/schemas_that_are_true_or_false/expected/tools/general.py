"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(names={"/properties/map/properties/a_b": "a b"})
async def add_item(
    api: Api,
    *,
    list: list[Any],
    map: models.AddItemMap,
) -> Answer[Any]:
    """Add an item."""
    return await api.request(
        "POST",
        "/items",
        json={
            "list": list,
            "map": map,
        },
    )


async def list_items(api: Api, *, filter: models.ListItemsFilter | Omit = OMIT) -> Answer[Any]:
    """List items."""
    return await api.request("GET", "/items", query={"filter": wire.deep_object(filter)})
