"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class PostFormExtra(TypedDict):
    b: NotRequired[bool]


class PostFormFilter(TypedDict):
    a: NotRequired[str]


class PutUnionBody(TypedDict):
    cat: str


class UploadMeta(TypedDict):
    title: NotRequired[str]
