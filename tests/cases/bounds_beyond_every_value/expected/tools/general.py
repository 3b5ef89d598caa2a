"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any, Literal

from .. import OMIT, Answer, Api, Omit


async def add_item(
    api: Api,
    *,
    list: list[str | float | bool | dict[str, Any]],
    map: dict[str, Any],
    nested: list[list[list[Any]]],
    number: float,
    text: str,
    file: str | Omit = OMIT,
    spelt: str | Omit = OMIT,
) -> Answer[Any]:
    """Add an item."""
    return await api.request(
        "POST",
        "/items",
        json={
            "list": list,
            "map": map,
            "nested": nested,
            "number": number,
            "text": text,
            "file": file,
            "spelt": spelt,
        },
    )


async def list_items(
    api: Api,
    *,
    ratio: float | Omit = OMIT,
    count: Literal[12] | Omit = OMIT,
    empty: list[Any],
) -> Answer[Any]:
    """List items."""
    return await api.request(
        "GET",
        "/items",
        query={
            "ratio": ratio,
            "count": count,
            "empty": empty,
        },
    )
