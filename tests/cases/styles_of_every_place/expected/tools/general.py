"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def in_form(
    api: Api,
    *,
    deep: models.InFormDeep | Omit = OMIT,
    joined: list[str] | Omit = OMIT,
    object: models.InFormObject | Omit = OMIT,
    repeated: list[str] | Omit = OMIT,
    rows: list[models.InFormRowsItem] | Omit = OMIT,
) -> Answer[Any]:
    """Submit values in a form."""
    return await api.request(
        "POST",
        "/form",
        form={
            "deep": wire.deep_object(deep),
            "joined": wire.csv(joined),
            "object": wire.json_text(object),
            "repeated": repeated,
            "rows": wire.json_text(rows),
        },
        optional_body=True,
    )


async def in_json(
    api: Api,
    *,
    x_arg: models.InJsonXArg | Omit = OMIT,
    q: dict[str, Any] | Omit = OMIT,
    ck: dict[str, Any] | Omit = OMIT,
) -> Answer[Any]:
    """Get values as JSON."""
    return await api.request(
        "GET",
        "/json",
        query={"q": wire.json_text(q)},
        headers={"X-Arg": wire.json_text(x_arg, ascii_only=True)},
        cookies={"ck": wire.json_text(ck)},
    )


async def in_path(
    api: Api,
    *,
    label: list[str],
    labels: dict[str, Any],
    matrix: list[str],
    pairs: dict[str, Any],
    list: list[str],
    members: dict[str, Any],
    number: float,
) -> Answer[Any]:
    """Get values in a path."""
    return await api.request(
        "GET",
        "/path/{label}/{labels}/{matrix}/{pairs}/{list}/{members}/{number}",
        path_args={
            "label": wire.label(label),
            "labels": wire.label(labels, explode=True),
            "matrix": wire.matrix(matrix),
            "pairs": wire.matrix(pairs, explode=True),
            "list": list,
            "members": wire.simple(members, explode=True),
            "number": number,
        },
    )


async def in_query(
    api: Api,
    *,
    deep: models.InQueryDeep | Omit = OMIT,
    deep_list: list[str] | Omit = OMIT,
    spaces: list[str] | Omit = OMIT,
    spaced: models.InQuerySpaced | Omit = OMIT,
    pipes: list[str] | Omit = OMIT,
    reserved: str | Omit = OMIT,
    reserved_list: list[str] | Omit = OMIT,
    reserved_pipes: list[str] | Omit = OMIT,
    empty: str | Omit = OMIT,
    flag: bool | Omit = OMIT,
    price: float | Omit = OMIT,
    large: int | Omit = OMIT,
    at: str | Omit = OMIT,
    one_or_more: int | list[int] | Omit = OMIT,
    matrix: list[list[int]] | Omit = OMIT,
) -> Answer[Any]:
    """Get values in a query."""
    return await api.request(
        "GET",
        "/query",
        query={
            "deep": wire.deep_object(deep),
            "deep_list": wire.deep_object(deep_list),
            "spaces": wire.space_delimited(spaces),
            "spaced": wire.space_delimited(spaced),
            "pipes": pipes,
            "reserved": wire.reserved(reserved),
            "reserved_list": wire.reserved(reserved_list, explode=False),
            "reserved_pipes": wire.pipe_delimited(reserved_pipes),
            "empty": empty,
            "flag": flag,
            "price": price,
            "large": large,
            "at": at,
            "one_or_more": one_or_more,
            "matrix": matrix,
        },
    )
