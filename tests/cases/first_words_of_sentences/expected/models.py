"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class OrderServiceDeleteAnswer(TypedDict):
    count: NotRequired[int]


class OrderServiceGetAnswer(TypedDict):
    id: NotRequired[str]


class OrderServicePatchAnswer(TypedDict):
    id: NotRequired[str]


class StopLocatingDeviceAnswer(TypedDict):
    count: NotRequired[int]
