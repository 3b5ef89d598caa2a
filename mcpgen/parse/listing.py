"""Lists in answers and their pagination: the styles are `data/pagination.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..load.values import as_object, as_text, texts_in
from ..runtime.client.settings import ListAnswer
from ..runtime.facts import SAFE
from ..runtime.results import fold
from ..runtime.results.lists import BESIDE_A_LIST
from ..text import words
from .projection import size_of

if TYPE_CHECKING:
    from .parameter import Field
    from .schema import Reader

FIELDS_SCHEMA = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Fields of each item to return, or `all`",
}
FIELDS_NAMES = ("fields", "item_fields", "answer_fields")
"""Names of the argument that chooses fields: the last run's, else the first free name."""
PART_SCHEMA = {"type": "string", "description": "Part to return of an answer that was cut"}
_ASKS = re.compile(r"(?:opt|only|returned|return|included|include|response)?(?:fields?|select)")
"""Folded name of a parameter for the fields to return."""
_RETURNS = re.compile(r"\b(?:return|respon|retriev|select|output)", re.I)
_LONG_VALUES = 120
"""Bytes of the names of fields that are listed with such a parameter."""
_LIST_NAMES = (
    "items data results values value entries records rows list elements resources objects hits"
    " documents nodes edges content collection members"
).split()
_OUTER_NAMES = ("data", "hits", "result", "results", "response", "_embedded", "payload", "body")
_NO_LISTS = frozenset(
    "responsemetadata metadata meta errors warnings links included facets".split()
)
"""Folded names of the fields beside a list."""
_SIZES = (
    "limit per_page page_size pagelen max_results max_items max_keys size count first top take rows"
    " items_per_page hits_per_page number_of_results num_results results_per_page"
).split()


def asks_for_fields(reader: Reader, item: Field) -> bool:
    """Return whether a parameter is a list of the fields to return, by its name and its text."""
    if item.place != "query":
        return False
    if not _ASKS.fullmatch(fold(item.wire_name)):
        return False
    kinds = reader.kinds(reader.flatten(item.schema).get("items"))
    return all([kinds == {"string"}, _RETURNS.search(item.description)])


def briefly(reader: Reader, item: Field) -> Field:
    """Return a parameter as listed: the text of one that selects fields gives a single name, best a
    path, instead of many, as the tool's description has the first names of its answer.
    """
    if not asks_for_fields(reader, item):
        return item
    schema = reader.flatten(item.schema)
    names = texts_in(reader.flatten(schema["items"]).get("enum"))
    if not names:
        return item
    if size_of(names) <= _LONG_VALUES:
        return replace(item, description="Fields to return")
    some = min(names, key=lambda name: ("." not in name, len(name)))
    text = f"Fields to return: {len(names)} such as {some}"
    plain = schema | {"items": {"type": "string"}, "description": text}
    return replace(item, schema=plain, description=text)


@dataclass(frozen=True, kw_only=True)
class Style:
    """A pagination style of one API or family of APIs."""

    name: str
    next: str
    size: str = ""
    how: str
    source: tuple[str, ...] = ()
    key: str = "id"
    beside: str = ""

    @cached_property
    def needs(self) -> set[str]:
        """Folded names of the arguments that an operation of this style has."""
        return {fold(name) for name in (self.next, self.beside) if name}


@cache
def styles() -> tuple[Style, ...]:
    """Return the table of styles."""
    text = (resources.files("mcpgen") / "data" / "pagination.toml").read_text("utf-8")
    rows = tomllib.loads(text)["style"]
    return tuple(Style(source=tuple(row.pop("from", ())), **row) for row in rows)


@cache
def _paging_names() -> frozenset[str]:
    """Return the folded names of arguments that ask for a part of a list."""
    return frozenset(map(fold, _SIZES)) | {fold(style.next) for style in styles()}


_READING = frozenset("get list search query find fetch filter lookup".split())
"""Last segments of paths at which a POST reads what the segment before names."""
_AROUND_PAGES = frozenset("options pagination paging page pager pageinfo".split())
"""Folded names of objects in a body that hold pagination arguments."""


def listing_of(
    reader: Reader, schema: Any, *, method: str, path: str, fields: Iterable[Field]
) -> ListAnswer:
    """Return the list in an operation's JSON answer and its pagination arguments: wire names,
    dotted inside a body, empty without one. `items`: the keys to the list, None without a list.
    """
    names = _paging_arguments(reader, fields)
    before, _, last = path.rstrip("/").rpartition("/")
    reads = fold(last) in _READING
    paged = reads | (not _paging_names().isdisjoint(names))
    if reads:
        path = before
    items = _items(reader, schema, path, paged=paged)
    style, source = _style(reader, schema, items, names)
    size = names.get(fold(style.size), "") if style else ""
    if not size:
        size = next((names[fold(name)] for name in _SIZES if fold(name) in names), "")
    if _echoes("GET" if reads else method, style, size):
        items = None
    if style is None:
        return ListAnswer(items=items, size=size)
    return ListAnswer(
        items=items,
        next=names[fold(style.next)],
        back=names.get(fold(style.beside) * (style.how == "last"), ""),
        size=size,
        how=style.how,
        source=source,
        key=style.key,
    )


def _paging_arguments(reader: Reader, fields: Iterable[Field]) -> dict[str, str]:
    """Return folded name → name on the wire of each argument that is no date."""
    names: dict[str, str] = {}
    for item in fields:
        if not as_text(reader.flatten(item.schema).get("format")).startswith("date"):
            names[fold(item.wire_name)] = item.wire_name
        if fold(item.wire_name) in _AROUND_PAGES:
            for inner in reader.properties(item.schema):
                names.setdefault(fold(inner), f"{item.wire_name}.{inner}")
    return names


def _echoes(method: str, style: Style | None, size: str) -> bool:
    """Return whether an answer is what was written, with lists of its own: that of a writing method
    without pagination.
    """
    if method in SAFE:
        return False
    if size:
        return False
    return style is None


def _items(reader: Reader, schema: Any, path: str, *, paged: bool) -> tuple[str, ...] | None:
    """Return the keys to the list of objects in an answer, `()` for the answer itself; None without
    one.
    """
    if _is_list_of_objects(reader, schema):
        return ()
    if "object" not in reader.kinds(schema):
        return None
    if path.endswith("}"):
        return None
    last_words = {fold(path.rsplit("/", 1)[-1]), *words(path.rsplit("/", 1)[-1])}
    return _items_of_object(reader, schema, last_words, paged, depth=0)


def _items_of_object(
    reader: Reader, schema: Any, last_words: set[str], paged: bool, depth: int
) -> tuple[str, ...] | None:
    properties = reader.properties(schema)
    lists = [
        name
        for name, child in properties.items()
        if fold(name) not in _NO_LISTS and _is_list_of_objects(reader, child)
    ]
    if "id" in properties:
        return None  # one object that has lists of its own
    if lists:
        # A single object has lists of its own
        says_more = not BESIDE_A_LIST.isdisjoint(map(fold, properties))
        return _best_list(lists, last_words, paged or says_more)
    if depth:
        return None
    for name, child in properties.items():
        if name in _OUTER_NAMES or fold(name) in last_words:
            inner = _items_of_object(reader, child, last_words, paged, depth + 1)
            if inner is not None:
                return (name, *inner)
    return None


def _best_list(lists: list[str], last_words: set[str], paged: bool) -> tuple[str, ...] | None:
    """Return the list under a usual name, or under the name of what the path is about. A lone list
    has any name where the answer or the arguments speak of parts. Else None.
    """
    usual = [name for name in _LIST_NAMES if name in lists]
    named = [name for name in lists if fold(name) in last_words]
    for name in (*usual, *named):
        return (name,)
    if paged and len(lists) == 1:
        return (lists[0],)
    return None


def _is_list_of_objects(reader: Reader, schema: Any) -> bool:
    """Return whether a schema is an array of objects, at least in a branch of its union."""
    if reader.kinds(schema) != {"array"}:
        return False
    branches, _ = reader.branches(reader.flatten(schema))
    return any(_items_are_objects(reader, branch) for branch in (schema, *branches))


def _items_are_objects(reader: Reader, schema: Any) -> bool:
    flat = reader.flatten(schema)
    items = reader.flatten(flat.get("items"))
    if "type" not in items and "items" in items:
        # Written by converters for "one of these", not for lists in a list
        items = items["items"]
    return "object" in reader.kinds(items)


def _style(
    reader: Reader, schema: Any, items: tuple[str, ...] | None, names: dict[str, str]
) -> tuple[Style | None, tuple[str, ...]]:
    """Return the style that fits an operation best, and where the answer may hold its next value;
    `(None, ())` without one.
    """
    candidates = []
    for index, style in enumerate(styles()):
        if style.needs <= names.keys():
            has_size = fold(style.size) in names
            found = tuple(path for path in style.source if _declares(reader, schema, path))
            rank = (_evidence(reader, schema, items, style, found, has_size), has_size, -index)
            candidates.append((rank, style, found or style.source))
    if not candidates:
        return None, ()
    _, best, source = max(candidates, key=lambda candidate: candidate[0])
    if reader.properties(schema):
        return best, source
    # The answer's schema says nothing: any style with this argument may be meant
    argument = fold(best.next)
    every = [
        path for _, style, paths in candidates if fold(style.next) == argument for path in paths
    ]
    return best, tuple(dict.fromkeys(every))


def _evidence(
    reader: Reader,
    schema: Any,
    items: tuple[str, ...] | None,
    style: Style,
    found: tuple[str, ...],
    has_size: bool,
) -> int:
    """Rate the evidence for a style: 2 if the answer's schema supports it, 1 if nothing
    contradicts it, else 0.
    """
    if found:
        return 2
    if style.how == "last":
        return 2 * int(has_size and _items_have(reader, schema, items, style.key))
    return int(not style.source)


def _items_have(reader: Reader, schema: Any, path: tuple[str, ...] | None, key: str) -> bool:
    if path is None:
        return False
    for name in path:
        schema = reader.properties(schema).get(name)
    return key in reader.properties(reader.flatten(schema).get("items"))


def _declares(reader: Reader, schema: Any, path: str) -> bool:
    """Return whether an answer's schema has a dotted path, to a string or a value of any type. A
    name may hold dots itself.
    """
    properties = as_object(reader.properties(schema))
    if path in properties:
        # A number under such a name says where this part began
        return reader.kinds(properties[path]) in (set(), {"string"})
    head, _, rest = path.partition(".")
    if head not in properties:
        return False
    return _declares(reader, properties[head], rest)
