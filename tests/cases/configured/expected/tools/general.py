"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def find_orders(api: Api, *, limit: int = 5) -> Answer[Any]:
    """List orders."""
    return await api.request(
        "GET",
        "/orders",
        query={
            "limit": limit,
            "tenant": "acme",
        },
    )
