"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class AddLabelCrop(TypedDict):
    name: NotRequired[str]


class AddScanBodySize(TypedDict):
    y: NotRequired[int]


class AddScanBodyStamp(TypedDict):
    seal: NotRequired[str]


class OrderPrintsAddress(TypedDict):
    street: NotRequired[str]
    town: NotRequired[str]


class OrderPrintsCropAt(TypedDict):
    y: NotRequired[int]


class SetFilterFilter(TypedDict):
    name: NotRequired[str]


class AddScanBody(TypedDict):
    caption: NotRequired[str]
    frames: NotRequired[list[str]]
    pages: NotRequired[list[int]]
    photo: NotRequired[str]
    place: NotRequired[str]
    scan: str
    size: NotRequired[AddScanBodySize]
    stamp: NotRequired[AddScanBodyStamp]


class OrderPrintsCrop(TypedDict):
    at: NotRequired[OrderPrintsCropAt]
    x: NotRequired[int]
