"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any

from .. import OMIT, Answer, Api, Omit


async def set_plate(
    api: Api,
    *,
    plate: str,
    code: str,
    kind: str | Omit = OMIT,
    never: str | Omit = OMIT,
    path: str | Omit = OMIT,
    state: str | Omit = OMIT,
) -> Answer[Any]:
    """Set plate."""
    return await api.request(
        "PUT",
        "/plates/{plate}",
        path_args={"plate": plate},
        json={
            "code": code,
            "kind": kind,
            "never": never,
            "path": path,
            "state": state,
        },
    )
