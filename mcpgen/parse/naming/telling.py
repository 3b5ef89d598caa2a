"""Words that distinguish names: the fewest of each that no other name of a group has together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set

Mark = tuple[str, int]
"""A word of a name, and how often the name has it by then."""


def telling_words(names: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, list[Mark]]:
    """Key → the words that distinguish its name from every other; `names` have their words in
    groups, the best first.

    One word at a time, the one nearest to halving them, divides the names into those that have it
    and those that lack it; each half is divided further. A name needs the words it has on its way:
    `events` and `me` of `/me/events` beside `/users/events` and `/me/calendar`.
    """
    marks_of = {key: _marks(groups) for key, groups in names.items()}
    having: defaultdict[Mark, set[str]] = defaultdict(set)
    place: dict[Mark, tuple[int, int]] = {}
    for key, marks in marks_of.items():
        for mark, where in marks.items():
            having[mark].add(key)
            place[mark] = min(where, place.get(mark, where))
    needed: dict[str, list[Mark]] = {key: [] for key in names}
    groups = [{*names}]
    while groups:
        keys = groups.pop()
        count = Counter(mark for key in keys for mark in marks_of[key])
        dividing = sorted(mark for mark, number in count.items() if number < len(keys))
        if not dividing:
            continue
        mark = min(dividing, key=lambda mark: _worth(mark, place[mark], count[mark], len(keys)))
        for key in keys & having[mark]:
            needed[key].append(mark)
        groups += [keys & having[mark], keys - having[mark]]
    return {key: _without_implied(marks, having) for key, marks in needed.items()}


def _without_implied(marks: list[Mark], having: Mapping[Mark, Set[str]]) -> list[Mark]:
    """Return words without those that every name with another of them has: `events`, where all
    with `calendar` have it.
    """
    kept = list(marks)
    for mark in marks:
        if any(having[other] <= having[mark] for other in kept if other != mark):
            kept.remove(mark)
    return kept


def _marks(groups: Sequence[Sequence[str]]) -> dict[Mark, tuple[int, int]]:
    """Return the marks of a name, each with its group and its place there."""
    count: Counter[str] = Counter()
    marks = {}
    for group, words in enumerate(groups):
        for index, word in enumerate(words):
            count[word] += 1
            marks[word, count[word]] = (group, index)
    return marks


def _worth(mark: Mark, place: tuple[int, int], number: int, names: int) -> tuple[int, ...]:
    """Sort key of words: first those of the best group, of them the one nearest to halving the
    names, in the fewest letters.
    """
    word, times = mark
    group, index = place
    return group, times, abs(2 * number - names), group, len(word), index
