"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class CookieStyleO(TypedDict):
    x: NotRequired[int]
    y: NotRequired[int]


class JsonQsFilter(TypedDict):
    a: NotRequired[str]


class WholeQsFilter(TypedDict):
    a: NotRequired[str]
    b: NotRequired[int]
    c: NotRequired[list[str]]
    d: dict[str, Any]
    e: dict[str, Any]
