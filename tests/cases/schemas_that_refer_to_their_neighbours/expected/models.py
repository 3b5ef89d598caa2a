"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class AddressJson(TypedDict):
    street: str


class Home(TypedDict):
    street: str
    state: NotRequired[Literal["CA", "NY"]]
