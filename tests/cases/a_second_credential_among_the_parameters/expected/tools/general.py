"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def add_a(
    api: Api,
    *,
    token: str,
    page_token: str | Omit = OMIT,
) -> Answer[Any]:
    """Add a."""
    return await api.request(
        "POST",
        "/a",
        query={"page_token": page_token},
        headers={"token": token},
    )


async def get_a(
    api: Api,
    *,
    token: str,
    page_token: str | Omit = OMIT,
) -> Answer[Any]:
    """Get a."""
    return await api.request(
        "GET",
        "/a",
        query={"page_token": page_token},
        headers={"token": token},
    )
