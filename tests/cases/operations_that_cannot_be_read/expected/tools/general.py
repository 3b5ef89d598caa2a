"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def whole(api: Api) -> Answer[Any]:
    """Get whole."""
    return await api.request("GET", "/whole")
