"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def create_rule(api: Api, *, Statement: models.CreateRuleStatement) -> Answer[Any]:
    """Create rule."""
    return await api.request("POST", "/rules", json={"Statement": Statement})
