"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit, wire


async def body_it(api: Api, *, body: list[int]) -> Answer[Any]:
    """Replace body it."""
    return await api.request("PUT", "/b", json=body)


async def form_it(
    api: Api,
    *,
    b: bool,
    a: list[int] | Omit = OMIT,
) -> Answer[Any]:
    """Submit form it."""
    return await api.request(
        "POST",
        "/f",
        form={
            "b": b,
            "a": wire.csv(a),
        },
    )


async def lists(
    api: Api,
    *,
    m: list[str] | Omit = OMIT,
    c: list[str] | Omit = OMIT,
    s: list[str] | Omit = OMIT,
    t: list[str] | Omit = OMIT,
    p: list[str] | Omit = OMIT,
    x_h: list[str] | Omit = OMIT,
) -> Answer[Any]:
    """Get lists."""
    return await api.request(
        "GET",
        "/l",
        query={
            "m": m,
            "c": wire.csv(c),
            "s": wire.space_delimited(s),
            "t": wire.tab_delimited(t),
            "p": wire.pipe_delimited(p),
        },
        headers={"X-H": wire.pipe_delimited(x_h)},
    )


async def nested_lists(
    api: Api,
    *,
    rows: list[list[int]],
    boxes: list[list[float]] | Omit = OMIT,
    deep: list[list[list[Any]]] | Omit = OMIT,
) -> Answer[Any]:
    """Get nested lists."""
    return await api.request(
        "GET",
        "/n/{rows}",
        path_args={"rows": wire.pipe_delimited(rows, within=",")},
        query={
            "boxes": wire.form(boxes, within=" "),
            "deep": wire.pipe_delimited(deep, within=" ,"),
        },
    )


async def upload_it(
    api: Api,
    *,
    file: str,
    marks: list[str] | Omit = OMIT,
    note: str | Omit = OMIT,
    tags: list[str] | Omit = OMIT,
) -> Answer[Any]:
    """Upload it."""
    return await api.request(
        "POST",
        "/u",
        multipart={
            "file": wire.file(file),
            "marks": marks,
            "note": note,
            "tags": wire.csv(tags),
        },
    )
