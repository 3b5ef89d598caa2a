"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Animal(TypedDict):
    kind: Literal["bear", "owl", "polar"]
    name: NotRequired[str]


class Owl(TypedDict):
    kind: Literal["owl"]
    name: NotRequired[str]
    nocturnal: NotRequired[bool]


class PolarBear(TypedDict):
    kind: Literal["polar"]
    name: NotRequired[str]
    weight: float
    ice: NotRequired[bool]
