"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def replace_contact(
    api: Api,
    *,
    id: str,
    notify: bool | Omit = OMIT,
    address: models.ReplaceContactAddress | Omit = OMIT,
    labels: dict[str, Any] | Omit = OMIT,
    name: str | Omit = OMIT,
) -> Answer[Any]:
    """Replace a contact."""
    return await api.request(
        "PUT",
        "/contacts/{id}",
        path_args={"id": id},
        query={"notify": notify},
        json={
            "address": address,
            "labels": labels,
            "name": name,
        },
    )


@wire.sends(
    nullable=("/properties/address", "/properties/labels", "/properties/name"), merge_patch=True
)
async def update_contact(
    api: Api,
    *,
    id: str,
    notify: bool | Omit = OMIT,
    address: models.UpdateContactAddress | None | Omit = OMIT,
    labels: dict[str, Any] | None | Omit = OMIT,
    name: str | None | Omit = OMIT,
) -> Answer[Any]:
    """Update a contact."""
    return await api.request(
        "PATCH",
        "/contacts/{id}",
        path_args={"id": id},
        query={"notify": notify},
        json={
            "address": address,
            "labels": labels,
            "name": name,
        },
        media_type="application/merge-patch+json",
    )


@wire.sends(merge_patch=True)
async def update_details(
    api: Api,
    *,
    id: str,
    body: models.UpdateDetailsBody,
) -> Answer[Any]:
    """Update what else is known of a contact."""
    return await api.request(
        "PATCH",
        "/contacts/{id}/details",
        path_args={"id": id},
        json=body,
        media_type="application/merge-patch+json",
    )
