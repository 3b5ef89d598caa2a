"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CreateFormExtra(TypedDict):
    b: NotRequired[bool]


class CreateFormFilter(TypedDict):
    a: NotRequired[str]


class CreateMixedAddress(TypedDict):
    city: NotRequired[str]


class ReplaceUnionBody(TypedDict):
    cat: str


class UploadMeta(TypedDict):
    title: NotRequired[str]
