"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def add_book(
    api: Api, *, book: models.BookInput | Omit = OMIT
) -> Answer[models.AddBookAnswer]:
    """Add book."""
    return await api.request(
        "POST",
        "/books",
        json={"book": book},
        optional_body=True,
    )


async def get_tree(api: Api) -> Answer[models.Node]:
    """Get tree."""
    return await api.request("GET", "/tree")


async def list_books(api: Api) -> Answer[list[models.Book]]:
    """List books."""
    return await api.request("GET", "/books")
