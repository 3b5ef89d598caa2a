"""Make data fit for a model: leave out fields and change texts on one walk (`Sieve`)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
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

PART = "answer_part"
"""Argument that asks for the part of an answer from a place on: `accounts[0].rows[113:]`."""


class Answered:
    """Base class of an API's answer (`results.answer.Answer`), which not every server has."""


class Failed(Exception):
    """Base class of a failed request (`client.ApiError`), which not every server has."""


class TooDeep(ValueError):
    """Data nested deeper than programs downstream can take."""


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """Return a name in lower case, letters and digits alone: `user_ID` -> `userid`."""
    return "".join(character for character in name.lower() if character.isalnum())


def visible(text: str) -> str:
    """Return a text with each character that is invisible or steers the display replaced by U+FFFD;
    tab, line feed and what joins letters or emoji stay, CR LF becomes LF.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return _INVISIBLE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    """Return U+FFFD for each character of a match, but unchanged a selector after a letter or emoji
    and a joiner between two: Persian, Indic scripts and emoji are written with them.
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


_NESTED = (dict, list, tuple)


@dataclass(frozen=True, slots=True)
class Sieve:
    """Walk over JSON data: `text` changes every text and key, members with one of the folded names
    in `hidden` are left out, and with `strip_nulls` null members. A tuple becomes a list.
    """

    text: Callable[[str], str] = str
    hidden: frozenset[str] = frozenset()
    strip_nulls: bool = False
    deepest: int = sys.maxsize

    def of(self, value: Any, depth: int = 0) -> Any:
        """Return a changed copy of a value. Raises TooDeep below the level `deepest`."""
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, _NESTED):
            return value
        if depth > self.deepest:
            raise TooDeep
        depth += 1
        if not isinstance(value, dict):
            return [self.of(item, depth) for item in value]
        return {self.text(key): self.of(item, depth) for key, item in self._members(value)}

    def _members(self, value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
        members: Iterable[tuple[str, Any]] = value.items()
        if self.strip_nulls:
            members = [(key, item) for key, item in members if item is not None]
        if self.hidden:
            members = [(key, item) for key, item in members if fold(key) not in self.hidden]
        return members


class Masks:
    """Masks secrets in texts (`secrets.Redactor`); on a server without secrets there are none."""

    is_needed = False

    def __call__(self, text: str) -> str:
        """Return a text with every secret masked; here unchanged."""
        return text

    def data(self, value: Any) -> Any:
        """Return JSON data with every secret in its texts and keys masked."""
        return Sieve(self).of(value) if self.is_needed else value


NOTE = "not shown: it names a field that this server withholds"


class Shown:
    """Shows every field of data; the subclass `withholding.Withheld` leaves some out."""

    def without(
        self, value: Any, text: Callable[[str], str] = str, deepest: int = sys.maxsize
    ) -> Any:
        """Return JSON data, texts and keys changed by `text`. Raises TooDeep below `deepest`."""
        return Sieve(text, deepest=deepest).of(value)

    def named_in(self, text: str) -> bool:
        """Return whether a text names a field that is not shown; here false."""
        return False


def withheld(names: Collection[str]) -> Any:
    """Return a `Shown` for data without the fields of these names, at any depth."""
    if not names:
        return Shown()
    # Only servers that withhold fields have this module
    return import_module(".withholding", __package__).Withheld(names)


def sendable(value: Any) -> Any:
    """Return JSON data with each half of a surrogate pair, which UTF-8 cannot encode, replaced by
    U+FFFD: a server that tries stops.
    """
    return Sieve(_well_formed).of(value)


def _well_formed(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
