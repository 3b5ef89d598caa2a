"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def cookie_style(
    api: Api,
    *,
    c: list[str] | Omit = OMIT,
    o: models.CookieStyleO | Omit = OMIT,
    d: list[str] | Omit = OMIT,
) -> Answer[Any]:
    """Get cookie style."""
    return await api.request(
        "GET",
        "/ck",
        cookies={
            "c": wire.cookie(c),
            "o": wire.cookie(o),
            "d": wire.cookie(d, explode=False),
        },
    )


async def copy_it(api: Api) -> Answer[Any]:
    """Copy it."""
    return await api.request("COPY", "/search")


async def json_qs(api: Api, *, filter: models.JsonQsFilter | Omit = OMIT) -> Answer[Any]:
    """Get json qs."""
    return await api.request(
        "GET", "/qj", query={"filter": wire.query_string(filter, media_type="application/json")}
    )


async def link_it(api: Api) -> Answer[Any]:
    """Link it."""
    return await api.request("LINK", "/search")


async def search_q(api: Api, *, text: str | Omit = OMIT) -> Answer[Any]:
    """Search q."""
    return await api.request("QUERY", "/search", json={"text": text})


async def streamed(api: Api) -> Answer[Any]:
    """Get s."""
    return await api.request("GET", "/stream", accept="application/jsonl, */*;q=0.5")


async def whole_qs(api: Api, *, filter: models.WholeQsFilter | Omit = OMIT) -> Answer[Any]:
    """Get whole qs."""
    return await api.request(
        "GET",
        "/qs",
        query={"filter": wire.query_string(filter, deep_object=("d",), pipe_delimited=("c",))},
    )
