"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


async def add_a(
    api: Api,
    *,
    v: str | list[Any] | Omit = OMIT,
    w: str | Omit = OMIT,
) -> Answer[Any]:
    """Add a."""
    return await api.request(
        "POST",
        "/a",
        multipart={
            "v": v,
            "w": wire.file(w),
        },
        optional_body=True,
    )


async def add_b(api: Api, *, v: list[list[list[Any]]] | Omit = OMIT) -> Answer[Any]:
    """Add b."""
    return await api.request(
        "POST",
        "/b",
        multipart={"v": v},
        optional_body=True,
    )
