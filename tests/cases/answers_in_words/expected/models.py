"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class GetStatusAnswer(TypedDict):
    error: NotRequired[Literal[False]]
    state: NotRequired[Literal["up", "down"]]


class ListPartsAnswerItem(TypedDict):
    id: NotRequired[str]


class Logo(TypedDict):
    url: NotRequired[str]
