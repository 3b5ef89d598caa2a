"""Names that are too long, shortened by meaning: the words of least worth go first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..vocabulary import ABBREVIATIONS, STOP_WORDS, USUAL_VERBS, VERBS, singular
from .route import PathPart, literals

MEDIAL = 3
"""Letters a word must have to count as a part of another."""
REPEATED, TOOLSET, STOP, OTHER, RESOURCE, KEPT = range(6)
"""Ranks of words, the first to go first."""


def shorten(
    words: list[str], limit: int, path: str, toolset: Collection[str], keep: Mapping[str, int]
) -> list[str]:
    """Return a name of at most `limit` characters where that can be.

    What precedes the verb goes first where the toolset says it, if the rest names the resource.
    Then words that come again later go, then words of the toolset, then stop words; then words are
    abbreviated; then words go from the middle outwards, at last those of the path's end. The words
    to `keep` stay, the last ones of each as often as is given.
    """
    if length(words) <= limit:
        return words
    start = next((index for index, word in enumerate(words[:-1]) if word in USUAL_VERBS), 0)
    is_said = {*words[:start]} <= {*toolset, *STOP_WORDS} - {*keep}
    if is_said and _words_in(literals(path)[-1:], words[start:]):
        words = words[start:]
    ranks = _ranks(words, path, toolset, keep)
    left = dict(enumerate(words))
    for index in sorted(left, key=lambda index: (ranks[index], index)):
        if len(left) > 1 and ranks[index] <= STOP and length(left.values()) > limit:
            del left[index]
    for index in sorted(left, key=lambda index: -_saving(words[index])):
        if length(left.values()) > limit:
            left[index] = ABBREVIATIONS.get(words[index], words[index])
    middle = sum(left) / len(left)
    for index in sorted(left, key=lambda index: (ranks[index], abs(index - middle))):
        if len(left) > 1 and STOP < ranks[index] < KEPT and length(left.values()) > limit:
            del left[index]
    return [*left.values()]


def _ranks(
    words: list[str], path: str, toolset: Collection[str], keep: Mapping[str, int]
) -> list[int]:
    """Return the rank of each word of a name."""
    route = literals(path)
    end = {*_verb(words), *_words_in(route[-1:], words)}
    resource = end | _words_in(route[-2:-1], words)
    singulars = list(map(singular, words))
    ranks = []
    for index, word in enumerate(words):
        if words[index:].count(word) <= keep.get(word, 0):
            rank = KEPT
        elif singulars[index] in singulars[index + 1 :]:
            rank = REPEATED
        elif word in toolset and word not in end:
            rank = TOOLSET
        elif word in STOP_WORDS:
            rank = STOP
        elif word not in resource:
            rank = OTHER
        else:
            rank = RESOURCE
        ranks.append(rank)
    return ranks


def length(words: Collection[str]) -> int:
    """Return the characters of a name of these words."""
    return sum(map(len, words)) + len(words) - 1


def _saving(word: str) -> int:
    return len(word) - len(ABBREVIATIONS.get(word, word))


def _verb(words: list[str]) -> list[str]:
    """Return the verb of a name: the first of the usual ones, else the first there is."""
    usual = [word for word in words if word in USUAL_VERBS]
    return [*usual, *(word for word in words if word in VERBS)][:1]


def _words_in(parts: Iterable[PathPart], words: Iterable[str]) -> set[str]:
    """Return the words of a name that parts of a path have; also within one, as `pod` in `pods`."""
    literal_words = {word for part in parts for word in part.words}
    text = " ".join(literal_words)
    singulars = {*map(singular, literal_words)}
    return {
        word
        for word in words
        if singular(word) in singulars or (len(word) >= MEDIAL and word in text)
    }
