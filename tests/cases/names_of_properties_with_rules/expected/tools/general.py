"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def create_book(
    api: Api,
    *,
    title: str,
    price: models.CreateBookPrice | Omit = OMIT,
) -> Answer[Any]:
    """Create a book."""
    return await api.request(
        "POST",
        "/books",
        json={
            "title": title,
            "price": price,
        },
    )


async def create_note(api: Api, *, body: models.CreateNoteBody) -> Answer[Any]:
    """Create a note."""
    return await api.request("POST", "/notes", json=body)


async def replace_labels(api: Api, *, body: dict[str, Any]) -> Answer[Any]:
    """Replace the labels."""
    return await api.request("PUT", "/labels", json=body)


async def replace_seat(
    api: Api,
    *,
    _1: int,
    _2: bool | Omit = OMIT,
    _3: str,
    _4: str | Omit = OMIT,
) -> Answer[Any]:
    """Replace a seat."""
    return await api.request(
        "PUT",
        "/seats/{1}",
        path_args={"1": _1},
        query={"2": _2},
        json={
            "3": _3,
            "4": _4,
        },
    )


async def update_books(api: Api, *, body: models.UpdateBooksBody) -> Answer[Any]:
    """Update the books."""
    return await api.request("PATCH", "/books", json=body)
