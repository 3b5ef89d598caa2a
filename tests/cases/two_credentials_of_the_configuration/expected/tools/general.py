"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def list_boxes(api: Api, *, session: str | Omit = OMIT) -> Answer[Any]:
    """List boxes."""
    return await api.request("GET", "/boxes", query={"session": session})
