"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

CreateBookPrice = TypedDict(
    "CreateBookPrice",
    {
        "amount": NotRequired[float],
        "currency-code": NotRequired[str],
    },
)


class CreateNoteBody(TypedDict):
    text: NotRequired[str]


UpdateBooksBody = TypedDict(
    "UpdateBooksBody",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
    },
)
