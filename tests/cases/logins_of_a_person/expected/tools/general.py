"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def add_note(api: Api, *, text: str | Omit = OMIT) -> Answer[Any]:
    """Add note."""
    return await api.request(
        "POST",
        "/notes",
        json={"text": text},
        optional_body=True,
        security=(("browser",),),
    )


async def list_notes(api: Api) -> Answer[Any]:
    """List notes."""
    return await api.request("GET", "/notes")
