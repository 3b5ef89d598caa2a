"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_thing(
    api: Api,
    *,
    part: models.CreateThingPart | Omit = OMIT,
    whole: models.Whole | Omit = OMIT,
) -> Answer[Any]:
    """Create thing."""
    return await api.request(
        "POST",
        "/things",
        json={
            "part": part,
            "whole": whole,
        },
    )
