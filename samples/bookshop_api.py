"""A small HTTP API that implements `specs/bookshop.yaml`, so that a generated server has something
real to talk to.

Run it with `python3 samples/bookshop_api.py [PORT]`; it listens on the loopback interface, keeps
everything in memory and takes one key (`X-API-Key: demo-key`). It needs nothing but Python, and
hands out its own description at `/openapi.yaml`. `python3 samples/bookshop_api.py --next [PORT]`
tells one that runs to become the next version of itself, with one more operation.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from urllib.request import urlopen

KEY = "demo-key"
PREFIX = "/v1"
DOCUMENT = Path(__file__).parent / "specs" / "bookshop.yaml"
PUBLISHED = f"https://api.bookshop.example{PREFIX}"
"""The address in the document, which nobody has."""
NEXT = """\
  /authors/{authorId}/books:
    get:
      operationId: listBooksOfAuthor
      tags: [authors]
      summary: List the books of one author
      parameters:
        - { name: authorId, in: path, required: true, schema: { type: string } }
      responses:
        '200':
          description: The books
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Book' } }
        default: { $ref: '#/components/responses/Problem' }
"""
"""What the description of the next version has besides."""
GENRES = ("fiction", "science-fiction", "poetry", "science", "history")


@dataclass(frozen=True)
class Request:
    """What a caller sends; `path` are the values of the path's parameters."""

    path: dict[str, str]
    query: dict[str, str]
    headers: Any
    content: bytes


@dataclass(frozen=True)
class Answer:
    """What the API answers: bytes as they are, anything else as JSON."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """An answer of the document's `Problem` shape."""

    def __init__(
        self, status: int, code: str, message: str, details: list[dict[str, str]] | None = None
    ) -> None:
        super().__init__(message)
        body: dict[str, Any] = {"code": code, "message": message}
        if details:
            body["details"] = details
        self.answer = Answer(body, status)


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

    def listBooks(self, request: Request) -> Answer:
        query = request.query
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

    def addBook(self, request: Request) -> Answer:
        body = _body(request, ("title", "authorIds", "genre", "price"))
        _known("genre", body["genre"], GENRES)
        for author in body["authorIds"]:
            self._find(self.authors, author, "author")
        key = f"bk_{self.next_book}"
        self.next_book += 1
        self.books[key] = {"stock": 0, **body, "id": key}
        return Answer(self.books[key], 201)

    def getBook(self, request: Request) -> Answer:
        return Answer(self._find(self.books, request.path["bookId"], "book"))

    def updateBook(self, request: Request) -> Answer:
        book = self._find(self.books, request.path["bookId"], "book")
        changes = _body(request, ())
        if not changes:
            raise Refusal(400, "nothing_to_change", "Name at least one field")
        if unknown := sorted(set(changes) - {"title", "blurb", "price", "stock"}):
            raise Refusal(
                400, "unknown_field", f"These fields cannot be changed: {', '.join(unknown)}"
            )
        book.update(changes)
        return Answer(book)

    def removeBook(self, request: Request) -> Answer:
        book = self._find(self.books, request.path["bookId"], "book")
        del self.books[book["id"]]
        return Answer(status=204)

    def getBookCover(self, request: Request) -> Answer:
        book = self._find(self.books, request.path["bookId"], "book")
        return Answer(_cover(book["title"]), headers={"Content-Type": "image/png"})

    def listAuthors(self, request: Request) -> Answer:
        part = request.query.get("name", "").casefold()
        found = [
            self._with_books(author)
            for author in self.authors.values()
            if part in author["name"].casefold()
        ]
        return Answer(sorted(found, key=lambda author: author["name"]))

    def getAuthor(self, request: Request) -> Answer:
        return Answer(
            self._with_books(self._find(self.authors, request.path["authorId"], "author"))
        )

    def listBooksOfAuthor(self, request: Request) -> Answer:
        author = self._find(self.authors, request.path["authorId"], "author")
        return Answer([book for book in self.books.values() if author["id"] in book["authorIds"]])

    def listOrders(self, request: Request) -> Answer:
        orders = list(reversed(self.orders.values()))
        if states := request.query.get("status"):
            orders = [order for order in orders if order["status"] in states.split(",")]
        return _page(request, orders)

    def placeOrder(self, request: Request) -> Answer:
        key = request.headers.get("Idempotency-Key", "")
        if key and key in self.placed:
            return Answer(self.orders[self.placed[key]], 201)
        body = _body(request, ("lines", "deliverTo"))
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
        return Answer(order, 201)

    def getOrder(self, request: Request) -> Answer:
        return Answer(self._find(self.orders, request.path["orderId"], "order"))

    def cancelOrder(self, request: Request) -> Answer:
        order = self._find(self.orders, request.path["orderId"], "order")
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
        return Answer(order)

    def getStatus(self, request: Request) -> Answer:
        return Answer({"open": True, "books": len(self.books)})

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
    ("GET", "/authors/{authorId}/books", "listBooksOfAuthor"),
    ("GET", "/orders", "listOrders"),
    ("POST", "/orders", "placeOrder"),
    ("GET", "/orders/{orderId}", "getOrder"),
    ("POST", "/orders/{orderId}/cancel", "cancelOrder"),
    ("GET", "/status", "getStatus"),
)


def _known(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise Refusal(400, "bad_request", f"`{field}` is none of {', '.join(allowed)}")


def _body(request: Request, required: tuple[str, ...]) -> dict[str, Any]:
    body = json.loads(request.content)
    if missing := [field for field in required if field not in body]:
        raise Refusal(400, "bad_request", f"Missing: {', '.join(missing)}")
    return dict(body)


def _page(request: Request, entries: list[dict[str, Any]]) -> Answer:
    """One page; the token is the position of the next one, made opaque."""
    size = int(request.query.get("page-size", "10"))
    token = request.query.get("page-token", "")
    try:
        start = int(base64.urlsafe_b64decode(token)) if token else 0
    except ValueError:
        raise Refusal(400, "bad_page_token", "`page-token` is not one of this API's") from None
    more = start + size < len(entries)
    following = base64.urlsafe_b64encode(b"%d" % (start + size)).decode() if more else None
    return Answer({"items": entries[start : start + size], "nextPageToken": following})


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


def document(*, is_next: bool = False) -> bytes:
    """The API's description, with the address that it is fetched from as the API's."""
    text = DOCUMENT.read_text("utf-8").replace(PUBLISHED, PREFIX)
    if is_next:
        text = text.replace("  /orders:\n", f"{NEXT}  /orders:\n")
    return text.encode()


class Handler(BaseHTTPRequestHandler):
    """One connection; `shop` and `seen` belong to the server that it came to."""

    protocol_version = "HTTP/1.1"
    shop: Shop
    seen: list[str]
    is_next = False

    def _respond(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            answer = self._answer(content)
        except Refusal as refusal:
            answer = refusal.answer
        body, headers = answer.body, {**answer.headers}
        if not isinstance(body, bytes):
            body = json.dumps(body, ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        if answer.status != 204:
            headers["Content-Length"] = str(len(body))
        self.seen.append(f"{self.command} {self.path} → {answer.status}")
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = _respond

    def _answer(self, content: bytes) -> Answer:
        url = urlsplit(self.path)
        if url.path == "/openapi.yaml":
            described = document(is_next=self.is_next)
            return Answer(described, headers={"Content-Type": "application/yaml"})
        if (self.command, url.path) == ("POST", "/next"):
            type(self).is_next = True
            return Answer(status=204)
        for method, path, name in ROUTES:
            pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", PREFIX + path)
            found = re.fullmatch(pattern, url.path)
            if found is None or method != self.command:
                continue
            if name != "getStatus" and self.headers.get("X-API-Key") != KEY:
                raise Refusal(401, "no_key", "The key in `X-API-Key` is missing or wrong")
            query = dict(parse_qsl(url.query, keep_blank_values=True))
            request = Request(found.groupdict(), query, self.headers, content)
            operation: Callable[[Request], Answer] = getattr(self.shop, name)
            return operation(request)
        raise Refusal(404, "not_found", f"There is no `{self.command} {url.path}`")

    def log_message(self, *_: object) -> None:
        """Print nothing for a request."""


class Server(ThreadingHTTPServer):
    """A fresh shop on the loopback interface; `seen` is a line for each request."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int = 0) -> None:
        self.seen: list[str] = []
        facts = {"shop": Shop(), "seen": self.seen}
        super().__init__(("127.0.0.1", port), type("BookshopHandler", (Handler,), facts))
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.base_url = self.origin + PREFIX


@contextmanager
def serving() -> Iterator[Server]:
    """A shop on a free port while the block runs."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def main() -> None:
    """Serve until interrupted, or tell the one that serves to become the next version."""
    port = next((int(word) for word in sys.argv[1:] if re.fullmatch(r"\d+", word)), 8080)
    if "--next" in sys.argv:
        urlopen(f"http://127.0.0.1:{port}/next", data=b"").close()
        print("The bookshop's API: its next version has `GET /authors/{authorId}/books`")
        return
    with Server(port) as server:
        print(f"The bookshop's API: {server.origin}/openapi.yaml (key: {KEY})", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
