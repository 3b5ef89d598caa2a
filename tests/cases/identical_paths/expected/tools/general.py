"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def get_book(api: Api, *, id: str) -> Answer[Any]:
    """Get book."""
    return await api.request("GET", "/books/{id}", path_args={"id": id})


async def get_book_by_isbn(api: Api, *, isbn: str) -> Answer[Any]:
    """Get book by isbn."""
    return await api.request("GET", "/books/{isbn}", path_args={"isbn": isbn})


async def get_cover(api: Api, *, isbn: str) -> Answer[Any]:
    """Get cover."""
    return await api.request("GET", "/books/{isbn}/cover", path_args={"isbn": isbn})


async def update_book(api: Api, *, book_id: str) -> Answer[Any]:
    """Update book."""
    return await api.request("PUT", "/books/{book.id}", path_args={"book.id": book_id})
