"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    names={
        "/properties/sklad/properties/page_size": "page size",
        "/properties/sklad/properties/gorod": "\u0433\u043e\u0440\u043e\u0434",
        "/properties/sklad/properties/ulitsa": "\u0443\u043b\u0438\u0446\u0430",
    }
)
async def create_tovary(
    api: Api,
    *,
    imya: str,
    sklad: models.CreateTovarySklad | Omit = OMIT,
) -> Answer[Any]:
    """Create tovary."""
    return await api.request(
        "POST",
        "/\u0442\u043e\u0432\u0430\u0440\u044b",
        json={
            "\u0438\u043c\u044f": imya,
            "\u0441\u043a\u043b\u0430\u0434": sklad,
        },
    )


async def get_tovary(
    api: Api,
    *,
    tsena: float | Omit = OMIT,
    mull_query: bool | Omit = OMIT,
    mull: bool | Omit = OMIT,
) -> Answer[Any]:
    """Get tovary."""
    return await api.request(
        "GET",
        "/\u0442\u043e\u0432\u0430\u0440\u044b",
        query={
            "\u0446\u0435\u043d\u0430": tsena,
            "m\xfcll": mull_query,
            "mull": mull,
        },
    )
