"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def count_get(api: Api) -> Answer[Any]:
    """Count documents (get)."""
    return await api.request("GET", "/_count")


async def count_post(api: Api) -> Answer[Any]:
    """Count documents (post)."""
    return await api.request("POST", "/_count")


async def create_bulk(api: Api) -> Answer[Any]:
    """Submit bulk actions."""
    return await api.request("POST", "/_bulk")


async def create_bulk_by_index(api: Api, *, index: str) -> Answer[Any]:
    """Submit bulk actions (by index)."""
    return await api.request("POST", "/{index}/_bulk", path_args={"index": index})


async def replace_bulk(api: Api) -> Answer[Any]:
    """Replace bulk actions."""
    return await api.request("PUT", "/_bulk")


async def replace_bulk_by_index(api: Api, *, index: str) -> Answer[Any]:
    """Replace bulk actions (by index)."""
    return await api.request("PUT", "/{index}/_bulk", path_args={"index": index})
