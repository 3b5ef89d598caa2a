"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


@wire.sends(nullable=("/properties/title",), merge_patch=True)
async def create_incident(api: Api, *, title: str | None | Omit = OMIT) -> Answer[Any]:
    """Create incident."""
    return await api.request(
        "POST",
        "/incidents",
        json={"title": title},
        media_type="application/merge-patch+json",
        optional_body=True,
        accept="application/vnd.pager+json;version=2",
    )


async def list_incidents(api: Api) -> Answer[Any]:
    """List incidents."""
    return await api.request(
        "GET",
        "/incidents",
        accept="application/vnd.pager+json;version=2",
        content_type="application/json",
    )


async def list_notes(api: Api, *, x_page: int | Omit = OMIT) -> Answer[Any]:
    """List notes."""
    return await api.request("GET", "/notes", headers={"x-page": x_page})
