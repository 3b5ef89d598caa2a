"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def list_boxes(api: Api) -> Answer[Any]:
    """List boxes."""
    return await api.request("GET", "/boxes")


async def list_hours(api: Api) -> Answer[Any]:
    """List hours."""
    return await api.request("GET", "/hours", security=())
