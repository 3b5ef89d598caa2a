"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def delete_books(api: Api, *, id: str) -> Answer[models.DeleteBooksAnswer]:
    """Delete books in the given shelf."""
    return await api.request("DELETE", "/shelves/{id}/books", path_args={"id": id})


async def edit_books(api: Api, *, id: str) -> Answer[models.EditBooksAnswer]:
    """Edit the books."""
    return await api.request("PATCH", "/shelves/{id}/books", path_args={"id": id})


async def get_books(api: Api, *, id: str) -> Answer[Any]:
    """List books."""
    return await api.request("GET", "/shelves/{id}/books", path_args={"id": id})
