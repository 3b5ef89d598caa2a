"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


async def get_book(api: Api, *, isbn: str) -> Answer[Any]:
    """Get a book."""
    return await api.request("GET", "/books/{isbn}", path_args={"isbn": isbn})


async def get_held(
    api: Api,
    *,
    x: str,
    y: str,
    hx: str,
    hy: str,
) -> Answer[Any]:
    """Get what is held."""
    return await api.request(
        "GET",
        "/held/{x}/{y}",
        path_args={
            "x": x,
            "y": y,
        },
        headers={
            "hx": hx,
            "hy": hy,
        },
    )


@wire.sends(nullable=("/properties/exploded/items", "/properties/matrix/items"))
async def get_label(
    api: Api,
    *,
    text: str,
    exploded: list[str | float | bool | dict[str, Any]],
    matrix: list[str | float | bool | dict[str, Any]],
) -> Answer[Any]:
    """Get with labels."""
    return await api.request(
        "GET",
        "/labels/{text}/{exploded}/{matrix}",
        path_args={
            "text": wire.label(text),
            "exploded": wire.label(exploded, explode=True),
            "matrix": wire.matrix(matrix),
        },
    )


async def get_open_order(api: Api, *, id: str) -> Answer[Any]:
    """Get an order."""
    return await api.request("GET", "/open-orders/{id}", path_args={"id": id})


async def get_shop(
    api: Api,
    *,
    shop: str,
    limit: int | Omit = OMIT,
) -> Answer[Any]:
    """Get a shop."""
    return await api.request(
        "GET",
        "/shops/{shop}",
        path_args={"shop": shop},
        query={"limit": limit},
    )


@wire.sends(
    nullable=("/properties/piped/items", "/properties/spaced/items", "/properties/x_list/items")
)
async def get_style(
    api: Api,
    *,
    members: dict[str, Any],
    exploded: list[str] | Omit = OMIT,
    joined: list[str] | Omit = OMIT,
    object: dict[str, Any] | Omit = OMIT,
    text: str | Omit = OMIT,
    piped: list[str | float | bool | dict[str, Any]] | Omit = OMIT,
    spaced: list[str | float | bool | dict[str, Any]] | Omit = OMIT,
    reserved: str | Omit = OMIT,
    x_pairs: dict[str, Any] | Omit = OMIT,
    x_list: list[str | float | bool | dict[str, Any]] | Omit = OMIT,
    sid: str | Omit = OMIT,
) -> Answer[Any]:
    """Get with styles."""
    return await api.request(
        "GET",
        "/styles/{members}",
        path_args={"members": wire.simple(members, explode=True)},
        query={
            "exploded": exploded,
            "joined": wire.csv(joined),
            "object": wire.csv(object),
            "text": text,
            "piped": wire.pipe_delimited(piped),
            "spaced": wire.space_delimited(spaced),
            "reserved": wire.reserved(reserved),
        },
        headers={
            "X-Pairs": wire.simple(x_pairs, explode=True),
            "X-List": x_list,
        },
        cookies={"sid": sid},
    )


async def list_headers(api: Api, *, x_trace: str | Omit = OMIT) -> Answer[Any]:
    """Get with headers."""
    return await api.request("GET", "/headers", headers={"X-Trace": x_trace})


async def list_keys(
    api: Api,
    *,
    sort: str,
    key: str,
) -> Answer[Any]:
    """Get the keys."""
    return await api.request(
        "GET",
        "/keys",
        query={
            "v": "2",
            "sort": sort,
            "key": key,
        },
    )


async def list_responses(api: Api) -> Answer[Any]:
    """Get the responses."""
    return await api.request("GET", "/responses", query={"beta": "true"})


async def purge_cache(api: Api) -> Answer[Any]:
    """Purge the cache."""
    return await api.request("PURGE", "/cache")
