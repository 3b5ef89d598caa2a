"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

AddThreadFilter = TypedDict(
    "AddThreadFilter",
    {
        "@tags": NotRequired[list[str]],
        "archived": NotRequired[bool],
    },
)


class AddThreadMarksItemAt(TypedDict):
    line: int
    page: NotRequired[int]


Author = TypedDict(
    "Author",
    {
        "id": int,
        "nick": NotRequired[str],
        "team-name": str,
    },
)


Comment = TypedDict(
    "Comment",
    {
        "@lang": str,
        "author": Author,
        "replies": NotRequired[list["Comment"]],
        "text": str,
    },
)


class AddThreadMarksItem(TypedDict):
    at: AddThreadMarksItemAt
    kind: str
