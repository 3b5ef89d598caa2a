"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_article(api: Api) -> Answer[Any]:
    """Create an article."""
    return await api.request("POST", "/articles")


async def enable_split_test(api: Api) -> Answer[Any]:
    """Enable split test."""
    return await api.request("POST", "/splits")


async def get_grouping(api: Api) -> Answer[Any]:
    """Get grouping."""
    return await api.request("GET", "/grouping")


async def get_order_monthly(api: Api) -> Answer[Any]:
    """Get monthly order report."""
    return await api.request("GET", "/orders/monthly")


async def get_plan(api: Api, *, id: str) -> Answer[models.Message]:
    """Get a plan."""
    return await api.request("GET", "/plans/{id}", path_args={"id": id})


async def get_policy_first(api: Api) -> Answer[Any]:
    """Get policy first."""
    return await api.request("GET", "/policies/first")


async def list_messages(
    api: Api,
    *,
    since: str | Omit = OMIT,
    until: str | Omit = OMIT,
) -> Answer[list[models.Message]]:
    """List messages."""
    return await api.request(
        "GET",
        "/messages",
        query={
            "since": since,
            "until": until,
        },
    )


async def list_plans(api: Api) -> Answer[models.Plans]:
    """List plans."""
    return await api.request("GET", "/plans")


async def list_views(api: Api) -> Answer[Any]:
    """Embed a panorama into a page."""
    return await api.request("GET", "/views")


async def replace_key_state(api: Api, *, id: str) -> Answer[Any]:
    """(de)activates a key."""
    return await api.request("PUT", "/keys/{id}/state", path_args={"id": id})


async def sanitize_queries(api: Api) -> Answer[Any]:
    """Sanitize queries."""
    return await api.request("POST", "/queries/sanitize")


async def schedule_jobs(api: Api) -> Answer[Any]:
    """Manually schedule an upgrade."""
    return await api.request("POST", "/jobs")
