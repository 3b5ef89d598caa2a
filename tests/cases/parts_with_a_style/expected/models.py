"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class AddScanBody(TypedDict):
    caption: NotRequired[str]
    pages: NotRequired[list[int]]
    photo: NotRequired[str]
    scan: str


class OrderPrintsAddress(TypedDict):
    street: NotRequired[str]
    town: NotRequired[str]


class OrderPrintsCropAt(TypedDict):
    y: NotRequired[int]


class OrderPrintsCrop(TypedDict):
    at: NotRequired[OrderPrintsCropAt]
    x: NotRequired[int]
