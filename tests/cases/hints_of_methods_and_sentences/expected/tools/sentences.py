"""The toolset `sentences`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import Answer, Api


async def get_sentence_a(api: Api) -> Answer[Any]:
    """List the books."""
    return await api.request("GET", "/sentences/a")


async def get_sentence_b(api: Api) -> Answer[Any]:
    """Get book by ISBN."""
    return await api.request("GET", "/sentences/b")


async def get_sentence_c(api: Api) -> Answer[Any]:
    """Returns all books."""
    return await api.request("GET", "/sentences/c")


async def get_sentence_d(api: Api) -> Answer[Any]:
    """Find a book."""
    return await api.request("GET", "/sentences/d")


async def get_sentence_e(api: Api) -> Answer[Any]:
    """Fetch one."""
    return await api.request("GET", "/sentences/e")


async def get_sentence_f(api: Api) -> Answer[Any]:
    """\"Read" the table."""
    return await api.request("GET", "/sentences/f")
