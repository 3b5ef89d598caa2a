"""Reports of our shop."""

from __future__ import annotations

from typing import Any

from .. import Api
from ..models import Book
from ..tools import books, search


def title(book: Book) -> str:
    """Return the title of a book."""
    return book["title"]


async def count_books(api: Api, *, genre: str) -> str:
    """Count the books of a genre."""
    first: Any = await books.get_book(api, bookId="bk_1")
    every: Any = await search.find_books(api)
    return f"{genre}: {len(every.data['items'])}, the first is {title(first.data)}"
