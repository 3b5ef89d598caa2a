"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class PartyAddress(TypedDict):
    city: NotRequired[str]
    country: NotRequired[str]
    street: NotRequired[str]


Party = TypedDict(
    "Party",
    {
        "@type": NotRequired[Literal["person", "company"]],
        "address": NotRequired[PartyAddress],
        "name": str,
        "reference": NotRequired[str | None],
    },
)
