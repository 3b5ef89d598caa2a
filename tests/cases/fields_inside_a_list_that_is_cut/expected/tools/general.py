"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


@wire.sends(
    names={
        "/properties/filter/properties/tags": "@tags",
        "/properties/comment/properties/lang": "@lang",
    }
)
async def add_thread(
    api: Api,
    *,
    comment: models.Comment,
    title: str,
    filter: models.AddThreadFilter | Omit = OMIT,
    marks: list[models.AddThreadMarksItem] | Omit = OMIT,
) -> Answer[Any]:
    """Add thread."""
    return await api.request(
        "POST",
        "/threads",
        json={
            "comment": wire.with_fields(
                comment,
                fixed={"/author/id": 7, "/author/team-name": "blue"},
                defaults={"/author": {}, "/@lang": "en"},
            ),
            "title": title,
            "filter": wire.with_fields(
                {} if filter is OMIT else filter, fixed={"/archived": False}
            ),
            "marks": wire.with_fields(
                marks, fixed={"/at/line": 1}, defaults={"/at": {}, "/kind": "star"}
            ),
        },
    )
