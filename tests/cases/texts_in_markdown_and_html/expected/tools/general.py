"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def create_folder(
    api: Api,
    *,
    name: str | Omit = OMIT,
    owner: str | Omit = OMIT,
    place: str | Omit = OMIT,
) -> Answer[Any]:
    """Creates a folder."""
    return await api.request(
        "POST",
        "/folders",
        json={
            "name": name,
            "owner": owner,
            "place": place,
        },
        optional_body=True,
    )


async def delete_folders(api: Api) -> Answer[Any]:
    """Deletes a folder."""
    return await api.request("DELETE", "/folders")


async def list_folders(api: Api) -> Answer[Any]:
    """List folders."""
    return await api.request("GET", "/folders")


async def list_notes(api: Api) -> Answer[Any]:
    """List notes."""
    return await api.request("GET", "/notes")
