"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api, wire


async def add_picture(api: Api, *, body: str) -> Answer[Any]:
    """Add a picture."""
    return await api.request(
        "POST",
        "/pictures",
        content=wire.from_base64(body),
        media_type="image/*",
    )


async def get_note(api: Api) -> Answer[Any]:
    """Get the note."""
    return await api.request("GET", "/note", accept="text/html, text/plain, */*;q=0.5")


async def list_notes(api: Api) -> Answer[Any]:
    """List notes."""
    return await api.request("GET", "/notes")


async def list_parts(api: Api) -> Answer[Any]:
    """List parts."""
    return await api.request("GET", "/parts")
