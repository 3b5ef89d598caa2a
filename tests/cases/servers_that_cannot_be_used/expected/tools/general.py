"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def other_path(api: Api) -> Answer[Any]:
    """Get other path."""
    return await api.request("GET", "/other-path", base_url="https://api.example.com/v3")


async def repeated_server(api: Api) -> Answer[Any]:
    """Get repeated server."""
    return await api.request("GET", "/repeated")


async def vouched_server(api: Api) -> Answer[Any]:
    """Get vouched server."""
    return await api.request("GET", "/vouched", base_url="http://uploads.example.com/in")
