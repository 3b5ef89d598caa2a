"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def delete_elsewhere(api: Api) -> Answer[Any]:
    """Delete elsewhere."""
    return await api.request(
        "DELETE",
        "/elsewhere",
        security=(("token",), ()),
        base_url="https://other.example",
    )


async def get_closed(api: Api) -> Answer[Any]:
    """Get closed."""
    return await api.request("GET", "/closed", security=(("key",), ("basic", "token", "key")))


async def get_open(api: Api) -> Answer[Any]:
    """Get open."""
    return await api.request("GET", "/open", security=())
