"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class AddFieldsBody(TypedDict):
    deep: dict[str, str]
    meta: dict[str, str]


AddPartsBody = TypedDict(
    "AddPartsBody",
    {
        "list": list[str],
        "meta": dict[str, str],
        "tags": list[str],
    },
)


class Cat(TypedDict):
    claws: int
    kind: str


class Dog(TypedDict):
    bark: bool
    kind: str


class SubmitObjectsBody(TypedDict):
    name: NotRequired[str]


class UpdatePetNearPointsItem(TypedDict):
    tags: NotRequired[list[str]]
    x: NotRequired[int]


class UpdatePetOwner(TypedDict):
    secret: str


class UpdatePetNear(TypedDict):
    points: NotRequired[list[UpdatePetNearPointsItem]]
