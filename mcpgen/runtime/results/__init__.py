"""Make data fit for a model: `Sieve` keeps, drops and changes what it meets on one walk."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

INVISIBLE: Final = (
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u00ad\u034f\u061c"  # soft hyphen, combining grapheme joiner, Arabic letter mark
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # fillers of Hangul and Khmer
    "\u180b-\u180f\ufe00-\ufe0f"  # Mongolian and other variation selectors
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, bidi marks, separators, operators
    "\ufeff\ufff0-\ufffb"  # byte order mark, interlinear marks
    "\ud800-\udfff"  # lone surrogates
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of music
    "\U000e0000-\U000e0fff"  # tags
    "]"
)
"""A class of a regular expression (Unicode categories Cc, Cf, Cs and look-alikes of nothing)."""

MAX_DEPTH = 100
_INVISIBLE = re.compile(INVISIBLE + "+")
_SELECTORS = ("\ufe0e", "\ufe0f")
_JOINERS = ("\u200c", "\u200d", "\ufe0f\u200d")

LARGE = 1_000_000
"""Bytes of an answer that is read and cut in a thread, so that other calls go on meanwhile."""


class Answered:
    """The base of an API's answer (`results.answer`); a server without an API has this class
    alone.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaping:
    """The model's view of a tool's answer: dotted paths to keep or drop, whether null is dropped,
    fields to take out at any depth, whether a list is written as a table and XML as JSON.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    strip_nulls: bool = False
    redact: tuple[str, ...] = ()
    table: bool = False
    xml: bool = False


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """The list in an answer, and its pagination.

    `items` are the keys that lead to the list, or None if the answer holds none; `fields` is the
    argument that chooses the fields of items, `asked` one of the API's in its place; `part` is
    `PART` where that is listed. `next` and `size` are the arguments for the next part and for the
    size of a part; empty if there are none.
    `how` is `page`, `offset`, `cursor` or `last`; `source` has the dotted paths at which the answer
    may hold the next value; `key` is the key of an item that `last` continues after, `back` the
    argument for what comes before an item.
    """

    items: tuple[str, ...] | None = None
    fields: str = ""
    part: str = ""
    asked: str = ""
    next: str = ""
    back: str = ""
    size: str = ""
    how: str = ""
    source: tuple[str, ...] = ()
    key: str = "id"

    def chooser(self) -> str:
        """The argument that chooses the fields of items; empty if there is none."""
        return self.fields or self.asked


class TooDeep(ValueError):
    """Data nested deeper than programs downstream can take."""


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(character for character in name.lower() if character.isalnum())


def visible(text: str) -> str:
    """The text with every character that is invisible or steers the display replaced by U+FFFD; CR
    LF becomes LF.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return _INVISIBLE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    """U+FFFD for each character, except for a selector after a letter or emoji and a joiner between
    two: Persian, Indic scripts and emoji are written with them.
    """
    # One character on each side: a slice of all the rest would make the work quadratic
    start, end = match.span()
    hidden = match[0]
    follows_letter = match.string[max(0, start - 1) : start] > "\u00a0"
    precedes_letter = match.string[end : end + 1] > "\u00a0"
    meaningful = _SELECTORS + _JOINERS if precedes_letter else _SELECTORS
    if follows_letter and hidden in meaningful:
        return hidden
    return "\ufffd" * len(hidden)


compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
"""Returns JSON data as one line of text. Raises ValueError for a number that is not finite."""


_Tree = dict[str, Any]
_Paths = tuple[_Tree, _Tree]


@dataclass(frozen=True, slots=True)
class Sieve:
    """One walk over JSON data: `text` is applied to every text and key, members with one of the
    folded names in `hidden` go, and so do nulls where that is wanted.
    """

    text: Callable[[str], str] = str
    hidden: frozenset[str] = frozenset()
    strip_nulls: bool = False
    deepest: int = sys.maxsize

    def of(self, value: Any, keep: Iterable[str] = (), drop: Iterable[str] = ()) -> Any:
        """Return the part that passes: the dotted paths in `keep` (empty: all) without the paths in
        `drop`. `*` means any key, and a path continues in every item of a list. Raises TooDeep.
        """
        paths = _tree(keep), _tree(drop)
        return self._of(value, paths if any(paths) else None, 0)

    def _of(self, value: Any, paths: _Paths | None, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, dict | list):
            return value
        if depth > self.deepest:
            raise TooDeep
        depth += 1
        if isinstance(value, list):
            return [self._of(item, paths, depth) for item in value]
        below, taken = paths, {}
        for key, item in self._members(value):
            if paths is not None:
                below = _below(paths, key, item)
                if below is None:
                    continue
            taken[self.text(key)] = self._of(item, below, depth)
        return taken

    def _members(self, value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
        members: Iterable[tuple[str, Any]] = value.items()
        if self.strip_nulls:
            members = [(key, item) for key, item in members if item is not None]
        if self.hidden:
            members = [(key, item) for key, item in members if fold(key) not in self.hidden]
        return members


def _tree(paths: Iterable[str]) -> _Tree:
    """Each path as keys that lead to the key `""`."""
    root: _Tree = {}
    for path in paths:
        node = root
        for key in path.replace("[]", "").strip(".").split("."):
            node = node.setdefault(key, {})
        node[""] = True
    return root


def _below(paths: _Paths, key: str, item: Any) -> _Paths | None:
    """The paths to keep and to drop below the key of a member; None where it does not stay."""
    keep, drop = ({**tree.get(key, {}), **tree.get("*", {})} for tree in paths)
    if "" in drop:
        return None
    if not paths[0]:
        return keep, drop
    if "" in keep:
        return {}, drop
    inside = keep if isinstance(item, dict | list) else None
    return (inside, drop) if inside else None


class Masks:
    """Masks secrets in texts (`secrets.Redactor`); on a server without secrets there are none."""

    is_needed = False

    def add(self, secret: str) -> None:
        """Mask this text from now on."""

    def __call__(self, text: str) -> str:
        """The text with every secret masked."""
        return text

    def data(self, value: Any) -> Any:
        """JSON data with every secret in its texts and keys masked."""
        return Sieve(self).of(value) if self.is_needed else value


def sendable(value: Any) -> Any:
    """Replace every half of a surrogate pair in data: UTF-8 cannot encode one, and a server that
    tries stops.
    """
    return Sieve(_well_formed).of(value)


def _well_formed(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


PART = "answer_part"
"""The argument that asks for the part of an answer from a place on: `accounts[0].rows[113:]`."""
