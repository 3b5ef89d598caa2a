"""Pagination of a list: the argument that requests the next part, and its value.

A tool's own pagination was determined at generation (`Listing`, from the styles in a
table). No link is followed here: the model calls again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_LINK = re.compile(r"<([^<>]{1,2048})>([^<]*)")
_RELATIONS = re.compile(r';\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]*))', re.I)
_NEXT_FIELD = re.compile("next|continuation")
_NEXT_VALUE = re.compile(r"(?!https?:|[/?<])[ -~]{1,1000}")
_MIN_NAME = 4
"""The shortest name of an argument that a header field is taken to mean: `page`, not `id`."""
_MAX_VALUE = 1000

_MORE_FLAGS = frozenset(
    "hasmore hasnext hasnextpage hasmoreitems more istruncated incomplete".split()
)
_LAST_FLAGS = frozenset("last islast islastpage".split())
_TOTALS = frozenset(
    "total totalcount totalresults totalitems totalrecords totalsize numfound count".split()
)
_TOTAL_PAGES = frozenset("totalpages pages pagecount nbpages lastpage numpages".split())
_PAGE_NUMBERS = frozenset("page pagenumber currentpage number pageno".split())
_STARTS = frozenset("offset skip start startat startindex from".split())
BESIDE_A_LIST = _MORE_FLAGS | _TOTALS | _TOTAL_PAGES
"""Folded names of what an answer says of its list, beside it."""
_COUNTED_FROM_ZERO = frozenset(("nbpages", "number"))
"""Names of APIs whose first page is 0 (Algolia, Spring)."""
_COUNTED_FROM_ONE = ("startindex",)


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """The list in an answer, and its pagination.

    `items` are the keys that lead to the list, or None if the answer holds none; `fields`
    is the argument that chooses the fields of items. `next` and `size` are the arguments
    for the next part and for the size of a part; empty if there are none. `how` is `page`,
    `offset`, `cursor` or `last`; `source` has the dotted paths at which the answer may hold
    the next value; `key` is the key of an item that `last` continues after.
    """

    items: tuple[str, ...] | None = None
    fields: str = ""
    next: str = ""
    size: str = ""
    how: str = ""
    source: tuple[str, ...] = ()
    key: str = "id"


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(character for character in name.lower() if character.isalnum())


def items_of(data: Any, path: Iterable[str] | None) -> list[Any] | None:
    """The list that an answer holds at a path; None where there is none."""
    if path is None:
        return None
    for key in path:
        if not isinstance(data, dict):
            return None
        data = data.get(key)
    if isinstance(data, list):
        return data
    return None


def next_part(
    listing: ListAnswer, data: Any, link: str, arguments: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any] | None:
    """The arguments that get the next part; `{}` where there is one and nothing says how to get it,
    None where nothing says that there is one.

    `link` is the answer's `Link` field (RFC 8288), `arguments` are those of the call, `names` those
    of the tool.
    """
    announced = _next_link(link[:8192])
    if announced:
        return _changed(announced, listing, arguments, names)
    for path in listing.source:
        value = _at(data, path)
        if isinstance(value, str) and value[:_MAX_VALUE]:
            if value.startswith(("http://", "https://", "/", "?")):
                return _changed(value, listing, arguments, names)
            return {listing.next: value[:_MAX_VALUE]}
        if type(value) is int and listing.how == "cursor":
            return {listing.next: value}
    items = items_of(data, listing.items)
    if not items or not listing.next:
        return None
    if not _goes_on(listing, data, items, arguments):
        return None
    return after(listing, data, items, len(items), arguments)


def _next_link(field: str) -> str:
    """The URL that a `Link` field gives as the next one (RFC 8288 section 3); empty if none."""
    for url, parameters in _LINK.findall(field):
        relations = _RELATIONS.search(parameters)
        if relations is None:
            continue
        if "next" in (relations[1] or relations[2]).lower().split():
            return str(url)
    return ""


def next_in_headers(headers: Mapping[str, str], names: Iterable[str]) -> dict[str, Any] | None:
    """The argument that gets the next part where a header field has its value: that whose name the
    field's ends with (`X-Next-Cursor`: `cursor`). None where there is none.
    """
    for field, value in headers.items():
        folded = fold(field)
        if not _NEXT_FIELD.search(folded):
            continue
        if not _NEXT_VALUE.fullmatch(value):
            continue
        meant = [name for name in names if len(name) >= _MIN_NAME]
        meant = [name for name in meant if folded.endswith(fold(name))]
        if meant:
            return {max(meant, key=len): value}
    return None


def after(
    listing: ListAnswer, data: Any, items: list[Any], count: int, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments that get what follows the first `count` items of an answer; `{}` where no
    argument can say that.
    """
    if listing.how == "offset":
        return {listing.next: _start(listing, data, arguments) + count}
    if listing.how == "last":
        for item in items[:count][-1:]:
            value = _at(item, listing.key)
            if isinstance(value, str | int):
                return {listing.next: value}
    if (listing.how, count) == ("page", len(items)):
        return {listing.next: _page(listing, data, arguments) + 1}
    return {}


def _changed(
    url: str, listing: ListAnswer, arguments: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """The arguments of a URL that the call did not have, or had with another value."""
    spellings = {fold(name): name for name in names}
    changed: dict[str, Any] = {}
    for key, value in parse_qsl(urlsplit(url).query)[:50]:
        name = spellings.get(fold(key))
        if name is not None and str(arguments.get(name)) != value:
            changed[name] = value[:_MAX_VALUE]
    if listing.next in changed:
        return {listing.next: changed[listing.next]}
    return changed


def _at(data: Any, path: str) -> Any:
    """The value at a dotted path. A key may hold dots itself (`@odata.nextLink`)."""
    if not isinstance(data, dict):
        return None
    if path in data:
        return data[path]
    head, _, rest = path.partition(".")
    if not rest:
        return None
    return _at(data.get(head), rest)


def _goes_on(
    listing: ListAnswer, data: Any, items: list[Any], arguments: Mapping[str, Any]
) -> bool:
    """Return whether the answer says that there is more than its items."""
    facts = dict(_facts(data))
    for flag in _MORE_FLAGS & facts.keys():
        return facts[flag] is True
    for flag in _LAST_FLAGS & facts.keys():
        return facts[flag] is False
    if listing.how == "page":
        for name in _TOTAL_PAGES & facts.keys():
            pages = facts[name]
            if type(pages) is int:
                from_zero = not _COUNTED_FROM_ZERO.isdisjoint(facts)
                return _page(listing, data, arguments) + from_zero < pages
    size = arguments.get(listing.size)
    if type(size) is not int:
        size = 0
    if len(items) < size:
        return False
    for name in sorted(_TOTALS & facts.keys()):
        if type(facts[name]) is int:
            return bool(_seen(listing, data, items, arguments) < facts[name])
    return size == len(items) and isinstance(data, list)


def _seen(listing: ListAnswer, data: Any, items: list[Any], arguments: Mapping[str, Any]) -> int:
    """Return the number of items up to the end of this part, as far as it is known."""
    if listing.how == "offset":
        start = _start(listing, data, arguments)
        if fold(listing.next) in _COUNTED_FROM_ONE:
            start -= 1
        return start + len(items)
    if listing.how == "page":
        return _page(listing, data, arguments) * len(items)
    return len(items)


def _page(listing: ListAnswer, data: Any, arguments: Mapping[str, Any]) -> int:
    return _number(listing, data, arguments, _PAGE_NUMBERS, 1)


def _start(listing: ListAnswer, data: Any, arguments: Mapping[str, Any]) -> int:
    first = int(fold(listing.next) in _COUNTED_FROM_ONE)
    return _number(listing, data, arguments, _STARTS, first)


def _number(
    listing: ListAnswer,
    data: Any,
    arguments: Mapping[str, Any],
    names: frozenset[str],
    default: int,
) -> int:
    """Return the start of this part: from the call's arguments, else from the answer."""
    value = arguments.get(listing.next)
    if type(value) is int:
        return value
    for key, fact in _facts(data):
        if key in names and type(fact) is int:
            return fact
    return default


def _facts(data: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The numbers and flags around a list, by folded name."""
    if not isinstance(data, dict):
        return
    for key, value in list(data.items())[:50]:
        if isinstance(value, dict) and depth < 2:
            yield from _facts(value, depth + 1)
        elif isinstance(value, bool | int):
            yield fold(key), value
