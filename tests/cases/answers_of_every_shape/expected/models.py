"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class GetEitherAnswer(TypedDict):
    a: NotRequired[str]


class GetEitherAnswer2(TypedDict):
    b: NotRequired[int]


class GetNullableAnswer(TypedDict):
    id: int
    name: str | None
