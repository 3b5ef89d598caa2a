"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def export_games(api: Api) -> Answer[Any]:
    """Export games."""
    return await api.request("GET", "/games", accept="application/x-ndjson, */*;q=0.5")


async def get_manual(api: Api) -> Answer[Any]:
    """Get the manual."""
    return await api.request("GET", "/manual", accept="text/plain, */*;q=0.5")


async def get_report(api: Api) -> Answer[Any]:
    """Get the report."""
    return await api.request("GET", "/report")


async def list_items(
    api: Api,
    *,
    cursor: str | Omit = OMIT,
    limit: int | Omit = OMIT,
) -> Answer[models.ListItemsAnswer]:
    """List items."""
    return await api.request(
        "GET",
        "/items",
        query={
            "cursor": cursor,
            "limit": limit,
        },
    )


async def list_pages(api: Api, *, page: int | Omit = OMIT) -> Answer[list[models.Item]]:
    """List pages."""
    return await api.request("GET", "/pages", query={"page": page})


async def start_job(api: Api, *, name: str | Omit = OMIT) -> Answer[models.StartJobAnswer]:
    """Start a job."""
    return await api.request(
        "POST",
        "/jobs",
        json={"name": name},
        optional_body=True,
    )
