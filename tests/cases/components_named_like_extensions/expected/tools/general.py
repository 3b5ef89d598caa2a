"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit

if TYPE_CHECKING:
    from .. import models


async def list_books(
    api: Api,
    *,
    x_trace: Literal["main", "other"],
    x_api_version: str | Omit = OMIT,
    book: models.ListBooksBook | Omit = OMIT,
) -> Answer[Any]:
    """List books."""
    return await api.request(
        "GET",
        "/books",
        query={"book": book},
        headers={
            "x-trace": x_trace,
            "x-api-version": x_api_version,
        },
    )
