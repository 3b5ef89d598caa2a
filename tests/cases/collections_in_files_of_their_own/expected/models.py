"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Light(TypedDict):
    colour: NotRequired[Literal["white", "red", "green"]]
    height: float
