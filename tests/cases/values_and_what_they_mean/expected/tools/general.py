"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any, Literal

from .. import OMIT, Answer, Api, Omit


async def list_signals(
    api: Api,
    *,
    kind: Literal[0, 2, 13],
    code: Literal[100, 200, 300, 400, 500, 600] | Omit = OMIT,
) -> Answer[Any]:
    """List signals."""
    return await api.request(
        "GET",
        "/signals/{kind}",
        path_args={"kind": kind},
        query={"code": code},
    )


async def send_signal(
    api: Api,
    *,
    kind: Literal[0, 2, 13],
    level: Literal[0, 1, 9],
    colour: Literal["red", "green"] | Omit = OMIT,
    odd: Literal[1, 2] | Omit = OMIT,
    route: Literal[4, 6] | Omit = OMIT,
    state: Literal[1, 2] | Omit = OMIT,
    tags: list[Literal["u", "n"]] | Omit = OMIT,
    tone: Literal["a", "b"] | Omit = OMIT,
) -> Answer[Any]:
    """Send signal."""
    return await api.request(
        "POST",
        "/signals",
        json={
            "kind": kind,
            "level": level,
            "colour": colour,
            "odd": odd,
            "route": route,
            "state": state,
            "tags": tags,
            "tone": tone,
        },
    )
