"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def query(
    api: Api,
    *,
    formula: (
        float
        | str
        | models.Sum
        | models.Product
        | models.Difference
        | models.Quotient
        | models.Power
        | models.Minimum
        | models.Maximum
        | models.Choice
        | models.Condition
        | models.Decay
        | models.Distance
        | models.Average
    ),
    limit: int | Omit = OMIT,
) -> Answer[Any]:
    """Submit query."""
    return await api.request(
        "POST",
        "/query",
        json={
            "formula": formula,
            "limit": limit,
        },
    )
