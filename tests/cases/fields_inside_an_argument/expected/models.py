"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class AddPartBody(TypedDict):
    admin_id: NotRequired[str]
    trace: NotRequired[str]
    type: Literal["close"]


class AddPartBody2FilesItem(TypedDict):
    hash: NotRequired[str]
    name: NotRequired[str]


class AddPartBody2(TypedDict):
    admin_id: NotRequired[str]
    files: NotRequired[list[AddPartBody2FilesItem]]
    type: Literal["snooze"]
    until: int
