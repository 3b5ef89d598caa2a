"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    names={
        "/properties/options/properties/a_b": "a b",
        "/properties/options/properties/a_b_c14cdd": "a/b",
        "/properties/options/properties/a_b_759eb6": "a_b",
    }
)
async def add_order(
    api: Api,
    *,
    amount: float,
    labels: list[str],
    boxes: int | Omit = OMIT,
    notes: list[str] | Omit = OMIT,
    options: models.AddOrderOptions | Omit = OMIT,
) -> Answer[Any]:
    """Add an order."""
    return await api.request(
        "POST",
        "/orders",
        json={
            "amount": amount,
            "labels": labels,
            "boxes": boxes,
            "notes": notes,
            "options": options,
        },
    )
