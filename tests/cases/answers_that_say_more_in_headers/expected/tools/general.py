"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def create_object(api: Api) -> Answer[Any]:
    """Create an object."""
    return await api.request("POST", "/objects")


async def describe_object(api: Api, *, id: str) -> Answer[Any]:
    """Describe an object."""
    return await api.request("HEAD", "/objects/{id}", path_args={"id": id})


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
