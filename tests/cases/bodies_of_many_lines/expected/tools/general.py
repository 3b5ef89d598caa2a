"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api, wire

if TYPE_CHECKING:
    from .. import models


async def add_readings(api: Api, *, body: list[models.Reading]) -> Answer[Any]:
    """Add readings."""
    return await api.request(
        "POST",
        "/readings",
        content=wire.json_lines(body),
        media_type="application/x-ndjson",
    )


async def replace_readings(api: Api, *, body: list[models.Reading]) -> Answer[Any]:
    """Replace readings."""
    return await api.request(
        "PUT",
        "/readings",
        content=wire.json_lines(body, start="\x1e"),
        media_type="application/json-seq",
    )


async def update_readings(api: Api, *, body: str) -> Answer[Any]:
    """Update readings."""
    return await api.request(
        "PATCH",
        "/readings",
        content=body,
        media_type="application/jsonl",
    )
