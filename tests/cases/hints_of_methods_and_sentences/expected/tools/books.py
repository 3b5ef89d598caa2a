"""The toolset `books`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def book_replace(api: Api) -> Answer[Any]:
    """Books by PUT."""
    return await api.request("PUT", "/books")


async def book_update(api: Api) -> Answer[Any]:
    """Books by PATCH."""
    return await api.request("PATCH", "/books")


async def check_books(api: Api) -> Answer[Any]:
    """Books by HEAD."""
    return await api.request("HEAD", "/books")


async def create_book(api: Api) -> Answer[Any]:
    """Create book."""
    return await api.request("POST", "/books/new")


async def delete_books(api: Api) -> Answer[Any]:
    """Books by DELETE."""
    return await api.request("DELETE", "/books")


async def describe_books(api: Api) -> Answer[Any]:
    """Books by OPTIONS."""
    return await api.request("OPTIONS", "/books")


async def list_books(api: Api) -> Answer[Any]:
    """Books by GET."""
    return await api.request("GET", "/books")


async def query_books(api: Api) -> Answer[Any]:
    """Books by QUERY."""
    return await api.request("QUERY", "/books")
