"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def get_bucket(api: Api, *, name: str) -> Answer[Any]:
    """Get bucket."""
    return await api.request("GET", "/buckets/{name}", path_args={"name": name})


async def get_health(api: Api) -> Answer[Any]:
    """Get health."""
    return await api.request("GET", "/health", base_url="/")


async def get_same(api: Api) -> Answer[Any]:
    """Get same."""
    return await api.request("GET", "/same")


async def get_series(api: Api, *, id: str) -> Answer[Any]:
    """Get series."""
    return await api.request(
        "GET",
        "/series/{id}",
        path_args={"id": id},
        base_url="/legacy",
    )
