"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class GetFewAnswerDataItem(TypedDict):
    name: NotRequired[str]
    room: NotRequired[dict[str, Any]]


class GetSortedAnswerDataItem(TypedDict):
    name: NotRequired[str]
    room: NotRequired[dict[str, Any]]


class ListManyAnswerDataItem(TypedDict):
    name: NotRequired[str]
    room: NotRequired[dict[str, Any]]


class GetFewAnswer(TypedDict):
    data: NotRequired[list[GetFewAnswerDataItem]]


class GetSortedAnswer(TypedDict):
    data: NotRequired[list[GetSortedAnswerDataItem]]


class ListManyAnswer(TypedDict):
    data: NotRequired[list[ListManyAnswerDataItem]]
