"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class InFormDeepX(TypedDict):
    y: NotRequired[int]


class InFormObject(TypedDict):
    x: NotRequired[int]


class InFormRowsItem(TypedDict):
    q: NotRequired[int]


class InJsonXArg(TypedDict):
    path: NotRequired[str]


class InQueryDeepA(TypedDict):
    gt: NotRequired[int]


class InQuerySpaced(TypedDict):
    G: NotRequired[int]
    R: NotRequired[int]


class InFormDeep(TypedDict):
    x: NotRequired[InFormDeepX]


class InQueryDeep(TypedDict):
    a: NotRequired[InQueryDeepA]
    l: NotRequired[list[str]]
