"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

BodiesOpenBody = TypedDict(
    "BodiesOpenBody",
    {
        "class": str,
    },
)


class CreateOptionalBody(TypedDict):
    a: int


class OpenFormBody(TypedDict):
    a: str


class OpenInsideExtra(TypedDict):
    a: NotRequired[str]


class OpenInsideLabels(TypedDict):
    a: NotRequired[int]


class SendAlternativesBody(TypedDict):
    a: NotRequired[Any]


class SendAlternativesBody2(TypedDict):
    b: NotRequired[Any]


class SendBodyRequestBody(TypedDict):
    body: NotRequired[str]


class SendClosedFormBody(TypedDict):
    a: str


class SendFormAsOneBody(TypedDict):
    meta: NotRequired[dict[str, Any]]
    tags: NotRequired[list[str]]


class SendMapWithFieldsBody(TypedDict):
    a: NotRequired[str]


class SendMeantAlternativesBody(TypedDict):
    a: int


class SendMeantAlternativesBody2(TypedDict):
    b: int
