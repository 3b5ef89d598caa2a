"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def search(
    api: Api,
    *,
    where: models.SearchWhere,
    filter: models.SearchFilter | Omit = OMIT,
    query: str | Omit = OMIT,
    plain: int | Omit = OMIT,
    any: list[int] | Omit = OMIT,
    x_filter: dict[str, Any] | Omit = OMIT,
    last: dict[str, Any] | Omit = OMIT,
) -> Answer[Any]:
    """Search."""
    return await api.request(
        "GET",
        "/search/{where}",
        path_args={"where": wire.form_text(where)},
        query={
            "filter": wire.form_text(filter, csv=("c",), deep_object=("d",)),
            "query": query,
            "plain": plain,
            "any": wire.json_text(any),
        },
        headers={"X-Filter": wire.form_text(x_filter)},
        cookies={"last": wire.form_text(last)},
    )
