"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def list_usage(
    api: Api,
    *,
    models: list[str] | Omit = OMIT,
    api_: str | Omit = OMIT,
    wire_: str | Omit = OMIT,
) -> Answer[models.ListUsageAnswer]:
    """List the usage of each model."""
    return await api.request(
        "GET",
        "/usage",
        query={
            "models": models,
            "api": api_,
            "wire": wire_,
        },
    )
