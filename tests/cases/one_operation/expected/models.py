"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class GetBookAnswer(TypedDict):
    author: NotRequired[str]
    title: str
    year: NotRequired[int]
