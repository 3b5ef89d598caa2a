"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def add_part(
    api: Api,
    *,
    id: str,
    body: models.AddPartBody | models.AddPartBody2,
) -> Answer[Any]:
    """Add part."""
    return await api.request(
        "POST",
        "/talks/{id}/parts",
        path_args={"id": id},
        json=body,
    )
