"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def get_parcel(api: Api, *, id: str) -> Answer[Any]:
    """Get parcel."""
    return await api.request("GET", "/parcels/{id}", path_args={"id": id})


async def send_parcel(
    api: Api,
    *,
    to: str,
    grams: int | Omit = OMIT,
) -> Answer[Any]:
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
