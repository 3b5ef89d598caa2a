"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def list_lights(api: Api, *, tags: list[str] | Omit = OMIT) -> Answer[list[models.Light]]:
    """List lighthouses."""
    return await api.request("GET", "/lights", query={"tags": tags})


async def replace_light(
    api: Api,
    *,
    name: str,
    on: Literal["today", "tomorrow"] | Omit = OMIT,
    days: list[Literal["today", "tomorrow"]] | Omit = OMIT,
    height: float,
    colour: Literal["white", "red", "green"] | Omit = OMIT,
) -> Answer[Any]:
    """Replace a lighthouse."""
    return await api.request(
        "PUT",
        "/lights/{name}",
        path_args={"name": name},
        query={
            "on": on,
            "days": days,
        },
        json={
            "height": height,
            "colour": colour,
        },
    )
