"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api, wire

if TYPE_CHECKING:
    from .. import models


async def create_record(api: Api, *, body: models.A | models.Mx) -> Answer[Any]:
    """Create record."""
    return await api.request("POST", "/records", json=body)


@wire.sends(
    nullable=(
        "/properties/body/anyOf/0/properties/name",
        "/properties/body/anyOf/1/properties/name",
    )
)
async def update_channel(
    api: Api,
    *,
    id: str,
    body: models.Direct | models.Group | models.Guild,
) -> Answer[Any]:
    """Update channel."""
    return await api.request(
        "PATCH",
        "/channels/{id}",
        path_args={"id": id},
        json=body,
    )
