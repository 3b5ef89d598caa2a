"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class ByAir(TypedDict):
    flight: NotRequired[str]
    way: NotRequired[str]


class ByPost(TypedDict):
    stamp: NotRequired[str]
    way: NotRequired[str]


class Card(TypedDict):
    number: NotRequired[str]
    type: NotRequired[Literal["scheme", "gift"]]


class Cash(TypedDict):
    currency: NotRequired[str]
    type: NotRequired[Literal["cash"]]


class CreatePaymentShared(TypedDict):
    kind: NotRequired[Literal["a", "b"]]
    one: NotRequired[str]


class CreatePaymentShared2(TypedDict):
    kind: NotRequired[Literal["b", "c"]]
    two: NotRequired[str]


class Phone(TypedDict):
    number: str
    type: NotRequired[Literal["mobile"]]
