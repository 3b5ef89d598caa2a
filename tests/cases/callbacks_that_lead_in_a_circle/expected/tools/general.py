"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def add_a(api: Api) -> Answer[Any]:
    """Add a."""
    return await api.request("POST", "/a")


async def add_b(api: Api, *, name: str | Omit = OMIT) -> Answer[Any]:
    """Add b."""
    return await api.request(
        "POST",
        "/b",
        multipart={"name": name},
        optional_body=True,
    )


async def get_c(api: Api, *, q: Any | Omit = OMIT) -> Answer[Any]:
    """Get get? c."""
    return await api.request("GET", "/c", query={"q": q})
