"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class DeleteOrderAnswer(TypedDict):
    count: NotRequired[int]


class GetOrderAnswer(TypedDict):
    id: NotRequired[str]


class StopLocatingDeviceAnswer(TypedDict):
    count: NotRequired[int]


class UpdateOrderAnswer(TypedDict):
    id: NotRequired[str]
