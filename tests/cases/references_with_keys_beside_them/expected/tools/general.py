"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def add_a(api: Api, *, lang: str | Omit = OMIT) -> Answer[Any]:
    """Add a."""
    return await api.request("POST", "/a", query={"lang": lang})


async def get_a(api: Api, *, lang: str | Omit = OMIT) -> Answer[Any]:
    """Get a."""
    return await api.request("GET", "/a", query={"lang": lang})


async def get_b(api: Api, *, id: str) -> Answer[Any]:
    """Get b."""
    return await api.request("GET", "/b/{id}", path_args={"id": id})
