"""Names that are too long, shortened by meaning: what says least goes first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from ..vocabulary import ABBREVIATIONS, STOP_WORDS, USUAL_VERBS, VERBS, singular
from .route import PathPart, literals, parts_of

MEDIAL = 3
"""Letters a word must have to count as a part of another."""


def shorten(
    name: list[str], limit: int, path: str, toolset: Collection[str], keep: Collection[str]
) -> list[str]:
    """The words of a name, at most `limit` characters with `_` between them where that can be.

    Words said twice go first, then words of the toolset, then stop words; then words are
    abbreviated; then words from the middle go. The verb, the last two literals of the path, and the
    words to `keep` stay.
    """
    if length(name) <= limit:
        return name
    route = literals(path)
    kept = _with_abbreviations(keep)
    stays = kept | _with_abbreviations({*_verb(name), *_said_by(route[-1:], name)})
    resource = _with_abbreviations(_said_by(route[-2:-1], name))
    words = _without_prefix(name, {*toolset, *STOP_WORDS} - kept)
    words = _drop(words, limit, lambda words: _repeated(words, kept))
    words = _drop(words, limit, lambda words: _members(words, {*toolset} - stays))
    words = _drop(words, limit, lambda words: _members(words, STOP_WORDS - kept))
    words = _abbreviate(words, limit)
    words = _drop(words, limit, lambda words: _middle(words, {*words} - stays - resource))
    return _drop(words, limit, lambda words: _middle(words, {*words[1:-1]} - kept))


def length(words: list[str]) -> int:
    """The characters of a name of these words."""
    return len("_".join(words))


def _verb(words: list[str]) -> list[str]:
    """The verb of a name: the first of the usual ones, else the first there is."""
    usual = [word for word in words if word in USUAL_VERBS]
    return [*usual, *(word for word in words if word in VERBS)][:1]


def parameter_words(path: str) -> set[str]:
    """The words of a path's parameters that no literal of it says."""
    resource = {singular(word) for part in literals(path) for word in part.words}
    parameters = {word for part in parts_of(path) if part.is_parameter for word in part.words}
    return parameters - resource


def _said_by(parts: Iterable[PathPart], words: Iterable[str]) -> set[str]:
    """The words of a name that stand in parts of a path, in whatever number, or inside one of their
    words: `pod` in `podautoscalers`.
    """
    literal_words = {word for part in parts for word in part.words}
    text = " ".join(literal_words)
    inside = {word for word in words if len(word) >= MEDIAL and word in text}
    singulars = {singular(word) for word in literal_words}
    return inside | {word for word in words if singular(word) in singulars}


# What can go: the places of words, first the one that goes first.


def _repeated(words: list[str], keep: Collection[str]) -> Iterator[int]:
    """Words that are said again later."""
    singulars = list(map(singular, words))
    for index in _members(words, {*words} - {*keep}):
        if singulars[index] in singulars[index + 1 :]:
            yield index


def _members(words: list[str], group: Collection[str]) -> Iterator[int]:
    """Words of a group, from the left."""
    return (index for index, word in enumerate(words) if word in group)


def _middle(words: list[str], group: Collection[str]) -> Iterator[int]:
    """Words of a group, the one nearest to the middle first."""
    middle = (len(words) - 1) / 2
    return iter(sorted(_members(words, group), key=lambda index: (abs(index - middle), index)))


Choose = Callable[[list[str]], Iterator[int]]
"""The words of a name → the places of those that can go, first the one that goes first."""


def _drop(words: list[str], limit: int, choose: Choose) -> list[str]:
    """The words without those that are chosen, one at a time until the name is short enough."""
    while length(words) > limit and len(words) > 1:
        index = next(choose(words), None)
        if index is None:
            break
        words = [*words[:index], *words[index + 1 :]]
    return words


def _without_prefix(words: list[str], empty: Collection[str]) -> list[str]:
    """A name without what stands before its verb, where those words say nothing."""
    for index, word in enumerate(words[:-1]):
        if word in USUAL_VERBS:
            return words[index:]
        if word not in empty:
            break
    return words


def _abbreviate(words: list[str], limit: int) -> list[str]:
    """Words with abbreviations, those that save most first, until the name is short enough."""
    words = list(words)
    savings = [len(word) - len(ABBREVIATIONS.get(word, word)) for word in words]
    for index in sorted(range(len(words)), key=lambda index: -savings[index]):
        if length(words) > limit:
            words[index] = ABBREVIATIONS.get(words[index], words[index])
    return words


def _with_abbreviations(words: Iterable[str]) -> set[str]:
    words = {*words}
    return words | {ABBREVIATIONS.get(word, word) for word in words}
