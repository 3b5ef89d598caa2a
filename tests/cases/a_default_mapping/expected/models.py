"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Cat(TypedDict):
    kind: str
    lives: NotRequired[int]


class Other(TypedDict):
    kind: NotRequired[str]
    legs: NotRequired[int]
