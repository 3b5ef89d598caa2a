"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class CreateOptionalBody(TypedDict):
    a: int


class OpenFormBody(TypedDict):
    a: str


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
