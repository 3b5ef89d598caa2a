"""Data and text made fit for a model: only what was asked for, nothing invisible, no longer than it
may be.

What is left out is said: nothing here cuts silently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 100
LEAST = 40

# Controls but tab and newline, soft hyphen, combining grapheme joiner, fillers, zero-width and bidi
# marks, separators,
# invisible operators, variation selectors, byte order mark, interlinear marks, tags, lone
# surrogates.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]+"
)
# Persian, Indic scripts and emoji are written with one joiner or presentation selector between (or
# after) letters.
_WRITTEN = frozenset("\u200c\u200d\ufe0e\ufe0f")


class TooDeep(ValueError):
    """Data nested deeper than programs downstream can take."""


def visible(text: str) -> str:
    """The text with every character that is invisible or steers the display replaced by U+FFFD; CR
    LF becomes LF.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return _INVISIBLE.sub(_replacement, text)


def _replacement(found: re.Match[str]) -> str:
    # One character on each side: a slice of all the rest would make the work quadratic
    start, end = found.span()
    hidden, before, after = (
        found[0],
        found.string[max(0, start - 1) : start],
        found.string[end : end + 1],
    )
    if before > "\u00a0" and (
        hidden in ("\ufe0e", "\ufe0f") or (hidden in ("\u200c", "\u200d") and after > "\u00a0")
    ):
        return hidden
    if before > "\u00a0" and after > "\u00a0" and hidden == "\ufe0f\u200d":
        return hidden
    return "\ufffd" * len(hidden)


def clean(value: Any, depth: int = 0) -> Any:
    """JSON data with visible texts and keys. Raises TooDeep."""
    if isinstance(value, str):
        return visible(value)
    if depth > MAX_DEPTH:
        raise TooDeep
    if isinstance(value, list):
        return [clean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {visible(key): clean(item, depth + 1) for key, item in value.items()}
    return value


def compact(value: Any) -> str:
    """JSON data as one line of text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shape(value: Any, keep: Iterable[str], drop: Iterable[str], strip_nulls: bool) -> Any:
    """Only the dotted paths in `keep` (empty: all), without those in `drop`; `*` is any key, lists
    are seen through.
    """
    kept, dropped = _tree(keep), _tree(drop)
    if kept:
        value = _keep(value, kept)
    if dropped:
        value = _drop(value, dropped)
    return _without_nulls(value) if strip_nulls else value


_Tree = dict[str, Any]


def _tree(paths: Iterable[str]) -> _Tree:
    root: _Tree = {}
    for path in paths:
        node = root
        for key in path.replace("[]", "").strip(".").split("."):
            node = node.setdefault(key, {})
        node[""] = True
    return root


def _below(tree: _Tree, key: str) -> list[_Tree]:
    return [tree[name] for name in (key, "*") if name in tree]


def _keep(value: Any, tree: _Tree) -> Any:
    if isinstance(value, list):
        return [_keep(item, tree) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        found = _below(tree, key)
        if any("" in node for node in found):
            kept[key] = item
        elif found and isinstance(item, dict | list):
            kept[key] = _keep(item, {name: node for one in found for name, node in one.items()})
    return kept


def _drop(value: Any, tree: _Tree) -> Any:
    if isinstance(value, list):
        return [_drop(item, tree) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, item in value.items():
        found = _below(tree, key)
        if not any("" in node for node in found):
            kept[key] = (
                _drop(item, {name: node for one in found for name, node in one.items()})
                if found
                else item
            )
    return kept


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


@dataclass(slots=True)
class Cuts:
    """What was left out: `(place, kept, of how many, of what)`."""

    items: list[tuple[str, int, int, str]] = field(default_factory=list)

    def say(self) -> str:
        """The cuts in words, the first few of them."""
        shown = [
            f"{f'`{place}`' if place else 'the list'}: {kept} of {total} {what}"
            for place, kept, total, what in self.items[:5]
        ]
        more = len(self.items) - 5
        return "; ".join(shown) + (f"; and {more} more places" if more > 0 else "")

    def kept_items(self) -> int | None:
        """How many items of the first shortened list are left."""
        return next((kept for _, kept, _, what in self.items if what == "items"), None)


def fit(value: Any, limit: int) -> tuple[Any, Cuts]:
    """JSON data that takes at most `limit` characters as `compact` writes it.

    Lists lose items from the end first; only then are texts cut, the longest most. What is small
    beside them (a cursor, a total) stays whole. The work grows with the limit, not with the data.
    """
    cuts = Cuts()
    return _fit(value, limit, "", cuts), cuts


def _size(value: Any, limit: int) -> int:
    """Characters of the compact text of a value, counted until they are more than the limit."""
    if isinstance(value, str):
        return len(encode_basestring(value)) if len(value) <= limit else len(value)
    if not isinstance(value, list | dict):
        return len(compact(value))
    size = 1 if value else 2
    for item in value.items() if isinstance(value, dict) else value:
        if isinstance(value, dict):
            size += 1 + _size(item[0], limit)
            item = item[1]
        size += 1 + _size(item, limit - size)
        if size > limit:
            break
    return size


def _fit(value: Any, limit: int, place: str, cuts: Cuts) -> Any:
    if _size(value, limit) <= limit:
        return value
    if isinstance(value, list):
        return _fit_list(value, limit, place, cuts)
    if isinstance(value, dict):
        return _fit_object(value, limit, place, cuts)
    if isinstance(value, str):
        return _fit_text(value, limit, place, cuts)
    return None


def _fit_list(value: list[Any], limit: int, place: str, cuts: Cuts) -> list[Any]:
    kept: list[Any] = []
    left = limit - 2
    mark = len(cuts.items)
    for index, item in enumerate(value):
        size = _size(item, left) + 1
        if size <= left:
            kept.append(item)
            left -= size
            continue
        # One item that is too large by itself is better shortened than lost, when there is room for
        # some of it
        if left > max(200, limit // 2):
            kept.append(_fit(item, left - 1, f"{place}[{index}]", cuts))
        break
    if len(kept) < len(value):
        cuts.items.insert(mark, (place, len(kept), len(value), "items"))
    return kept


def _fit_object(value: dict[str, Any], limit: int, place: str, cuts: Cuts) -> dict[str, Any]:
    left = room = limit - 2
    keys: list[str] = []
    for key, item in value.items():
        cost = _size(key, limit) + 2
        # Each field is worth having with some of its value, or not at all
        room -= cost + min(_size(item, LEAST), LEAST)
        if room < 0:
            cuts.items.append((place, len(keys), len(value), "fields"))
            break
        keys.append(key)
        left -= cost
    # What is no larger than an even share stays whole, and what it leaves of its share goes to the
    # others
    fitted: dict[str, Any] = dict.fromkeys(keys)
    large = keys
    while large:
        share = left // len(large)
        small = {key: size for key in large if (size := _size(value[key], share)) <= share}
        for key, size in small.items():
            fitted[key] = value[key]
            left -= size
        if not small:
            break
        large = [key for key in large if key not in small]
    for key in large:
        fitted[key] = _fit(value[key], left // len(large), f"{place}.{key}" if place else key, cuts)
    return fitted


def _fit_text(value: str, limit: int, place: str, cuts: Cuts) -> str:
    room = max(0, limit - 3)
    kept = value[:room]
    while kept and len(encode_basestring(kept)) - 2 > room:  # escapes count for more than one
        kept = kept[: len(kept) - max(1, (len(encode_basestring(kept)) - 2 - room) // 6)]
    cuts.items.append((place, len(kept), len(value), "characters"))
    return kept + "\u2026"
