"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def list_tracks(
    api: Api,
    *,
    limit: int | Omit = OMIT,
    tempo: float | Omit = OMIT,
    market: str | Omit = OMIT,
    bad: int | Omit = OMIT,
) -> Answer[Any]:
    """List tracks."""
    return await api.request(
        "GET",
        "/tracks",
        query={
            "limit": limit,
            "tempo": tempo,
            "market": market,
            "bad": bad,
        },
    )
