"""Meanings of the values of an enum: names and texts beside the values in the document.

JSON Schema writes a `oneOf` of a `const` with a `title`. Generators of code write extensions: a
list in the order of the values (`x-enum-varnames`), an object by value, or a list of objects
(`x-ms-enum`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..load.values import as_list, as_object, as_text, first_text
from ..runtime.results import fold
from ..text import plain, shorten

Meaning = tuple[str, str]
"""The name and the description of a value, each empty where the document has none."""

ABOUT = re.compile("desc|comment|summar|doc", re.I)
"""The key of an extension with descriptions; others have names."""
LONGEST = 80
"""Characters of the description of one value."""
MOST = 450
"""Characters of names and descriptions; beyond it names alone are said."""
MOST_NAMES = 1500
"""Characters of names."""


def meanings_of(base: dict[str, Any], keys: list[str], values: list[Any]) -> tuple[Meaning, ...]:
    """Return the meaning of each value of an enum, by the extensions of these keys; empty where no
    value has one.
    """
    found: dict[str, Meaning] = {}
    for key in keys:
        for value, entry in _entries(base[key], as_list(base.get("enum"))):
            name, text = found.get(value, ("", ""))
            own_name, own_text = _meaning(entry, is_text=ABOUT.search(key) is not None)
            found[value] = name or own_name, text or own_text
    return aligned(found, values)


def aligned(found: dict[str, Meaning], values: list[Any]) -> tuple[Meaning, ...]:
    """Return the meanings of values in their order, from those by the value as text."""
    if not any(map(any, found.values())):
        return ()
    return tuple(found.get(shown(value), ("", "")) for value in values)


def shown(value: Any) -> str:
    """Return a value of an enum as text: a text unchanged, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _entries(written: Any, values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what an extension has about single values, each with the value as text."""
    if isinstance(written, dict):
        yield from ((value, written[value]) for value in map(shown, values) if value in written)
        written = written.get("values")
    entries = as_list(written)
    by_value = [entry for entry in map(as_object, entries) if "value" in entry]
    if by_value:
        yield from ((shown(entry["value"]), entry) for entry in by_value)
    elif len(entries) == len(values):
        yield from zip(map(shown, values), entries, strict=True)


def _meaning(entry: Any, *, is_text: bool) -> Meaning:
    if isinstance(entry, dict):
        name = first_text(*map(entry.get, ("name", "title", "label")))
        return name, as_text(entry.get("description"))
    return ("", as_text(entry)) if is_text else (as_text(entry), "")


def told(values: list[Any], meanings: tuple[Meaning, ...], known: str) -> list[str]:
    """Return the meanings in words, `0 TEXT, 2 VOICE`, the longest text first; none if the
    description `known` already has all of them.
    """
    names: list[str] = []
    texts: list[str] = []
    for value, (written, about) in zip(map(shown, values), meanings, strict=False):
        name, text = map(_short, (written, about))
        if fold(name) == fold(value):
            name = ""
        if fold(text) in (fold(value), fold(name)):
            text = ""
        named = f"{value} {name}".strip()
        names += [named] * bool(name)
        texts += [f"{named}: {text}" if text else named] * any((name, text))
    if all(fold(each) in fold(known) for each in texts):
        return []
    whole = "; ".join(texts)
    choices = [", ".join(names)]
    if texts != names and len(whole) <= MOST:
        choices.insert(0, whole)
    return list(filter(_fits, choices))


def _fits(text: str) -> bool:
    return 0 < len(text) <= MOST_NAMES


def _short(text: str) -> str:
    """Return a name or a description in one line of at most 80 characters."""
    return shorten(plain(text).replace("\n", " "), LONGEST)
