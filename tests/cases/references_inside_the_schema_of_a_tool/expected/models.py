"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class InputSchema(TypedDict):
    name: str
    below: NotRequired[list[InputSchema]]


class Shelf(TypedDict):
    room: str


class Shelf2(TypedDict):
    row: int


class Shelf3(TypedDict):
    room: str


class Shelf4(TypedDict):
    room: str
