"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def list_pods(api: Api) -> Answer[Any]:
    """List pods."""
    return await api.request("GET", "/pods")
