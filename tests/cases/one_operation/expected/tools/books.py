"""The toolset `books`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def get_book(
    api: Api,
    *,
    isbn: str,
    fields: list[Literal["title", "author"]] | Omit = OMIT,
) -> Answer[models.GetBookAnswer]:
    """Get a book."""
    return await api.request(
        "GET",
        "/books/{isbn}",
        path_args={"isbn": isbn},
        query={"fields": wire.csv(fields)},
    )
