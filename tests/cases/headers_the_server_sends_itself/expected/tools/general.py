"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def list_books(api: Api, *, x_shelf: str | Omit = OMIT) -> Answer[Any]:
    """List books."""
    return await api.request("GET", "/books", headers={"X-Shelf": x_shelf})
