"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class A(TypedDict):
    a: int
    t: Literal["A"]


class B(TypedDict):
    b: str
    t: Literal["B"]


class JsonPatchBodyItem(TypedDict):
    op: Literal["add", "replace", "remove"]
    path: str
    value: NotRequired[Any]


class NestedErrUser(TypedDict):
    email: str
    role: Literal["admin", "member"]
    tags: NotRequired[list[int]]


class PartsRowsItem(TypedDict):
    a: NotRequired[int]


class QueryNullsF(TypedDict):
    a: NotRequired[str | None]
    b: NotRequired[int]
