"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class ReplaceContactAddress(TypedDict):
    city: str
    street: NotRequired[str]


class UpdateContactAddress(TypedDict):
    city: str
    street: NotRequired[str]


class UpdateDetailsBodyAddress(TypedDict):
    city: str
    street: NotRequired[str]


class UpdateDetailsBody(TypedDict):
    address: NotRequired[UpdateDetailsBodyAddress]
    labels: NotRequired[dict[str, str]]
    name: NotRequired[str]
