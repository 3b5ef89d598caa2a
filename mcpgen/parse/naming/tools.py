"""Names of tools.

A name depends on its own operation alone: never on the order of the document, and on other
operations only where two ask for the same name. Then each gets the words of its path that
distinguish it, or else others, or else words the document describes it with; a short hash of
`METHOD path` stands where no words do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from types import MappingProxyType

from .subject import Naming, Subject
from .telling import Mark, telling_words

ROUNDS = 16
"""Most rounds in which names that still coincide get other words."""


def tool_names(
    subjects: Iterable[Subject],
    server: str,
    pinned: Mapping[str, str] = MappingProxyType({}),
    reserved: Iterable[str] = (),
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """`METHOD /path` → tool name.

    `pinned` are names that earlier runs gave (from the lock file): they are kept and no other
    operation may have them, nor those in `reserved`. `chosen` are names of the user's choice → the
    operation they are for, and no other one gets them either.
    """
    namings = [Naming(subject, server, pinned.get(subject.key)) for subject in subjects]
    owners = dict.fromkeys(reserved, "") | dict(chosen)
    for _ in range(ROUNDS):
        families = _coinciding(namings, owners)
        if not any(list(map(_distinguish, families))):
            break
    for length in (6, 12, 24):
        for group in _coinciding(namings, owners):
            for naming in group:
                naming.name = naming.marked(length)
    return {naming.subject.key: naming.name for naming in namings}


def _coinciding(namings: Iterable[Naming], owners: Mapping[str, str]) -> list[list[Naming]]:
    """Return the names that coincide with each other, or that are another operation's, in groups.

    `owners`: name → the operation it is for; for a reserved one that is none.
    """
    by_name: defaultdict[str, list[Naming]] = defaultdict(list)
    for naming in namings:
        by_name[naming.name].append(naming)
    return [
        group
        for name, group in by_name.items()
        if len(group) > 1 or owners.get(name, group[0].subject.key) != group[0].subject.key
    ]


def _distinguish(group: list[Naming]) -> bool:
    """Give each name of a group the words that it needs to differ from the others; return whether
    any changed.
    """
    rivals = {naming.subject.key: naming for naming in group}
    sources = {key: naming.candidates() for key, naming in rivals.items()}
    telling = telling_words(sources)
    count = Counter(word for each in sources.values() for source in each for word in {*source})
    if len(rivals) == 1:
        count.update(
            next(iter(rivals.values())).own
        )  # another operation has the name that these make
    most = max(1, len(rivals) - 1)
    kinds = _kinds(telling, sources)
    changed = False
    for key, naming in rivals.items():
        words = telling[key] or _rarest(sources[key][:kinds], count, most)
        changed |= naming.add(words, chain(*sources[key]))
    return changed


def _kinds(telling: Mapping[str, list[Mark]], sources: Mapping[str, list[list[str]]]) -> int:
    """Return how many sources distinguish a group, all where none does."""
    last = 0
    for key, marks in telling.items():
        for kind, source in enumerate(sources[key], 1):
            if not dict(marks).keys().isdisjoint(source):
                last = max(last, kind)
    return last or len(next(iter(sources.values())))


def _rarest(sources: Iterable[list[str]], count: Counter[str], most: int) -> list[Mark]:
    """Return the word of the first source that fewest names have, and at most so many."""
    for source in sources:
        rare = [word for word in source if count[word] <= most]
        if rare:
            return [(min(rare, key=count.__getitem__), 1)]
    return []
