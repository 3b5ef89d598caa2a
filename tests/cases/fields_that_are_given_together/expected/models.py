"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CreatePaymentBodyDelivery(TypedDict):
    city: NotRequired[str]
    note: NotRequired[str]
    street: NotRequired[str]


CreatePaymentBody = TypedDict(
    "CreatePaymentBody",
    {
        "amount": int,
        "card holder": NotRequired[str],
        "card_number": NotRequired[str],
        "delivery": NotRequired[CreatePaymentBodyDelivery],
        "expiry": NotRequired[str],
    },
)
