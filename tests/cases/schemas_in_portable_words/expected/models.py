"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class SendWordsAClosedObject(TypedDict):
    a: NotRequired[Any]


class SendWordsNoType(TypedDict):
    a: NotRequired[str]
