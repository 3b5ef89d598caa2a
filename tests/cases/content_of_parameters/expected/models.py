"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class SearchFilter(TypedDict):
    a: NotRequired[str]
    b: NotRequired[list[str]]
    c: NotRequired[list[str]]
    d: NotRequired[dict[str, Any]]


class SearchWhere(TypedDict):
    town: NotRequired[str]
