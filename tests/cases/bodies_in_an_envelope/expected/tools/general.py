"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_goal(api: Api, *, data: models.Goal | Omit = OMIT) -> Answer[Any]:
    """Create a goal."""
    return await api.request("POST", "/goals", json={"data": data})


async def move_goal(
    api: Api,
    *,
    id: str,
    after: str | Omit = OMIT,
    before: str | Omit = OMIT,
) -> Answer[Any]:
    """Move a goal."""
    return await api.request(
        "POST",
        "/goals/{id}/move",
        path_args={"id": id},
        json={
            "after": after,
            "before": before,
        },
        optional_body=True,
    )


async def replace_goal(
    api: Api,
    *,
    id: str,
    data: models.ReplaceGoalData | Omit = OMIT,
) -> Answer[Any]:
    """Update a goal."""
    return await api.request(
        "PUT",
        "/goals/{id}",
        path_args={"id": id},
        json={"data": data},
        optional_body=True,
    )
