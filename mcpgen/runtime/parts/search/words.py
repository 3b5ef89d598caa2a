"""Split texts into words, and words into stems and roots."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import cache

_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_ACRONYMS = re.compile(r"^([^aeiouy\d]{2,})s$")
"""Plurals without a vowel, which a stemmer takes for no words."""
_Y = re.compile(r"(?<=[a-z]{2})(?:ies|ied|y)$")
_ENDING = re.compile(r"(?<=[a-z]{2})(?:es|s|ed|ing|e)$")
"""Endings of number and tense."""
_DOUBLE = re.compile(r"(.)\1$")
_LONGEST = 40
"""Characters of a word that count; a longer one is a key or an encoded value."""


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, or of a name in any convention (`listBooks`)."""
    return [word.lower()[:_LONGEST] for word in _WORD.findall(text.replace("'s ", " "))]


def is_plural(said: list[str]) -> bool:
    """Return whether the last of some words looks like a plural, or is the word `list`."""
    if not said:
        return False
    word = said[-1]
    return word == "list" or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def stems(texts: Iterable[str]) -> list[str]:
    """Return the stem of each word, in the same order."""
    return [stem(word) for word in texts]


@cache
def stem(word: str) -> str:
    """Return the stem of a lower-case word: `book` of `books`, `pr` of `prs`."""
    return _stemmer()(_ACRONYMS.sub(r"\1", word))


@cache
def root(word: str) -> str:
    """Return a lower-case word without its ending of number or tense, or the stem if that cuts no
    more, or just `-ly`: `terminal` and `terminate` have one stem and two roots, `activates` and
    `activated` one root.
    """
    term = stem(word)
    base = _Y.sub("i", word)
    if not base.endswith(("ss", "us", "is")):
        base = _ENDING.sub("", base)
    if term in (base, f"{base}e", _DOUBLE.sub(r"\1", base), word.removesuffix("ly")):
        return term
    return base


@cache
def _stemmer() -> Callable[[str], str]:
    """Return the Snowball stemmer for English where its package is installed (the extra `lazy`).

    Elsewhere words of a query stay as they are, and are compared with the beginnings of the index's
    stems.
    """
    try:
        package = importlib.import_module("snowballstemmer")
    except ImportError:
        return _as_it_is
    english: Callable[[str], str] = package.stemmer("english").stemWord
    return english


def _as_it_is(word: str) -> str:
    """Return a word as its stem: unchanged, but with `i` for `y` at the end, as in the index."""
    if len(word) > 2 and word.endswith("y"):
        return f"{word[:-1]}i"
    return word
