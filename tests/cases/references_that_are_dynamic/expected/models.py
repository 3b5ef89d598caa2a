"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class InputSchema(TypedDict):
    label: NotRequired[str]
    shelves: NotRequired[list[InputSchema]]


class InputSchema2(TypedDict):
    height: int
    on: NotRequired[InputSchema2]
