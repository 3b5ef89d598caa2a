"""Which words tell names apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

from ..vocabulary import singular
from .route import parts_of
from .shorten import parameter_words


class Word(NamedTuple):
    """A word of a name, and the literal of the path that says it; empty for none."""

    text: str
    literal: str


class Mark(NamedTuple):
    """A word, and how often the name has said it by then."""

    word: Word
    number: int


Names = Mapping[str, Mapping[Mark, int]]
"""Key → the marks of its name, each with its place."""


def words_with_literals(words: Iterable[str], path: str) -> tuple[list[Word], list[Word]]:
    """The words of a name, but for those it says more often than the path does; and the words
    that the path alone says.
    """
    parts = [part for part in parts_of(path) if not part.is_parameter]
    rest = [Word(text, "_".join(part.words)) for part in parts for text in part.words]
    foreign = {singular(word.text) for word in rest} | parameter_words(path)
    own: list[Word] = []
    for text in words:
        one = singular(text)
        same = [word for word in rest if word.text == text]
        same += [word for word in rest if singular(word.text) == one]
        if same:
            rest.remove(same[0])
            own.append(Word(text, same[0].literal))
        elif one not in foreign:
            foreign.add(one)
            own.append(Word(text, ""))
    return own, rest


def telling_places(names: Mapping[str, Sequence[Word]]) -> dict[str, set[int]]:
    """Key → the places of the words that tell its name from every other.

    One word at a time divides the names into those that have it and those that lack it; each half
    is divided further. A name needs the words it has on its way, but for those that every name
    with another of them has too.
    """
    marks_of = {key: _marks(words) for key, words in names.items()}
    order = _order(marks_of)
    without_implied = _without_implied(_having(marks_of), order)
    telling: dict[str, set[Mark]] = {key: set() for key in names}
    needed: dict[str, set[Mark]] = {}
    groups = [sorted(names)]
    while groups:
        keys = groups.pop()
        mark = _dividing_mark([marks_of[key] for key in keys], order)
        if mark is None:
            needed |= {key: without_implied(telling[key]) for key in keys}
            continue
        for key in keys:
            if mark in marks_of[key]:
                telling[key].add(mark)
        groups.append([key for key in keys if mark in marks_of[key]])
        groups.append([key for key in keys if mark not in marks_of[key]])
    return {key: {marks_of[key][mark] for mark in marks} for key, marks in needed.items()}


def _marks(words: Iterable[Word]) -> dict[Mark, int]:
    """The marks of a name, each with its place."""
    count: Counter[Word] = Counter()
    marks = {}
    for place, word in enumerate(words):
        count[word] += 1
        marks[Mark(word, count[word])] = place
    return marks


def _having(names: Names) -> Mapping[Mark, Set[str]]:
    """Mark → the names that have it."""
    having: defaultdict[Mark, set[str]] = defaultdict(set)
    for key, marks in names.items():
        for mark in marks:
            having[mark].add(key)
    return having


Order = Callable[[Mark], tuple[int, int, int, Mark]]
"""Sort key of marks: first the most distinguishing one in the fewest letters."""


def _order(names: Names) -> Order:
    """A word that is said twice comes late, and so does one that many literals have."""
    marks = {mark for own in names.values() for mark in own}
    literals = Counter(mark.word.text for mark in marks)
    return lambda mark: (mark.number, literals[mark.word.text], len(mark.word.text), mark)


def _dividing_mark(names: Sequence[Iterable[Mark]], order: Order) -> Mark | None:
    """The mark that comes nearest to halving the names."""
    count = Counter(mark for marks in names for mark in marks)
    dividing = [mark for mark, number in count.items() if number < len(names)]

    def off_the_middle(mark: Mark) -> tuple[int, int]:
        return mark.number, abs(2 * count[mark] - len(names))

    return min(dividing, key=lambda mark: (off_the_middle(mark), order(mark)), default=None)


def _without_implied(
    having: Mapping[Mark, Set[str]], order: Order
) -> Callable[[Set[Mark]], set[Mark]]:
    """Return a function that drops marks implied by others: `events` is implied by `calendar` if
    every name with `calendar` has `events`. A repeated word keeps its first places.
    """

    @cache
    def implies(one: Mark, other: Mark) -> bool:
        return having[one] <= having[other]

    def without_implied(marks: Set[Mark]) -> set[Mark]:
        kept = set(marks)
        for mark in sorted(marks, key=order, reverse=True):
            if any(implies(other, mark) for other in kept - {mark}):
                kept.remove(mark)
        return {Mark(word, number) for word, last in kept for number in range(1, last + 1)}

    return without_implied
