"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class FilmResource(TypedDict):
    id: NotRequired[int]


class GetStudioAnswerResult(TypedDict):
    name: NotRequired[str]


class ListStudiosAnswer(TypedDict):
    count: NotRequired[int]
    result: NotRequired[list[dict[str, Any]]]


class GetStudioAnswer(TypedDict):
    result: NotRequired[GetStudioAnswerResult]
