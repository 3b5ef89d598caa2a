"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

AddOrderOptions = TypedDict(
    "AddOrderOptions",
    {
        "a b": NotRequired[int],
        "a/b": NotRequired[float],
        "a_b": NotRequired[str],
        "a_b_648fa9": bool,
    },
)
