"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Item(TypedDict):
    id: NotRequired[int]
    name: NotRequired[str]
    v: NotRequired[str]


class ListItemsAnswer(TypedDict):
    items: NotRequired[list[Item]]
    next_cursor: NotRequired[str]


class StartJobAnswer(TypedDict):
    server_notes: NotRequired[str]
