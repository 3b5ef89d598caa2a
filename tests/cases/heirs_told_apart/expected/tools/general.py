"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import OMIT, Answer, Api, Omit, wire

if TYPE_CHECKING:
    from .. import models


async def add_animal(
    api: Api,
    *,
    kind: Literal["bear", "owl", "polar"],
    name: str | Omit = OMIT,
    weight: float | Omit = OMIT,
    nocturnal: bool | Omit = OMIT,
    ice: bool | Omit = OMIT,
) -> Answer[Any]:
    """Add an animal."""
    return await api.request(
        "POST",
        "/animals",
        json={
            "kind": kind,
            "name": name,
            "weight": weight,
            "nocturnal": nocturnal,
            "ice": ice,
        },
    )


async def add_bear(
    api: Api,
    *,
    kind: Literal["bear", "polar"],
    weight: float,
    name: str | Omit = OMIT,
    ice: bool | Omit = OMIT,
) -> Answer[Any]:
    """Add a bear."""
    return await api.request(
        "POST",
        "/bears",
        json={
            "kind": kind,
            "weight": weight,
            "name": name,
            "ice": ice,
        },
    )


@wire.sends(nullable=("/properties/last",))
async def add_visit(
    api: Api,
    *,
    first: models.PolarBear,
    to: list[models.Animal],
    guide: models.Animal | models.Owl | Omit = OMIT,
    last: models.Animal | None | Omit = OMIT,
) -> Answer[Any]:
    """Add a visit."""
    return await api.request(
        "POST",
        "/visits",
        json={
            "first": first,
            "to": to,
            "guide": guide,
            "last": last,
        },
    )


async def replace_animal(
    api: Api,
    *,
    kind: Literal["bear", "owl", "polar"],
    name: str | Omit = OMIT,
    weight: float | Omit = OMIT,
    nocturnal: bool | Omit = OMIT,
    ice: bool | Omit = OMIT,
) -> Answer[Any]:
    """Replace an animal."""
    return await api.request(
        "PUT",
        "/animals",
        json={
            "kind": kind,
            "name": name,
            "weight": weight,
            "nocturnal": nocturnal,
            "ice": ice,
        },
    )
