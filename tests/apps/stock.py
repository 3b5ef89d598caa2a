"""The answers of every shop here, and its background task where a framework has none."""

import threading
import time
from collections.abc import Iterator

NAMES = [f"book {number}" for number in range(50)]
REALM = {"WWW-Authenticate": 'Bearer realm="shop"'}
LATE = 0.3
"""Seconds until the last book is found."""
written: list[str] = []
state: dict[str, object] = {"notes": written}
"""What an app knows since its start, where its framework has no lifespan."""


def page(offset: int, limit: int, url: str) -> dict[str, object]:
    """A page of books, with the address of the next one."""
    items = [{"id": at, "name": NAMES[at]} for at in range(offset, len(NAMES))][:limit]
    after = offset + limit
    more = f"{url.partition('?')[0]}?offset={after}&limit={limit}" if after < len(NAMES) else None
    return {"items": items, "total": len(NAMES), "next": more}


def book(number: int) -> dict[str, object] | None:
    """A book, or None. Blocks its thread."""
    if number == len(NAMES) - 1:
        time.sleep(LATE)
    return {"id": number, "name": NAMES[number]} if number < len(NAMES) else None


def caller(authorization: str | None) -> str | None:
    """The name of a caller, None if it is not known."""
    scheme, _, token = (authorization or "").partition(" ")
    return token if scheme == "Bearer" and token != "wrong" else None


def events(count: int) -> Iterator[str]:
    """Lines of JSON."""
    return (f'{{"event": {number}}}\n' for number in range(count))


def later(text: str) -> None:
    """Write a note in a thread."""
    threading.Thread(target=written.append, args=[text]).start()
