"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def add_path(api: Api) -> Answer[Any]:
    """Add path."""
    return await api.request("POST", "/path")


async def get_own(api: Api) -> Answer[Any]:
    """Get own."""
    return await api.request("GET", "/own")


async def get_path(api: Api) -> Answer[Any]:
    """Get path."""
    return await api.request("GET", "/path")
