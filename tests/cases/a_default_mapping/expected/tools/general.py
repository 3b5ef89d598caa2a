"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def add_pet(api: Api, *, body: models.Cat | models.Other) -> Answer[Any]:
    """Add pet."""
    return await api.request("POST", "/pets", json=body)
