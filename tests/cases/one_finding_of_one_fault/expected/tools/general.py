"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def a_misspelt_name(api: Api, *, id: str) -> Answer[Any]:
    """Name a misspelt."""
    return await api.request("GET", "/b/{id}", path_args={"id": id})


async def limits(
    api: Api,
    *,
    kind: str | Omit = OMIT,
    name: str | Omit = OMIT,
    step: float | Omit = OMIT,
) -> Answer[Any]:
    """Submit limits."""
    return await api.request(
        "POST",
        "/d",
        json={
            "kind": kind,
            "name": name,
            "step": step,
        },
        optional_body=True,
    )
