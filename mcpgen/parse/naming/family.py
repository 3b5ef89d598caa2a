"""Families: operations that one word of their own each does not tell apart.

Where an API repeats its resources under many others (`/users/{id}/calendars/{id}/events` and
`/me/events`), only several words together tell an operation from the rest, and a name has no room
for all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from ..vocabulary import singular
from .route import parts_of
from .shorten import parameter_words
from .subject import Naming

ROUNDS = 16
"""Most rounds in which names that still coincide get more words."""
Mark = tuple[str, int]
"""A word of a name, and how often the name has it by then."""


def tell_families_apart(
    families: Iterable[list[Naming]], namings: Collection[Naming], owners: Mapping[str, str]
) -> None:
    """Give the names of each family in which one has no words yet those that they need together,
    and then those that coincide all the same.

    `families` are names that are equal on their own; `owners`: name → the operation it is for.
    """
    needed: defaultdict[str, list[str]] = defaultdict(list)
    groups = [family for family in families if any(each.ends_in_hash for each in family)]
    for _ in range(ROUNDS):
        for group in groups:
            _tell_apart(group, needed)
        groups = coinciding(namings, owners)
        if not groups:
            break


def _tell_apart(group: Sequence[Naming], needed: defaultdict[str, list[str]]) -> None:
    words = {naming.subject.key: _words(naming) for naming in group}
    telling = telling_words({key: own + others for key, (own, others) in words.items()})
    if not any(telling.values()):
        return
    for naming in group:
        key = naming.subject.key
        needed[key] += telling[key]
        own, others = words[key]
        naming.spell_with(own + [word for word in others if word in needed[key]], needed[key])


def _words(naming: Naming) -> tuple[list[str], list[str]]:
    """The words of a name, but for those it has more often than the path; and those that the path
    alone has.
    """
    path = naming.subject.path
    rest = [text for part in parts_of(path) if not part.is_parameter for text in part.words]
    foreign = {*map(singular, rest)} | parameter_words(path)
    own: list[str] = []
    for text in naming.own_words():
        same = [word for word in rest if singular(word) == singular(text)]
        if same:
            rest.remove(text if text in same else same[0])
            own.append(text)
        elif singular(text) not in foreign:
            foreign.add(singular(text))
            own.append(text)
    return own, rest


def telling_words(names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Key → the words that tell its name from every other.

    One word at a time, the one nearest to halving them, divides the names into those that have it
    and those that lack it; each half is divided further. A name needs the words it has on its way.
    """
    marks_of = {key: _marks(words) for key, words in names.items()}
    having: defaultdict[Mark, set[str]] = defaultdict(set)
    for key, marks in marks_of.items():
        for mark in marks:
            having[mark].add(key)
    needed: dict[str, list[Mark]] = {key: [] for key in names}
    groups = [{*names}]
    while groups:
        keys = groups.pop()
        count = Counter(mark for key in keys for mark in marks_of[key])
        dividing = [mark for mark, number in count.items() if number < len(keys)]
        if not dividing:
            continue
        mark = min(dividing, key=lambda mark: _worth(mark, count[mark], len(keys)))
        for key in keys & having[mark]:
            needed[key].append(mark)
        groups += [keys & having[mark], keys - having[mark]]
    return {key: _without_implied(marks, having) for key, marks in needed.items()}


def _without_implied(marks: list[Mark], having: Mapping[Mark, Set[str]]) -> list[str]:
    """Words without those that every name with another of them has: `events` goes, where all with
    `calendar` have it.
    """
    kept = list(marks)
    for mark in marks:
        if any(having[other] <= having[mark] for other in kept if other != mark):
            kept.remove(mark)
    return [word for word, _ in kept]


def _marks(words: Iterable[str]) -> set[Mark]:
    count: Counter[str] = Counter()
    marks = set()
    for word in words:
        count[word] += 1
        marks.add((word, count[word]))
    return marks


def _worth(mark: Mark, number: int, names: int) -> tuple[int, int, int, str]:
    """Sort key of words: first the one nearest to halving the names, in the fewest letters."""
    word, times = mark
    return times, abs(2 * number - names), len(word), word


def equal_names(namings: Iterable[Naming]) -> list[list[Naming]]:
    """The names in groups of those that are equal now."""
    by_name: defaultdict[str, list[Naming]] = defaultdict(list)
    for naming in namings:
        by_name[naming.name].append(naming)
    return [*by_name.values()]


def coinciding(namings: Iterable[Naming], owners: Mapping[str, str]) -> list[list[Naming]]:
    """The names that coincide with each other, or that are another operation's, in groups.

    `owners`: name → the operation it is for; for a reserved one that is none.
    """
    groups = []
    for group in equal_names(namings):
        name = group[0].name
        is_foreign = any(owners.get(name, each.subject.key) != each.subject.key for each in group)
        if len(group) > 1 or is_foreign:
            groups.append(group)
    return groups
