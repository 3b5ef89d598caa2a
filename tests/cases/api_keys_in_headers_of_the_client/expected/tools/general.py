"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def list_items(api: Api, *, x_trace: str | Omit = OMIT) -> Answer[Any]:
    """List items."""
    return await api.request("GET", "/items", headers={"X-Trace": x_trace})
