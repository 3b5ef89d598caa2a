"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


@wire.sends(nullable=("/properties/either", "/properties/odd"))
async def create_order(
    api: Api,
    *,
    count: int | Omit = OMIT,
    due_at: str | Omit = OMIT,
    either: int | None | Omit = OMIT,
    odd: Any | Omit = OMIT,
    paid: bool | Omit = OMIT,
) -> Answer[Any]:
    """Create order."""
    return await api.request(
        "POST",
        "/orders",
        json={
            "count": count,
            "due_at": due_at,
            "either": either,
            "odd": odd,
            "paid": paid,
        },
        optional_body=True,
    )
