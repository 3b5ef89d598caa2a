"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, Optional, TypedDict


class AddBookAnswerAt(TypedDict):
    shelf: NotRequired[int]


class BookInputPrintRun(TypedDict):
    year: NotRequired[int]


class BookPrintRun(TypedDict):
    year: NotRequired[int]


Optional2 = TypedDict(
    "Optional2",
    {
        "next-one": NotRequired[Optional["Optional2"]],
    },
)


Person = TypedDict(
    "Person",
    {
        "name": str,
        "class": NotRequired[str],
        "email": NotRequired[str],
    },
)


class Price(TypedDict):
    amount: float


class Price2(TypedDict):
    text: NotRequired[str]


Book = TypedDict(
    "Book",
    {
        "genre": NotRequired[Literal["fiction", "poetry"]],
        "id": str,
        "oldPrice": NotRequired[Price | None],
        "owner": NotRequired[Person | str],
        "pages": NotRequired[int | None],
        "price": Price,
        "print-run": NotRequired[BookPrintRun],
        "shown": NotRequired[Price2],
        "sizes": NotRequired[dict[str, float]],
        "title": str,
    },
)


BookInput = TypedDict(
    "BookInput",
    {
        "draft": NotRequired[bool],
        "genre": NotRequired[Literal["fiction", "poetry"]],
        "oldPrice": NotRequired[Price | None],
        "owner": NotRequired[Person | str],
        "pages": NotRequired[int | None],
        "price": Price,
        "print-run": NotRequired[BookInputPrintRun],
        "shown": NotRequired[Price2],
        "sizes": NotRequired[dict[str, float]],
        "title": str,
    },
)


class Node(TypedDict):
    all: NotRequired[list[Node]]
    left: NotRequired[Node]
    maybe: NotRequired[Optional2]
    value: NotRequired[Any]


class AddBookAnswer(TypedDict):
    added: NotRequired[Book]
    at: NotRequired[AddBookAnswerAt]
