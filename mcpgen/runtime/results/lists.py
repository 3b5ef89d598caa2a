"""The items of a list, as much of them as a model needs to choose among them.

Of every item stay its own URL, its texts, numbers and flags; other URLs, empty fields and node ids
go, and an object with an identity inside an item becomes its label. Where all items do not fit by
then, long texts are cut, and the fields that tell items apart least go for all items alike, so that
items stay; the fields of an object inside an item (`commit.message`) count like those of the item.
Nothing is left out silently: `Shortened` says what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .pages import fold
from .shorten import compact, shape, size, tokens

SMALL = 2_000
"""Characters of a list that is worth passing on whole."""
LONG_TEXT, SHORT_TEXT = 200, 60
"""Characters that a long text keeps at most, and at least, however many items there are."""
ALL = "all"

_OWN_URLS = ("html_url", "web_url", "url", "permalink", "webUrl", "htmlUrl", "href", "link")
_URL_NAME = re.compile(r"(^|.*[_-])(ur[il]s?|href|links?)$|.*[a-z0-9](Ur[il]s?|URL|Href|Links?)$")
_WORD = re.compile(r"[A-Z]?[a-z]+")
_NODE_IDS = frozenset(("nodeid", "gravatarid", "etag"))
_HANDLES = ("login", "username", "full_name", "fullName", "slug", "key")
"""Keys whose value names an object well enough to ask for it."""
_LABELS = ("name", "display_name", "displayName", "title", "label", "summary", "email")
_EMPTY: tuple[Any, ...] = (None, "", [], {})

# What tells one item from another, best first; a field in none of them comes before the last
_RANKS = (
    "id name title number login slug username fullname key sku sha symbol code email displayname"
    " ts",
    "state status phase type kind user author owner customer assignee text subject",
    "description summary body message content label amount price currency total value date created"
    " createdat updated updatedat timestamp due duedate start end startdate enddate language role"
    " priority category reason quantity balance labels draft private deleted archived active",
    "url htmlurl weburl permalink href link",
)
_RANK = {name: rank for rank, names in enumerate(_RANKS) for name in names.split()}
_OTHER = len(_RANKS)
_LEAST = _OTHER + 1
_ALWAYS = 1
"""Fields up to this rank stay however many items there are."""


@dataclass(slots=True)
class Shortened:
    """The omitted parts of the items of a list."""

    total: int
    left_out: dict[str, None] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)
    fields: set[str] = field(default_factory=set)
    text_limit: int = LONG_TEXT
    cuts_texts: bool = False

    def say(self, argument: str) -> str:
        """One line: what is missing, and how to get it."""
        parts = []
        names = [name for name in self.left_out if name in self.fields]
        if names:
            several = f"{len(names)} of {len(self.fields)} fields are left out ({_some(names)})"
            parts.append(several)
        if self.labels:
            parts.append(f"objects are given in part ({_some(list(self.labels))})")
        if self.cuts_texts:
            parts.append(f"texts end after {self.text_limit} characters")
        if not parts:
            return ""
        text = "; ".join(parts)
        return (
            f"[{self.total} items, shortened: {text}. Name the fields you need in `{argument}`,"
            f' or ask for `{argument}` = ["{ALL}"]]'
        )


def _some(names: list[str]) -> str:
    """The first few names, those that are no URLs before the others."""
    telling = sorted(names, key=_is_url_name)
    text = ", ".join(telling[:8])
    if len(names) > 8:
        text += f" and {len(names) - 8} more"
    return text


def chosen(items: list[Any], names: list[str]) -> tuple[list[Any], list[str]]:
    """The items with these fields alone (dotted paths), and the names that no item has."""
    kept = [shape(item, names, (), False) for item in items]
    unknown = [name for name in names if not any(_has(item, name) for item in items)]
    return kept, unknown


def _has(item: Any, path: str) -> bool:
    head, _, rest = path.partition(".")
    if isinstance(item, list):
        return any(_has(each, path) for each in item)
    if not isinstance(item, dict):
        return False
    if not rest:
        return head in item
    return _has(item.get(head), rest)


def names_in(items: Iterable[Any]) -> list[str]:
    """The fields that items have, in their order."""
    names: dict[str, None] = {}
    for item in items:
        if isinstance(item, dict):
            names.update(dict.fromkeys(item))
    return list(names)


def project(items: list[Any], room: int) -> tuple[list[Any], Shortened]:
    """The items in at most about `room` tokens, if fields and long texts are enough for that."""
    report = Shortened(len(items))
    short = [_item(item, report) for item in items]
    report.fields = set(names_in(items))
    if tokens(compact(short), room) > room:
        report.text_limit = max(SHORT_TEXT, min(LONG_TEXT, room // len(items)))
        short = [_with_short_texts(item, report) for item in short]
        _drop_columns(short, room, report)
    present = set(names_in(short))
    report.left_out = {name: None for name in names_in(items) if name not in present}
    report.labels = {name: None for name in report.labels if name in present}
    return short, report


def _item(item: Any, report: Shortened) -> Any:
    if not isinstance(item, dict):
        return item
    own_url = _own_url(item)
    result: dict[str, Any] = {}
    for key, value in item.items():
        if _is_noise(key, value, own_url):
            continue
        if isinstance(value, dict | list):
            value = _inner(value, 1)
            if value != item[key]:
                report.labels[key] = None
        if value not in _EMPTY:
            result[key] = value
    return result


def _text(value: Any) -> str:
    """The value itself where it is a text, else an empty one."""
    if isinstance(value, str):
        return value
    return ""


def _own_url(item: dict[str, Any]) -> str:
    """The field with the item's own URL; an item that has a single URL keeps it."""
    for key in _OWN_URLS:
        if _text(item.get(key)):
            return key
    urls = [key for key, value in item.items() if _is_url_name(key) and isinstance(value, str)]
    if len(urls) == 1:
        return urls[0]
    return ""


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
    if not isinstance(value, str):
        return False
    return _is_url_name(key)


def _inner(value: Any, depth: int) -> Any:
    """A value inside an item: of an object its label, or else its plain fields."""
    if isinstance(value, list):
        inner = [_inner_of_list(each, depth + 1) for each in value]
        return [each for each in inner if each not in _EMPTY]
    if not isinstance(value, dict):
        return value
    label = _label(value, depth)
    if label is not None:
        return label
    result = {}
    for key, each in value.items():
        if _is_noise(key, each, ""):
            continue
        if isinstance(each, dict | list):
            each = _inner(each, depth + 1) if depth < 2 else None
        if each not in _EMPTY:
            result[key] = each
    if len(result) == 1 and result.keys() & _LABELS:
        return next(iter(result.values()))
    return result


def _inner_of_list(value: Any, depth: int) -> Any:
    """A value in a list inside an item: of an object its name where it has one."""
    if isinstance(value, dict):
        for key in (*_HANDLES, *_LABELS):
            if _text(value.get(key)):
                return value[key]
    return _inner(value, depth)


def _label(value: dict[str, Any], depth: int) -> Any:
    """The part that stands for an object with an identity: a handle; its name, beside its id; its
    id. An object without one is a part of the item, and has none.
    """
    for key in _HANDLES:
        if _text(value.get(key)):
            return value[key]
    identity = value.get("id")
    if not isinstance(identity, str | int):
        return None
    for key in _LABELS:
        if _text(value.get(key)):
            # One object is often asked for next, by its id
            return value[key] if depth > 1 else {"id": identity, key: value[key]}
    return identity


def _with_short_texts(item: Any, report: Shortened) -> Any:
    """An item with its long texts cut."""
    if isinstance(item, str):
        if len(item) <= report.text_limit:
            return item
        report.cuts_texts = True
        return item[: report.text_limit] + "\u2026"
    if isinstance(item, list):
        return [_with_short_texts(each, report) for each in item]
    if isinstance(item, dict):
        return {key: _with_short_texts(each, report) for key, each in item.items()}
    return item


_Path = tuple[str, ...]


def _drop_columns(items: list[Any], room: int, report: Shortened) -> None:
    """Keep the fields that tell most, as many as there is room for, and take the others from every
    item.
    """
    costs: dict[_Path, int] = {}
    ranks: dict[_Path, tuple[int, int]] = {}
    left = room - 1
    for item in items:
        if not isinstance(item, dict):
            left -= size(item, room)
            continue
        left -= 1
        for path, value, cost in _columns(item, room):
            costs[path] = costs.get(path, 0) + cost
            ranks.setdefault(path, _rank_of(path, value))
    for path in sorted(costs, key=lambda path: ranks[path]):
        if ranks[path] <= (_ALWAYS, 1) or costs[path] <= left:
            left -= costs[path]
            continue
        if len(path) > 1:
            report.labels[path[0]] = None
        for item in items:
            _drop(item, path)


def _columns(
    item: dict[str, Any], room: int, path: _Path = (), around: int = 0
) -> Iterator[tuple[_Path, Any, int]]:
    """The fields of an item, and of the objects in it, with their values and the tokens of both."""
    for key, value in item.items():
        cost = around + size(key, room)
        around = 0
        if isinstance(value, dict):
            yield from _columns(value, room, (*path, key), cost + 1)
        else:
            yield (*path, key), value, cost + size(value, room)


def _drop(item: Any, path: _Path) -> None:
    """Take a field from an item, and the objects that are empty without it."""
    if not isinstance(item, dict) or path[0] not in item:
        return
    if len(path) > 1:
        _drop(item[path[0]], path[1:])
        if item[path[0]]:
            return
    del item[path[0]]


def _rank_of(path: _Path, value: Any) -> tuple[int, int]:
    """Return a rank that is higher the less a field distinguishes items, by its name, or the best
    word of it (`amount_due`), and its depth.
    """
    rank = _RANK.get(fold(path[-1]))
    if rank is None:
        words = [_RANK.get(word.lower(), 0) for word in _WORD.findall(path[-1])]
        rank = _LEAST if isinstance(value, bool | list) else _OTHER
        rank = min([rank, *(max(_ALWAYS + 1, known) for known in words if known)])
    if len(path) > 1:
        rank = max(_ALWAYS + 1, rank)
    return rank, len(path)


def table(items: list[Any]) -> str:
    """A list of objects as tab-separated values, the names of the columns first. A missing field is
    empty, and what is no text, number or flag is JSON. What is no object has a line of its own.
    """
    columns = names_in(items)
    lines = ["\t".join(_cell(name) for name in columns)]
    for item in items:
        if isinstance(item, dict):
            lines.append("\t".join(_cell(item.get(name, "")) for name in columns))
        else:
            lines.append(_cell(item))
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return compact(value)
    if value.isprintable():
        return value
    return " ".join(value.split())
