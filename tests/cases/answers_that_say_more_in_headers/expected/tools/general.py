"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def create_object(api: Api) -> Answer[Any]:
    """Create an object."""
    return await api.request("POST", "/objects")


async def describe_object(api: Api, *, id: str) -> Answer[Any]:
    """Describe an object."""
    return await api.request("HEAD", "/objects/{id}", path_args={"id": id})


async def get_draft(api: Api, *, id: str) -> Answer[Any]:
    """Get draft."""
    return await api.request("GET", "/drafts/{id}", path_args={"id": id})


async def get_object(api: Api, *, id: str) -> Answer[Any]:
    """Get an object."""
    return await api.request(
        "GET",
        "/objects/{id}",
        path_args={"id": id},
        accept="text/plain, */*;q=0.5",
    )


async def list_objects(api: Api) -> Answer[Any]:
    """List objects."""
    return await api.request("GET", "/objects")


async def replace_draft(
    api: Api,
    *,
    id: str,
    if_match: str | Omit = OMIT,
) -> Answer[Any]:
    """Replace draft."""
    return await api.request(
        "PUT",
        "/drafts/{id}",
        path_args={"id": id},
        headers={"If-Match": if_match},
    )
