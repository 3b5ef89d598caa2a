"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def attach(api: Api, *, blocks: str | Omit = OMIT) -> Answer[Any]:
    """Attach."""
    return await api.request("POST", "/attachments", form={"blocks": blocks})


async def get_environment(
    api: Api,
    *,
    name: str,
    filter: str | Omit = OMIT,
    x_path: str | Omit = OMIT,
    page: int | Omit = OMIT,
) -> Answer[Any]:
    """Get environment."""
    return await api.request(
        "GET",
        "/environments/{name}",
        path_args={"name": name},
        query={
            "filter": filter,
            "page": page,
        },
        headers={"X-Path": x_path},
    )


async def set_environment(
    api: Api,
    *,
    name: str,
    filter: str | Omit = OMIT,
    x_path: str | Omit = OMIT,
    page: int | Omit = OMIT,
    target: str | Omit = OMIT,
) -> Answer[Any]:
    """Set environment."""
    return await api.request(
        "POST",
        "/environments/{name}",
        path_args={"name": name},
        query={
            "filter": filter,
            "page": page,
        },
        headers={"X-Path": x_path},
        json={"target": target},
    )
