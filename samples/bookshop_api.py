"""A small HTTP API that implements `specs/bookshop.yaml`, so that a generated server has something
real to talk to.

Run it with `python samples/bookshop_api.py [PORT]`; it listens on the loopback interface, keeps
everything in memory and takes one key (`X-API-Key: demo-key`). Only `starlette` and `uvicorn` are
needed; both come with `mcp`.
"""

from __future__ import annotations

import base64
import re
import struct
import sys
import zlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

KEY = "demo-key"
GENRES = ("fiction", "science-fiction", "poetry", "science", "history")
Handler = Callable[[Request], Awaitable[Response]]


class Refusal(Exception):
    """An answer of the document's `Problem` shape."""

    def __init__(
        self, status: int, code: str, message: str, details: list[dict[str, str]] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body: dict[str, Any] = {"code": code, "message": message}
        if details:
            self.body["details"] = details


def _book(
    title: str, author: str, genre: str, amount: float, stock: int, published: str, **more: str
) -> dict[str, Any]:
    return {
        "title": title,
        "authorIds": [author],
        "genre": genre,
        "published": published,
        "price": {"amount": amount, "currency": "EUR"},
        "stock": stock,
        **more,
    }


AUTHORS = [
    {"name": "Ursula K. Le Guin", "born": 1929},
    {"name": "Fernando Pessoa", "born": 1888},
    {"name": "Carlo Rovelli", "born": 1956},
    {"name": "Toni Morrison", "born": 1931},
    {"name": "Mary Beard", "born": 1955},
]
BOOKS = [
    _book(
        "The Left Hand of Darkness",
        "au_1",
        "science-fiction",
        9.5,
        2,
        "1969-03-01",
        isbn="9780441478125",
    ),
    _book(
        "The Dispossessed", "au_1", "science-fiction", 11.0, 7, "1974-05-01", isbn="9780061054884"
    ),
    _book("Message", "au_2", "poetry", 8.0, 12, "1934-12-01"),
    _book("The Book of Disquiet", "au_2", "fiction", 14.5, 0, "1982-01-01", isbn="9780141183046"),
    _book(
        "Seven Brief Lessons on Physics",
        "au_3",
        "science",
        10.0,
        25,
        "2014-10-02",
        isbn="9780399184413",
    ),
    _book("Beloved", "au_4", "fiction", 12.0, 4, "1987-09-02", isbn="9781400033416"),
    _book("SPQR", "au_5", "history", 16.0, 3, "2015-10-20", isbn="9781631492228"),
]


class Shop:
    """The state of the shop; every method is one operation of the document, by its operationId."""

    def __init__(self) -> None:
        self.books = {
            f"bk_{number}": {"id": f"bk_{number}", **book} for number, book in enumerate(BOOKS, 1)
        }
        self.authors = {
            f"au_{number}": {"id": f"au_{number}", **author}
            for number, author in enumerate(AUTHORS, 1)
        }
        self.orders: dict[str, dict[str, Any]] = {}
        self.placed: dict[str, str] = {}
        self.next_book = len(self.books) + 1

    async def listBooks(self, request: Request) -> Response:
        query = request.query_params
        books = list(reversed(self.books.values()))
        if genre := query.get("genre"):
            _known("genre", genre, GENRES)
            books = [book for book in books if book["genre"] == genre]
        if author := query.get("author-id"):
            books = [book for book in books if author in book["authorIds"]]
        if lowest := query.get("price[min]"):
            books = [book for book in books if book["price"]["amount"] >= float(lowest)]
        if highest := query.get("price[max]"):
            books = [book for book in books if book["price"]["amount"] <= float(highest)]
        if query.get("in-stock") == "true":
            books = [book for book in books if book["stock"]]
        return _page(request, books)

    async def addBook(self, request: Request) -> Response:
        body = await _body(request, ("title", "authorIds", "genre", "price"))
        _known("genre", body["genre"], GENRES)
        for author in body["authorIds"]:
            self._find(self.authors, author, "author")
        key = f"bk_{self.next_book}"
        self.next_book += 1
        self.books[key] = {"stock": 0, **body, "id": key}
        return JSONResponse(self.books[key], 201)

    async def getBook(self, request: Request) -> Response:
        return JSONResponse(self._find(self.books, request.path_params["bookId"], "book"))

    async def updateBook(self, request: Request) -> Response:
        book = self._find(self.books, request.path_params["bookId"], "book")
        changes = await _body(request, ())
        if not changes:
            raise Refusal(400, "nothing_to_change", "Name at least one field")
        if unknown := sorted(set(changes) - {"title", "blurb", "price", "stock"}):
            raise Refusal(
                400, "unknown_field", f"These fields cannot be changed: {', '.join(unknown)}"
            )
        book.update(changes)
        return JSONResponse(book)

    async def removeBook(self, request: Request) -> Response:
        book = self._find(self.books, request.path_params["bookId"], "book")
        del self.books[book["id"]]
        return Response(status_code=204)

    async def getBookCover(self, request: Request) -> Response:
        book = self._find(self.books, request.path_params["bookId"], "book")
        return Response(_cover(book["title"]), media_type="image/png")

    async def listAuthors(self, request: Request) -> Response:
        part = request.query_params.get("name", "").casefold()
        found = [
            self._with_books(author)
            for author in self.authors.values()
            if part in author["name"].casefold()
        ]
        return JSONResponse(sorted(found, key=lambda author: author["name"]))

    async def getAuthor(self, request: Request) -> Response:
        return JSONResponse(
            self._with_books(self._find(self.authors, request.path_params["authorId"], "author"))
        )

    async def listOrders(self, request: Request) -> Response:
        orders = list(reversed(self.orders.values()))
        if states := request.query_params.get("status"):
            orders = [order for order in orders if order["status"] in states.split(",")]
        return _page(request, orders)

    async def placeOrder(self, request: Request) -> Response:
        key = request.headers.get("Idempotency-Key", "")
        if key and key in self.placed:
            return JSONResponse(self.orders[self.placed[key]], 201)
        body = await _body(request, ("lines", "deliverTo"))
        books = [self._find(self.books, line["bookId"], "book") for line in body["lines"]]
        short = [
            {
                "field": f"lines[{index}].quantity",
                "reason": f"only {book['stock']} left of `{book['title']}`",
            }
            for index, (line, book) in enumerate(zip(body["lines"], books, strict=True))
            if line["quantity"] > book["stock"]
        ]
        if short:
            raise Refusal(
                409, "not_enough_copies", "There are not enough copies on the shelf", short
            )
        for line, book in zip(body["lines"], books, strict=True):
            line["title"] = book["title"]
            book["stock"] -= line["quantity"]
        total = sum(
            line["quantity"] * book["price"]["amount"]
            for line, book in zip(body["lines"], books, strict=True)
        )
        order = {
            "id": f"or_{len(self.orders) + 1}",
            "status": "placed",
            **body,
            "total": {"amount": total, "currency": "EUR"},
            "placedAt": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.orders[order["id"]] = order
        if key:
            self.placed[key] = order["id"]
        return JSONResponse(order, 201)

    async def getOrder(self, request: Request) -> Response:
        return JSONResponse(self._find(self.orders, request.path_params["orderId"], "order"))

    async def cancelOrder(self, request: Request) -> Response:
        order = self._find(self.orders, request.path_params["orderId"], "order")
        if order["status"] != "placed":
            raise Refusal(
                409,
                "too_late",
                f"The order is {order['status']}, only a placed one can be cancelled",
            )
        for line in order["lines"]:
            if line["bookId"] in self.books:
                self.books[line["bookId"]]["stock"] += line["quantity"]
        order["status"] = "cancelled"
        return JSONResponse(order)

    async def getStatus(self, request: Request) -> Response:
        return JSONResponse({"open": True, "books": len(self.books)})

    def _find(self, shelf: dict[str, dict[str, Any]], key: str, what: str) -> dict[str, Any]:
        if key not in shelf:
            raise Refusal(404, f"no_such_{what}", f"There is no {what} `{key}`")
        return shelf[key]

    def _with_books(self, author: dict[str, Any]) -> dict[str, Any]:
        return {
            **author,
            "books": [key for key, book in self.books.items() if author["id"] in book["authorIds"]],
        }


ROUTES = (
    ("GET", "/books", "listBooks"),
    ("POST", "/books", "addBook"),
    ("GET", "/books/{bookId}", "getBook"),
    ("PATCH", "/books/{bookId}", "updateBook"),
    ("DELETE", "/books/{bookId}", "removeBook"),
    ("GET", "/books/{bookId}/cover", "getBookCover"),
    ("GET", "/authors", "listAuthors"),
    ("GET", "/authors/{authorId}", "getAuthor"),
    ("GET", "/orders", "listOrders"),
    ("POST", "/orders", "placeOrder"),
    ("GET", "/orders/{orderId}", "getOrder"),
    ("POST", "/orders/{orderId}/cancel", "cancelOrder"),
    ("GET", "/status", "getStatus"),
)


def _guarded(handler: Handler, open_to_all: bool) -> Handler:
    async def guarded(request: Request) -> Response:
        try:
            if not open_to_all and request.headers.get("X-API-Key") != KEY:
                raise Refusal(401, "no_key", "The key in `X-API-Key` is missing or wrong")
            return await handler(request)
        except Refusal as refusal:
            return JSONResponse(refusal.body, refusal.status)

    return guarded


def _known(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise Refusal(400, "bad_request", f"`{field}` is none of {', '.join(allowed)}")


async def _body(request: Request, required: tuple[str, ...]) -> dict[str, Any]:
    body = await request.json()
    if missing := [field for field in required if field not in body]:
        raise Refusal(400, "bad_request", f"Missing: {', '.join(missing)}")
    return dict(body)


def _page(request: Request, entries: list[dict[str, Any]]) -> Response:
    """One page; the token is the position of the next one, made opaque."""
    size = int(request.query_params.get("page-size", "10"))
    token = request.query_params.get("page-token", "")
    try:
        start = int(base64.urlsafe_b64decode(token)) if token else 0
    except ValueError:
        raise Refusal(400, "bad_page_token", "`page-token` is not one of this API's") from None
    more = start + size < len(entries)
    following = base64.urlsafe_b64encode(b"%d" % (start + size)).decode() if more else None
    return JSONResponse({"items": entries[start : start + size], "nextPageToken": following})


def _cover(title: str) -> bytes:
    """A PNG of 48 by 72 pixels: a cloth binding whose colour comes from the title."""
    shade = zlib.crc32(title.encode())
    cloth = bytes(96 + (shade >> shift) % 128 for shift in (0, 8, 16))
    band = bytes(min(255, part + 60) for part in cloth)
    rows = b"".join(b"\0" + (band if 16 <= row < 28 else cloth) * 48 for row in range(72))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 48, 72, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def create_app(prefix: str = "/v1") -> Starlette:
    """A fresh shop as an ASGI application; `prefix` is the path of the document's server."""
    shop = Shop()
    return Starlette(
        routes=[
            Route(
                prefix + path, _guarded(getattr(shop, name), name == "getStatus"), methods=[method]
            )
            for method, path, name in ROUTES
        ]
    )


def main() -> None:
    """Serve on the loopback interface until interrupted."""
    port = next((int(word) for word in sys.argv[1:] if re.fullmatch(r"\d+", word)), 8080)
    uvicorn.run(create_app(), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
