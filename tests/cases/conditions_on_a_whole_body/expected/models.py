"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Bank(TypedDict):
    holder: NotRequired[str]
    number: str


class CreateDraftBody(TypedDict):
    file: NotRequired[str]
    link: NotRequired[str]
    sent: NotRequired[str]
    text: NotRequired[str]


class CreatePayoutBody(TypedDict):
    bank: NotRequired[Bank]
    card: NotRequired[str]
    fee: NotRequired[int]
    kind: Literal["card", "bank"]


class NameItPlace(TypedDict):
    city: NotRequired[str]
    country: NotRequired[str]


class Note(TypedDict):
    file: NotRequired[str]
    link: NotRequired[str]
    sent: NotRequired[str]
    text: NotRequired[str]
