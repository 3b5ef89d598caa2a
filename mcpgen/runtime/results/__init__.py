"""Make data and text fit for a model in two steps: `Sieve` keeps, drops and changes what it
meets on one walk, `fit` spends a number of tokens on the rest.

Nothing is cut silently: `Cuts` lists what was left out.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring
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
LEAST = 25
"""Tokens of its value that a field is worth listing with."""

CORE = 200
"""Characters of a text in a list's item that stay before items go."""

_PIECES = re.compile(
    r"([A-Za-z0-9]{24,48}|(?=[A-Za-z]*[0-9]+[A-Za-z]+[0-9A-Z])[A-Za-z0-9]{7,23})"
    r"|([^\x00-\uffff]|[\u1200-\u1dff\u2070-\u2fff\ua000-\uabff\ue000-\uf8ff])"
    r"| [A-Z]?[a-z]{1,12}(?![a-z])|[A-Z]?[a-z]{1,8}|[A-Za-z]{1,2}|[0-9]{1,3}"
    r'| ?[,:{}\[\]]{0,3}"[",:{}\[\]]{0,3}| ?[,:{}\[\]]{1,2}|</|/>|://|\(\)|="'
    r"| ?([!-/:-@\[-`{-~])\3{0,7}|[\u0370-\u052f]{1,2}|\n{1,16}| {1,16}|\s{1,3}|.",
    re.DOTALL,
)
"""About one token each, but runs without a word in them (hexadecimal, base64, identifiers), emoji
and characters of rare scripts.

Measured with o200k on 60 kinds of text, each is estimated at no less than its tokens: JSON, HTML,
CSV and prose at 1.00 to 1.35 of them, base64 at 1.1, Cyrillic at 1.9, Hindi and Thai at 2 to 3.
Only letters in no order of a language (capitals, Hangul, rare Chinese characters) are more.
"""

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INVISIBLE = re.compile(INVISIBLE + "+")
_SELECTORS = ("\ufe0e", "\ufe0f")
_JOINERS = ("\u200c", "\u200d", "\ufe0f\u200d")

LARGE = 1_000_000
"""Bytes of an answer that is read and cut in a thread, so that other calls go on meanwhile."""


class Answered:
    """An answer of the API (`results.answer`), which servers without one do not have."""


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


def compact(value: Any) -> str:
    """JSON data as one line of text. Raises ValueError for a number that is not finite."""
    return _ENCODER.encode(value)


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


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The end of each piece of a text, and the tokens up to there."""
    total = 0
    for match in _PIECES.finditer(text):
        total += 1
        if match.lastindex == 1:
            total += (match.end() - match.start()) * 3 // 4
        elif match.lastindex == 2:
            total += 2
        yield match.end(), total


def tokens(text: str, most: int) -> int:
    """About how many tokens a text is for a model, counted until they are more than `most`."""
    total = 0
    for _, total in _pieces(text):
        if total > most:
            break
    return total


def beginning(text: str, most: int) -> str:
    """Return the beginning of a text, of about `most` tokens."""
    if len(text.encode("utf-8", "surrogatepass")) <= most:
        return text
    kept = 0
    for end, total in _pieces(text):
        if total > most:
            return text[:kept]
        kept = end
    return text


def size(value: Any, limit: int) -> int:
    """Tokens of the compact text of a value with what separates it from the next one, counted until
    they are more than the limit.
    """
    if isinstance(value, str):
        return tokens(encode_basestring(value)[1:-1], limit) + 1
    if not isinstance(value, list | dict):
        return tokens(compact(value), limit) + 1
    total = 1
    for item in value:
        if isinstance(value, dict):
            total += size(item, limit)
            item = value[item]
        total += size(item, limit - total)
        if total > limit:
            break
    return total


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
_SLICE = re.compile(r"(.*)\[(\d{1,9}):\]", re.DOTALL)
_INDEX = re.compile(r"\[(\d{1,9})\]\.?")


@dataclass(frozen=True, slots=True)
class Part:
    """Data from an item, character or field on: `data` has the path to it and nothing besides.
    `place` is its position in the whole, `inside` in `data`.
    """

    data: Any
    place: str = ""
    inside: str = ""
    start: int = 0

    def following(self, place: str, kept: int) -> str:
        """The part after what was kept at a place in `data`."""
        if place == self.inside:
            return f"{self.place}[{self.start + kept}:]"
        rest = place[len(self.inside) :]
        index = _INDEX.match(rest)
        if index:
            rest = f"[{int(index[1]) + self.start}]{rest[index.end(1) + 1 :]}"
        return f"{self.place}{rest}[{kept}:]"


def part_of(data: Any, wanted: str) -> Part | None:
    """The part that `answer_part` asks for; None where there is no such place."""
    match = _SLICE.fullmatch(wanted)
    if match is None:
        return None
    try:
        walked = list(_steps(data, match[1]))
    except LookupError:
        return None
    steps = [step for step, _ in walked]
    for _, inner in walked[-1:]:
        data = inner
    start, inside = int(match[2]), ""
    if isinstance(data, dict):
        data = dict(list(data.items())[start:])
    elif isinstance(data, list | str):
        data = data[start:]
    else:
        return None
    for step in reversed(steps):
        is_key = isinstance(step, str)
        data = {step: data} if is_key else [data]
        inside = f"{f'.{step}' if is_key else '[0]'}{inside}"
    return Part(data, match[1], inside.removeprefix("."), start)


def _steps(data: Any, place: str) -> Iterator[tuple[Any, Any]]:
    """The keys and indexes that lead to a place, each with its value. Raises LookupError."""
    while place:
        step: Any
        if isinstance(data, list):
            index = _INDEX.match(place)
            if index is None:
                raise LookupError(place)
            step, place = int(index[1]), place[index.end() :]
        else:
            step = _first_key(data, place)
            place = place[len(step) :].removeprefix(".")
        data = data[step]
        yield step, data


def _first_key(data: Any, place: str) -> str:
    """The longest key that a place begins with: keys may hold dots. Raises LookupError."""
    ends = (f"{place}."[: len(key) + 1] for key in data) if isinstance(data, dict) else ()
    keys = [end[:-1] for end in ends if end[:-1] in data if end[-1] in ".["]
    if not keys:
        raise LookupError(place)
    return max(keys, key=len)


_WHOLE = {"items": "the list", "fields": "the object", "characters": "the text"}
Narrow = Callable[[list[Any], int], list[Any]]
"""Takes less of every item of a list, for a number of tokens."""


@dataclass(slots=True)
class Cuts:
    """Cuts as `(place, kept, of how many, of what)`. Of the list at `rows`, `narrow` takes less of
    every item before items go.
    """

    items: list[tuple[str, int, int, str]] = field(default_factory=list)
    rows: str | None = None
    narrow: Narrow = lambda items, _: items

    def say(self) -> str:
        """Describe what is left of the first few places."""
        sentences = []
        for place, kept, total, what in self.items[:5]:
            name = f"`{place}`" if place else _WHOLE[what]
            sentences.append(f"{kept:,} of {total:,} {what} of {name}")
        kept_text = f"Kept {', '.join(sentences)}"
        more = len(self.items) - 5
        if more > 0:
            kept_text += f"; {more} more places are cut"
        return kept_text

    def kept_items(self, place: str) -> int | None:
        """Return the number of items left in the list at a place; None if it was not shortened."""
        for cut_place, kept, _, what in self.items:
            if (what, cut_place) == ("items", place):
                return kept
        return None

    def fit(self, value: Any, limit: int, place: str = "") -> Any:
        """As much of a value as takes at most about `limit` tokens."""
        if size(value, limit) <= limit:
            return value
        if isinstance(value, list):
            return self._fit_list(value, limit, place)
        if isinstance(value, dict):
            return self._fit_object(value, limit, place)
        if isinstance(value, str):
            return self._fit_text(value, limit, place)
        self.items.append((place, 0, len(compact(value)), "characters"))
        return None

    def _fit_list(self, value: list[Any], limit: int, place: str) -> list[Any]:
        if place == self.rows:
            value = self.narrow(value, limit)
        left = limit - 1
        least: dict[Any, int] = {}
        for index, item in enumerate(value):
            core = item if place == self.rows else _core(item)
            most = size(core, left) + LEAST
            least[index] = min(size(item, most), most)
            left -= least[index]
            if left < 0:
                left += least.pop(index)
                break
        if len(least) < len(value):
            # One item that is too large by itself is better shortened than lost, when there is room
            # for some of it
            if left > max(50, limit // 2):
                least[len(least)] = LEAST
            self.items.append((place, len(least), len(value), "items"))
        kept = {index: value[index] for index in least}
        return list(self._shared(kept, least, limit - 1, "{}[{}]", place).values())

    def _fit_object(self, value: dict[str, Any], limit: int, place: str) -> dict[str, Any]:
        left = room = limit - 1
        least: dict[Any, int] = {}
        for key, item in value.items():
            cost = size(key, limit)
            # Each field is worth having with some of its value, or not at all
            room -= cost + min(size(item, LEAST), LEAST)
            if room < 0:
                self.items.append((place, len(least), len(value), "fields"))
                break
            least[key] = 0
            left -= cost
        kept = {key: value[key] for key in least}
        return self._shared(kept, least, left, "{}.{}" if place else "{}{}", place)

    def _shared(
        self, values: dict[Any, Any], least: dict[Any, int], left: int, form: str, place: str
    ) -> dict[Any, Any]:
        """Return the values in at most about `left` tokens, with at least `least` for each. A value
        no larger than an even share stays whole, and the rest of its share goes to the other
        values.
        """
        left -= sum(least.values())
        fitted, large = dict(values), list(values)
        while large:
            share = left // len(large)
            costs = {key: size(values[key], least[key] + share) - least[key] for key in large}
            small = [key for key in large if costs[key] <= share]
            if not small:
                break
            left -= sum(costs[key] for key in small)
            large = [key for key in large if costs[key] > share]
        for key in large:
            room = least[key] + left // len(large)
            fitted[key] = self.fit(values[key], room, form.format(place, key))
        return fitted

    def _fit_text(self, value: str, limit: int, place: str) -> str:
        room = max(0, limit - 3)
        kept = beginning(value, room)
        # Escapes count for more than one: what is too much is counted, too, or the cuts were tiny
        while (cost := size(kept, 8 * limit)) > room + 1:
            kept = kept[: len(kept) * room // cost]
        self.items.append((place, len(kept), len(value), "characters"))
        return kept + "\u2026"


def _core(value: Any) -> Any:
    """Return a value without its lists, its long texts cut: the least that remains of it in a
    list.
    """
    if isinstance(value, dict):
        return {key: _core(item) for key, item in value.items()}
    return value[: CORE * isinstance(value, str)] if isinstance(value, list | str) else value


def fit(value: Any, limit: int, cuts: Cuts | None = None) -> tuple[str, Any, Cuts]:
    """JSON data of at most about `limit` tokens: its compact text, the data, and what was cut.

    Lists and texts inside the items of a list are cut before these lose items from the end. What is
    small beside them (a cursor, a total) stays whole.
    """
    cuts = Cuts() if cuts is None else cuts
    text = compact(value)
    # A token is a byte at least
    if len(text.encode("utf-8", "surrogatepass")) <= limit:
        return text, value, cuts
    if tokens(text, limit) > limit:
        value = cuts.fit(value, limit)
        text = compact(value)
    return text, value, cuts
