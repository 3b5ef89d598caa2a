"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import TypedDict


class Shelf(TypedDict):
    room: str


class Shelf2(TypedDict):
    room: str


class Shelf3(TypedDict):
    room: str


class Shelf4(TypedDict):
    room: str


class Shelf5(TypedDict):
    room: str


class Shelf6(TypedDict):
    room: str
