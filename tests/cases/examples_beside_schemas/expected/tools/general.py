"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def create_town(
    api: Api,
    *,
    lots: dict[str, Any] | Omit = OMIT,
    name: str | Omit = OMIT,
    place: models.CreateTownPlace | Omit = OMIT,
    rule: dict[str, Any] | Omit = OMIT,
) -> Answer[Any]:
    """Create a town."""
    return await api.request(
        "POST",
        "/towns",
        json={
            "lots": lots,
            "name": name,
            "place": place,
            "rule": rule,
        },
    )


async def list_towns(
    api: Api,
    *,
    near: str | Omit = OMIT,
    code: str | Omit = OMIT,
    tags: list[str] | Omit = OMIT,
    kinds: list[Literal["big", "small"]] | Omit = OMIT,
    walled: bool | Omit = OMIT,
    height: float | Omit = OMIT,
    page: int | Omit = OMIT,
    filter: dict[str, Any] | Omit = OMIT,
) -> Answer[Any]:
    """List the towns."""
    return await api.request(
        "GET",
        "/towns",
        query={
            "near": near,
            "code": code,
            "tags": tags,
            "kinds": kinds,
            "walled": walled,
            "height": height,
            "page": page,
            "filter": wire.json_text(filter),
        },
    )


async def replace_notice(api: Api, *, body: str) -> Answer[Any]:
    """Replace the notice of the town."""
    return await api.request(
        "PUT",
        "/towns",
        content=body,
        media_type="text/plain",
    )
