"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def create_counter(
    api: Api,
    *,
    page: int | Omit = OMIT,
    after: int | Omit = OMIT,
    line: str | Omit = OMIT,
    name: str | Omit = OMIT,
    price: float | Omit = OMIT,
    ratio: float | Omit = OMIT,
    seed: int | Omit = OMIT,
    tags: list[str] | Omit = OMIT,
) -> Answer[Any]:
    """Create counter."""
    return await api.request(
        "POST",
        "/counters",
        query={
            "page": page,
            "after": after,
        },
        json={
            "line": line,
            "name": name,
            "price": price,
            "ratio": ratio,
            "seed": seed,
            "tags": tags,
        },
    )
