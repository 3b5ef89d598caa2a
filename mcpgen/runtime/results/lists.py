"""List in an answer: its items, as much of them as a model needs to choose among them, and the
arguments that get the rest.

Of every item stay its own URL, its texts, numbers and flags; other URLs, empty fields and node ids
go. An object with an identity inside an item keeps its id, its name and what explains the item; a
rich text becomes its words. Where all items do not fit by then, long texts are cut, and the fields
that tell items apart least go for all items alike, so that items stay; the fields of an object or
of a list of them inside an item (`commit.message`, `items.field`) count like those of the item.
Nothing is left out silently: `left_out` says what.

A tool's own pagination was determined at generation (`ListAnswer`, from the styles in a table). No
link is followed here: the model calls again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..client.settings import ListAnswer
from . import fold
from .answer import NEXT_PAGE, size

SMALL = 2_000
"""Characters of a list that is worth passing on whole."""
LONG_TEXT, SHORT_TEXT = 200, 60
"""Characters that a long text keeps at most, and at least, however many items there are."""
WORTH = 80
"""Tokens of its fields that an item is worth having with: items go before fewer are left."""
ALL = "all"

_OWN_URLS = ("html_url", "web_url", "url", "permalink", "webUrl", "htmlUrl", "href", "link")
_URL_NAME = re.compile(
    r"(^|.*[_-])(ur[il]s?|href|links?|self)$|.*[a-z0-9](Ur[il]s?|URL|Href|Links?)$"
)
_WORD = re.compile(r"[A-Z]?[a-z]+")
_NODE_IDS = frozenset(("nodeid", "gravatarid", "etag"))
_HANDLES = ("login", "username", "full_name", "fullName", "slug", "key")
"""Keys whose value names an object well enough to ask for it."""
_LABELS = (
    *_HANDLES, "name", "display_name", "displayName", "title", "label", "summary", "email",
    "filename", "fileName",
)  # fmt: skip
_NAMES = frozenset("login username fullname slug key name displayname title label filename".split())
_EXPLAINING = frozenset("body text content message comment value author user".split())
"""Folded keys, in an object inside an item, of its explaining fields."""
_TEXT_KEYS = ("text", "content", "value")
_DEEPEST = 2
"""Objects inside an item up to this depth are given by their fields."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})

# What tells one item from another, best first; a field in none of them comes before the last
_RANKS = (
    "id name title number login slug username fullname key sku sha symbol code email displayname"
    " ts",
    "state status phase type kind user author owner customer assignee text subject",
    "description summary body message content label amount price currency total value date created"
    " createdat updated updatedat timestamp due duedate start end startdate enddate language role"
    " priority category reason quantity balance labels draft private deleted archived active",
    "url self htmlurl weburl permalink href link",
)
_RANK = {name: rank for rank, names in enumerate(_RANKS) for name in names.split()}
_INSIDE = (
    "message body text content subject date timestamp created createdat name amount field from to"
    " id"
).split()
"""Folded names of what an object inside an item is worth having for, best first."""
_OTHER = len(_RANKS)
_LEAST = _OTHER + 1
_ALWAYS = 1
"""Fields up to this rank stay however many items there are."""

_LINK = re.compile(r"<([^<>]{1,2048})>([^<]*)")
_RELATIONS = re.compile(r';\s*rel\s*=\s*(?:"([^"]*)"|\'?([^\s"\',;]*))', re.I)
_NOTHING = re.compile(r';\s*results\s*=\s*"false"', re.I)
"""Mark of a link to a page without items, as Sentry gives it at the end."""
_NO_CURSORS: tuple[Any, ...] = (None, "", 0, "0")
"""Values of a cursor or a page number that mean the end."""
_MAX_VALUE = 4_000
"""Characters of the longest cursor that a model is asked to repeat."""

_NOT_ALL = "incomplete"
"""Flag that says nothing about pages if it is false."""
_MORE_FLAGS = frozenset(
    f"hasmore hasnext hasnextpage hasmoreitems more istruncated {_NOT_ALL}".split()
)
_FURTHER_FLAGS = "hasmorepage hasmorepages hasmorerows morerecords moreavailable".split()
"""Flags of single makers, by which no list of a document is known."""
_FLAGS = {
    **dict.fromkeys([*_MORE_FLAGS, *_FURTHER_FLAGS], True),
    **dict.fromkeys(("last", "islast", "islastpage", "lastpage"), False),
}
"""Folded name of a flag -> its value where there are more items."""
_TOTALS = frozenset(
    (
        "total totalcount totalresults totalitems totalrecords totalsize totalentries totalelements"
        " totalhits numfound count"
    ).split()
)
_SIZES = frozenset("perpage pagesize itemsperpage limit size".split())
_TOTAL_PAGES = frozenset("totalpages pages pagecount nbpages lastpage numpages".split())
_PAGE_NUMBERS = frozenset("page pagenumber currentpage number pageno".split())
_STARTS = frozenset("offset skip start startat startindex from".split())
_ON_PAGES = re.compile("cursor|info|link|meta|^nav|next|pag(e|ing|inat)|response|result|search")
"""The folded name of an object beside a list whose flags are about that list."""
BESIDE_A_LIST = _MORE_FLAGS | _TOTALS | _TOTAL_PAGES
"""Folded names of what an answer says of its list, beside it."""
_COUNTED_FROM_ZERO = frozenset(("nbpages", "number"))
"""Names of APIs whose first page is 0 (Algolia, Spring)."""
_COUNTED_FROM_ONE = ("startindex",)

_Path = tuple[str, ...]
_AROUND = object()


def items_of(data: Any, path: Iterable[str] | None) -> list[Any]:
    """Return the list at the keys `path` of an answer; an empty list if there is none."""
    if path is None:
        return []
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, list) else []


def replaced(data: Any, path: _Path | None, items: list[Any]) -> Any:
    """Return a copy of the data with another list at a path; without a path, the list."""
    if not path:
        return items
    return {**data, path[0]: replaced(data[path[0]], path[1:], items)}


def names_in(items: Iterable[Any]) -> list[str]:
    """Return the fields that items have, each once, in their order."""
    return list(dict.fromkeys(name for item in items if isinstance(item, dict) for name in item))


def has(item: Any, path: str) -> bool:
    """Return whether an item has a field at a dotted path. A key may hold dots (`@odata.etag`)."""
    if isinstance(item, list):
        return any(has(each, path) for each in item)
    if not isinstance(item, dict):
        return False
    inner = (has(item[key], path[len(key) + 1 :]) for key in item if path.startswith(f"{key}."))
    return path in item or any(inner)


def left_out(items: list[Any], kept: list[Any], listing: ListAnswer) -> str:
    """Return one line: what items `kept` lack of their fields, and how to get it; or nothing."""
    changed = [
        (name, item[name], value)
        for item, short in zip(items, kept, strict=False)
        if isinstance(item, dict)
        for name, value in short.items()
        if value != item[name]
    ]
    names, present = names_in(items), set(names_in(kept))
    missing = [name for name in names if name not in present]
    in_part = dict.fromkeys(name for name, old, _ in changed if not isinstance(old, str))
    cut = [len(new) - 1 for _, old, new in changed if isinstance(old, str)]
    parts = []
    if missing:
        parts.append(f"{len(missing)} of {len(names)} fields are left out ({_some(missing)})")
    if in_part:
        parts.append(f"objects are given in part ({_some(list(in_part))})")
    if cut:
        parts.append(f"texts end after {max(cut)} characters")
    if not parts:
        return ""
    way = f"Name the fields you need in `{listing.fields or listing.asked}`"
    if listing.fields:
        way += f', or ask for `{listing.fields}` = ["{ALL}"]'
    return f"[{len(items)} items, shortened: {'; '.join(parts)}. {way}]"


def _some(names: list[str]) -> str:
    """Return the first few names; names of URLs come last."""
    telling = sorted(names, key=_is_url_name)
    text = ", ".join(telling[:8])
    if len(names) > 8:
        text += f" and {len(names) - 8} more"
    return text


def telling(value: Any, depth: int = 0) -> Any:
    """Return the distinguishing part of an item: of an inner object with an identity its name and
    explanation, of another inner object the fields that are not noise, of deeper objects their
    names or words.
    """
    if isinstance(value, list):
        inner = [telling(each, depth + 1) for each in value]
        return [each for each in inner if each not in _EMPTY]
    if not isinstance(value, dict):
        return value
    label = _label(value, depth) if depth else ""
    if label:
        return label
    if depth > _DEEPEST:
        return ""
    named = _names_of(value) if depth else []
    own_url = "" if depth else _own_url(value)
    result: dict[str, Any] = {}
    for key in named or value:
        if not _is_noise(key, value[key], own_url):
            told = telling(value[key], depth + 1)
            if told not in _EMPTY:
                result[key] = told
    return result


def _label(value: dict[str, Any], depth: int) -> str | int:
    """Return the words of a rich text without id; of a deep object its name or words; or ""."""
    if depth <= _DEEPEST:
        if "id" in value:
            return ""
        is_node = any(isinstance(value.get(key), list) for key in ("content", "children"))
        return _words(value) if is_node else ""
    names = [value.get(key) for key in (*_LABELS, "id")]
    if "id" not in value:
        names.insert(0, _words(value))
    return next((name for name in filter(None, names) if isinstance(name, str | int)), "")


def _names_of(value: dict[str, Any]) -> list[str]:
    """Return the keys of an object that name and explain it; none without an id or handle."""
    if not any(isinstance(value.get(key), str | int) for key in ("id", *_HANDLES)):
        return []
    names = [key for key in (*_LABELS, "description") if value.get(key)]
    told = {"id", *names[:1], *_EXPLAINING}
    return [key for key in value if not told.isdisjoint((key, fold(key)))]


def _words(value: Any) -> str:
    """Return the texts in a document that is a tree of objects (ProseMirror, Slate, Notion)."""
    if isinstance(value, list):
        return " ".join(filter(None, map(_words, value)))
    if not isinstance(value, dict):
        return ""
    if "plain_text" in value:
        return _text(value["plain_text"])
    texts = [
        _words(each) + (_text(each) if key in _TEXT_KEYS else "") for key, each in value.items()
    ]
    return " ".join(filter(None, map(str.strip, texts)))


def _own_url(item: dict[str, Any]) -> str:
    """Return the key of the item's own URL, also of its only URL; empty without any."""
    urls = [key for key, value in item.items() if _text(value)]
    for key in _OWN_URLS:
        if key in urls:
            return key
    urls = [key for key in urls if _is_url_name(key)]
    return urls[0] if len(urls) == 1 else ""


def _is_url_name(key: str) -> bool:
    return _URL_NAME.fullmatch(key) is not None


def _is_noise(key: str, value: Any, own_url: str) -> bool:
    """Return whether a field is empty, a node id, or a URL of something else."""
    if value in _EMPTY:
        return True
    if fold(key) in _NODE_IDS:
        return True
    if key == own_url:
        return False
    return _is_url_name(key) if isinstance(value, str) else False


def _text(value: Any) -> str:
    """Return a text unchanged; for any other value, an empty text."""
    return value if isinstance(value, str) else ""


def narrowed(items: list[Any], room: int) -> list[Any]:
    """Return copies of the items in at most about `room` tokens, if cutting long texts and fields
    is enough for that: the most telling fields, as many as there is room for, of every item.
    """
    count = max(1, min(len(items), room // WORTH))
    length = max(SHORT_TEXT, min(LONG_TEXT, room // len(items)))
    items = [_with_short_texts(each, length) if isinstance(each, dict) else each for each in items]
    costs: Counter[_Path] = Counter()
    ranks: dict[_Path, tuple[int, ...]] = {}
    for item in _objects(items[:count]):
        for path, value, cost in _columns(item, room):
            costs[path] += cost
            if path in ranks:
                continue
            if value is not _AROUND:
                ranks[path] = _rank_of(path, value)
    left = room * 15 // 16 - count  # tokens are estimated
    for path in sorted(ranks, key=lambda path: ranks[path]):
        objects = [path[:end] for end in range(1, len(path))]
        cost = costs[path] + sum(costs[each] for each in objects)
        if ranks[path] < (_ALWAYS, 2) or cost <= left:
            left -= cost
            costs.subtract({each: costs[each] for each in objects})  # it is paid for
            continue
        for item in _objects(items):
            _drop(item, path)
    return items


def _with_short_texts(value: Any, limit: int) -> Any:
    """Return a copy with texts over `limit` characters cut."""
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + "\u2026"
    if isinstance(value, list):
        return [_with_short_texts(each, limit) for each in value]
    if isinstance(value, dict):
        return {key: _with_short_texts(each, limit) for key, each in value.items()}
    return value


def _columns(item: dict[str, Any], room: int, path: _Path = ()) -> Iterator[tuple[_Path, Any, int]]:
    """Yield (path, value, tokens of key and value) for each field of an item. `room` limits each
    count. A field with objects, alone or in a list, has the value `_AROUND` and the tokens of its
    key and brackets; the fields of each object follow.
    """
    for key, value in item.items():
        cost = size(key, room)
        objects = _objects(value)
        if not objects:
            yield (*path, key), value, cost + size(value, room)
            continue
        yield (*path, key), _AROUND, cost + len(objects)
        for each in objects:
            yield from _columns(each, room, (*path, key))


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects that a value consists of: itself, or those of a list."""
    if not isinstance(value, list):
        value = [value]
    return [each for each in value if isinstance(each, dict)]


def _drop(item: dict[str, Any], path: _Path) -> None:
    """Take a field from an item, in place, and the objects that are empty without it."""
    inner = item.get(path[0])
    if inner is None:
        return
    if len(path) > 1:
        for each in _objects(inner):
            _drop(each, path[1:])
        if isinstance(inner, list):
            inner[:] = [each for each in inner if each != {}]
        if inner:
            return
    del item[path[0]]


def _rank_of(path: _Path, value: Any) -> tuple[int, ...]:
    """Return a rank that is higher the less a field distinguishes items, by its name, or the best
    word of it (`amount_due`), and its depth. An object's name counts like the object, its id last.
    """
    name = fold(path[-1])
    rank = _RANK.get(name)
    if rank is None:
        words = [_RANK.get(word.lower(), 0) for word in _WORD.findall(path[-1])]
        rank = _LEAST if isinstance(value, bool | list) else _OTHER
        rank = min([rank, *(max(_ALWAYS + 1, known) for known in words if known)])
    order = dict(zip(_INSIDE, range(-len(_INSIDE), 0), strict=True))
    if len(path) == 1:
        return rank, 1, order.get(name, 0)
    if name in _NAMES:
        name, rank = "name", _RANK.get(fold(path[-2]), _OTHER)
        if rank == _ALWAYS:
            return rank, 2
    if name in order:
        return _ALWAYS + 1, 2, order[name]
    return max(_OTHER, rank), 2, rank


def next_part(
    listing: ListAnswer,
    data: Any,
    headers: Mapping[str, str],
    arguments: Mapping[str, Any],
    names: Iterable[str],
) -> dict[str, Any] | None:
    """Return the arguments that the call for the next page has anew or with another value:

    * a pagination cursor, a page number, or what the URL of the next page has,
    * `{}`: there are more pages, but no known cursor,
    * None: there is no sign of more pages.

    `headers` are the answer's (`Link` of RFC 8288, `Next-Page`), `arguments` the call's, `names`
    the tool's arguments.
    """
    announced = _announced(headers)
    if announced.isdecimal():
        return dict.fromkeys(filter(None, [listing.next]), announced)
    if announced:
        return _changed(announced, listing, arguments, names)
    more = _says_more(_beside(listing, data))
    if more is False:
        return None
    given = _given(listing, data, arguments, names)
    if given is not None:
        return given
    items = items_of(data, listing.items)
    if not items or listing.next == listing.size == "":
        return None
    if not more:
        if _is_after_others(headers.get("link", "")):
            return None
        facts = {**_counts(headers), **_facts(data)}
        more = _goes_on(listing, facts, data, items, arguments)
    return after(listing, data, items, len(items), arguments) if more else None


def _given(
    listing: ListAnswer, data: Any, arguments: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any] | None:
    """Return the arguments that an answer gives for the next page; None without any, or if the call
    had the same.
    """
    for path in listing.source:
        value = _at(data, path)
        if value in (*_NO_CURSORS, _at(arguments, listing.next)):
            continue
        if isinstance(value, str):
            if _is_url(value, listing):
                return _changed(value, listing, arguments, names)
            return _short({listing.next: value})
        if type(value) is int and listing.how == "cursor":
            return {listing.next: value}
    return None


def _announced(headers: Mapping[str, str]) -> str:
    """Return the number or URL that header fields give as the next page; empty if none."""
    fields = [headers.get(name, "")[:8192] for name in ("link", *NEXT_PAGE)]
    found = [_next_link(fields[0]), *map(str.strip, fields[1:])]
    return next((each for each in found if each not in _NO_CURSORS), "")


def _next_link(field: str) -> str:
    """Return the URL that a `Link` field gives as the next (RFC 8288 section 3); empty if none."""
    for relations, url, parameters in _links(field):
        if "next" in relations and not _NOTHING.search(parameters):
            return url
    return ""


def _is_after_others(field: str) -> bool:
    """Return whether a `Link` field gives a previous page: without a next one, this is the last."""
    return any({"prev", "previous"}.intersection(relations) for relations, _, _ in _links(field))


def _links(field: str) -> Iterator[tuple[list[str], str, str]]:
    """Yield the relations, the URL and the parameters of each link of a `Link` field."""
    for url, parameters in _LINK.findall(field[:8192]):
        relations = _RELATIONS.search(parameters)
        if relations is not None:
            yield (relations[1] or relations[2]).lower().split(), url, parameters


def after(
    listing: ListAnswer, data: Any, items: list[Any], count: int, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments that get what follows the first `count` items of an answer; `{}` if no
    argument can say that.
    """
    if listing.how == "offset":
        return {listing.next: _start(listing, data, arguments) + count}
    if listing.how == "last":
        return _after_last(listing, items, count, arguments)
    if (listing.how, count) == ("page", len(items)):
        return {listing.next: _start(listing, data, arguments) + 1}
    return {}


def _after_last(
    listing: ListAnswer, items: list[Any], count: int, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the argument that continues after the first `count` items, by their keys. With an
    argument for either direction, the order of the keys decides; `{}` if no key says.
    """
    keys = [_at(item, listing.key) for item in items]
    if not all(isinstance(key, str | int) for key in keys[:count]):
        return {}
    if not listing.back:
        return {listing.next: keys[count - 1]}
    order = [(len(str(key)), str(key)) for key in keys]
    rises, falls = order == sorted(order), order == sorted(order, reverse=True)
    if rises == falls:
        return {}
    ahead, behind = (listing.next, listing.back) if rises else (listing.back, listing.next)
    if behind not in arguments:
        return {ahead: keys[count - 1]}
    # The page goes on beyond its first item, which is the farthest of it
    if count < len(keys):
        return {}
    return {behind: keys[0]}


def _changed(
    url: str, listing: ListAnswer, arguments: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """Return the arguments of a URL that the call did not have, or had with another value; none if
    the text is no URL. An argument for the next part is returned alone.
    """
    spellings = {fold(name): name for name in names}
    changed: dict[str, Any] = {}
    with suppress(ValueError):
        for key, value in parse_qsl(urlsplit(url).query)[:50]:
            name = spellings.get(fold(key))
            if name is not None and str(arguments.get(name)) != value:
                changed[name] = value
    if listing.next in changed:
        changed = {listing.next: changed[listing.next]}
    return _short(changed)


def _is_url(text: str, listing: ListAnswer) -> bool:
    """Return whether a text gives the next page as a URL, or may do so: base64 may begin with a
    slash, too.
    """
    if text.startswith("/") and listing.how == "cursor":
        return not {"?", "/"}.isdisjoint(text[1:])
    return text.startswith(("http://", "https://", "/", "?"))


def _short(arguments: dict[str, str]) -> dict[str, Any]:
    """Return the arguments, or none if one is too long: a cursor that was cut means nothing."""
    return arguments if all(len(value) <= _MAX_VALUE for value in arguments.values()) else {}


def _at(data: Any, path: str) -> Any:
    """Return the value at a dotted path, or None. A key may hold dots (`@odata.nextLink`)."""
    if not isinstance(data, dict):
        return None
    if path in data:
        return data[path]
    head, _, rest = path.partition(".")
    return _at(data.get(head), rest) if rest else None


def _says_more(facts: Mapping[str, Any]) -> bool | None:
    """Return what the first flag of an answer, in the answer's own order, says about further items;
    None without a flag. A false `incomplete` says nothing.
    """
    flags = ((name, facts[name]) for name in facts if name in _FLAGS)
    said = (
        flag is _FLAGS[name]
        for name, flag in flags
        if isinstance(flag, bool)
        if (name, flag) != (_NOT_ALL, False)
    )
    return next(said, None)


def _goes_on(
    listing: ListAnswer,
    facts: Mapping[str, Any],
    data: Any,
    items: list[Any],
    arguments: Mapping[str, Any],
) -> bool:
    """Return whether the numbers of an answer say that there is more than its items."""
    numbers = {name: fact for name, fact in facts.items() if type(fact) is int}
    start, seen = _start(listing, data, arguments), len(items)
    is_first = not any(_at(arguments, name) for name in (listing.next, listing.back))
    if listing.how == "page":
        for name in _TOTAL_PAGES & numbers.keys():
            return start + (not _COUNTED_FROM_ZERO.isdisjoint(facts)) < numbers[name]
        seen *= max(start, 1)
    elif listing.how == "offset":
        seen += start - _first(listing)
        is_first = True
    elif (listing.how, is_first) == ("cursor", False):
        return False  # the cursor was followed, and there is no other
    sizes = [_at(arguments, listing.size), *(numbers[name] for name in _SIZES & numbers.keys())]
    size = min((each for each in sizes if type(each) is int), default=0)
    most = math.inf
    if is_first < (len(items) < size):  # it is the last part, or the call asks for too many at once
        most = size if listing.how == "page" else 0
    totals = _TOTALS | {f"total{fold(name)}" for name in (listing.items or ())[-1:]}
    for name in sorted(totals & numbers.keys()):
        return seen < numbers[name] <= most
    return size == len(items) and isinstance(data, list)


def _first(listing: ListAnswer) -> int:
    """Return the number of the first page (1) or item (0, or 1 for `startIndex`)."""
    return 1 if listing.how == "page" else int(fold(listing.next) in _COUNTED_FROM_ONE)


def _start(listing: ListAnswer, data: Any, arguments: Mapping[str, Any]) -> int:
    """Return the start of this part: from the call's arguments, else from the answer."""
    names = _PAGE_NUMBERS if listing.how == "page" else _STARTS
    facts = _facts(data)
    numbers = [_at(arguments, listing.next), *(facts[key] for key in facts if key in names)]
    return next((number for number in numbers if type(number) is int), _first(listing))


def _counts(headers: Mapping[str, str]) -> dict[str, int]:
    """Return the totals in header fields (`X-Total-Count`), by folded name without `x`. `X-Count`
    is for some APIs the number of items on a page.
    """
    names = {name: fold(name).removeprefix("x") for name in headers}
    return {
        name: int(headers[field][:9])
        for field, name in names.items()
        if name in (_TOTALS | _TOTAL_PAGES) - {"count"}
        if headers[field].isdecimal()
    }


def _beside(listing: ListAnswer, data: Any) -> dict[str, Any]:
    """The numbers and flags of the objects that the list or its cursor is in, and of those beside
    that are named for it (`meta.pagination`), by folded name. Others may be of another list.
    """
    paths = [".".join(listing.items or ()), *listing.source]
    outer = [path[: dot.start()] for path in paths for dot in re.finditer(r"\.", path)]
    objects = [data, *(_at(data, path) for path in outer)]
    beside = _on_pages(objects)
    return _own_facts([*objects, *beside, *_on_pages(beside)])


def _on_pages(objects: list[Any]) -> list[Any]:
    """The members of objects that are named for pages."""
    members = [member for each in objects for member in _members(each)]
    return [value for name, value in members if _ON_PAGES.search(fold(name))]


def _facts(data: Any) -> dict[str, Any]:
    """Return the numbers and flags around a list, by folded name; of several the outermost."""
    objects: list[Any] = []
    level = [data]
    for _ in range(3):
        objects += level
        level = [value for each in level for _, value in _members(each)]
    return _own_facts(objects)


def _own_facts(objects: Iterable[Any]) -> dict[str, Any]:
    """Return the numbers and flags of objects, by folded name; of several the first."""
    found: dict[str, Any] = {}
    for each in objects:
        for key, value in _members(each):
            if isinstance(value, bool | int):
                found.setdefault(fold(key), value)
    return found


def _members(value: Any) -> list[tuple[str, Any]]:
    """Return the first 50 members of an object; none of another value."""
    return list(value.items())[:50] if isinstance(value, dict) else []
