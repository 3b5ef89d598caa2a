"""The toolset `shelves`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def get_shelf(api: Api, *, id: str) -> Answer[Any]:
    """Get a shelf."""
    return await api.request("GET", "/shelves/{id}", path_args={"id": id})


async def last_change(api: Api) -> Answer[Any]:
    """Get the last change."""
    return await api.request("GET", "/changes/last")


async def list_shelves(api: Api) -> Answer[Any]:
    """List shelves."""
    return await api.request("GET", "/shelves")


async def shelves_move(
    api: Api,
    *,
    id: str,
    lastChange: str | Omit = OMIT,
) -> Answer[Any]:
    """Move a shelf."""
    return await api.request(
        "POST",
        "/shelves/{id}/move",
        path_args={"id": id},
        query={"lastChange": lastChange},
    )
