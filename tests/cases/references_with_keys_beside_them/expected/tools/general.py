"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any, Literal

from .. import OMIT, Answer, Api, Omit


async def add_a(api: Api, *, lang: str | Omit = OMIT) -> Answer[Any]:
    """Add a."""
    return await api.request("POST", "/a", query={"lang": lang})


async def add_d(api: Api, *, size: int | Omit = OMIT) -> Answer[Any]:
    """Add d."""
    return await api.request("POST", "/c", query={"size": size})


async def get_a(api: Api, *, lang: str | Omit = OMIT) -> Answer[Any]:
    """Get a."""
    return await api.request("GET", "/a", query={"lang": lang})


async def get_c(api: Api, *, size: int | Omit = OMIT) -> Answer[Any]:
    """Get c."""
    return await api.request("GET", "/c", query={"size": size})


async def get_e_v1(api: Api) -> Answer[Any]:
    """Get e v1."""
    return await api.request("GET", "/v1/e", base_url="https://one.example.com")


async def get_e_v2(api: Api) -> Answer[Any]:
    """Get e v2."""
    return await api.request("GET", "/v2/e", base_url="https://two.example.com")


async def replace_b(
    api: Api,
    *,
    id: str,
    order: Literal["up", "down"] | Omit = OMIT,
) -> Answer[Any]:
    """Replace b."""
    return await api.request(
        "PUT",
        "/b/{id}",
        path_args={"id": id},
        json={"order": order},
        optional_body=True,
    )
