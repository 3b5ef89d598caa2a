"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


async def add_book(
    api: Api,
    *,
    draft: bool | Omit = OMIT,
    title: str,
) -> Answer[Any]:
    """Add book."""
    return await api.request(
        "POST",
        "/books",
        query={"draft": draft},
        json={"title": title},
    )


async def add_file(
    api: Api,
    *,
    draft: bool | Omit = OMIT,
    file: str,
    note: str | Omit = OMIT,
) -> Answer[Any]:
    """Add file."""
    return await api.request(
        "POST",
        "/files",
        query={"draft": draft},
        multipart={
            "file": wire.file(file),
            "note": note,
        },
    )


async def add_note(
    api: Api,
    *,
    text: str,
    pages: list[int] | Omit = OMIT,
) -> Answer[Any]:
    """Add note."""
    return await api.request(
        "POST",
        "/notes",
        form={
            "text": text,
            "pages": pages,
        },
    )
