"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

ReplaceThingNested = TypedDict(
    "ReplaceThingNested",
    {
        "$ref": NotRequired[str],
        "a b": NotRequired[int],
    },
)
