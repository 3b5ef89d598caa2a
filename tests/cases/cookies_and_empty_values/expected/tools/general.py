"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def ck_arr(
    api: Api,
    *,
    c: list[str] | Omit = OMIT,
    o: models.CkArrO | Omit = OMIT,
) -> Answer[Any]:
    """Get c."""
    return await api.request(
        "GET",
        "/c",
        cookies={
            "c": c,
            "o": o,
        },
    )


async def create_x(
    api: Api,
    *,
    q: list[str] | Omit = OMIT,
    opt: int | Omit = OMIT,
    a: int | Omit = OMIT,
) -> Answer[Any]:
    """Submit x."""
    return await api.request(
        "POST",
        "/x",
        query={
            "q": q,
            "opt": opt,
        },
        json={"a": a},
        optional_body=True,
    )
