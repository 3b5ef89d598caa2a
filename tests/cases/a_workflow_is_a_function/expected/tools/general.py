"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def get_parcel(api: Api, *, id: str) -> Answer[models.Parcel]:
    """Get parcel."""
    return await api.request("GET", "/parcels/{id}", path_args={"id": id})


async def send_parcel(
    api: Api,
    *,
    to: str,
    grams: int | Omit = OMIT,
) -> Answer[models.Parcel]:
    """Send parcel."""
    return await api.request(
        "POST",
        "/parcels",
        json={
            "to": to,
            "grams": grams,
        },
    )


async def stop_parcel(api: Api, *, id: str) -> Answer[Any]:
    """Stop parcel."""
    return await api.request("DELETE", "/parcels/{id}", path_args={"id": id})
