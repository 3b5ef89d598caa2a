"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def get_few(
    api: Api, *, fields: list[Literal["name", "room"]] | Omit = OMIT
) -> Answer[models.GetFewAnswer]:
    """Get few."""
    return await api.request("GET", "/few", query={"fields": fields})


async def get_one(api: Api, *, fields: list[str] | Omit = OMIT) -> Answer[Any]:
    """Get a shelf."""
    return await api.request("GET", "/one", query={"fields": fields})


async def get_sorted(
    api: Api,
    *,
    sort_fields: list[Literal["name", "room"]] | Omit = OMIT,
    select: list[str] | Omit = OMIT,
) -> Answer[models.GetSortedAnswer]:
    """Get sorted."""
    return await api.request(
        "GET",
        "/sorted",
        query={
            "sort_fields": sort_fields,
            "select": select,
        },
    )


async def list_many(
    api: Api, *, opt_fields: list[str] | Omit = OMIT
) -> Answer[models.ListManyAnswer]:
    """List shelves."""
    return await api.request("GET", "/many", query={"opt_fields": wire.csv(opt_fields)})
