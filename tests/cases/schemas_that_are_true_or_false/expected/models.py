"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

AddItemMap = TypedDict(
    "AddItemMap",
    {
        "a b": str,
    },
)


class ListItemsFilter(TypedDict):
    name: NotRequired[str]
