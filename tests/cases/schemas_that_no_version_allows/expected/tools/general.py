"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def create_order(
    api: Api,
    *,
    kind: str | Omit = OMIT,
    name: str | Omit = OMIT,
    size: int | Omit = OMIT,
    tags: list[str | float | bool | dict[str, Any]] | Omit = OMIT,
    total: float | Omit = OMIT,
) -> Answer[Any]:
    """Create order."""
    return await api.request(
        "POST",
        "/orders",
        json={
            "kind": kind,
            "name": name,
            "size": size,
            "tags": tags,
            "total": total,
        },
        optional_body=True,
    )
