"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

AddPartBody = TypedDict(
    "AddPartBody",
    {
        "@lang": NotRequired[str],
        "admin_id": str,
        "trace": NotRequired[str],
        "type": Literal["close"],
    },
)


class AddPartBody2FilesItem(TypedDict):
    hash: NotRequired[str]
    kind: str
    name: NotRequired[str]


class ReplaceTalkBody(TypedDict):
    hall: str
    seats: NotRequired[int]
    title: str


AddPartBody2 = TypedDict(
    "AddPartBody2",
    {
        "@lang": NotRequired[str],
        "admin_id": str,
        "files": NotRequired[list[AddPartBody2FilesItem]],
        "type": Literal["snooze"],
        "until": int,
    },
)
