"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_view(api: Api) -> Answer[Any]:
    """Create a Materialized View."""
    return await api.request("POST", "/views")


async def get_script(api: Api, *, id: str) -> Answer[Any]:
    """View StackScript."""
    return await api.request("GET", "/scripts/{id}", path_args={"id": id})


async def list_keys(api: Api) -> Answer[Any]:
    """List SSH Keys."""
    return await api.request("GET", "/keys")


async def list_prices(api: Api) -> Answer[Any]:
    """Get Price List."""
    return await api.request("GET", "/prices")


async def replace_script(api: Api, *, id: str) -> Answer[Any]:
    """Update StackScript."""
    return await api.request("PUT", "/scripts/{id}", path_args={"id": id})
