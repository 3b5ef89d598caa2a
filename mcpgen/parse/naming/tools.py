"""Names of tools.

A name depends on its own operation alone: never on the order of the document, and on other
operations only where two ask for the same name. Then each gets a word of its own method or path
that the others lack, or else the words that tell it apart together, or else a word the document
describes it with; a short hash of `METHOD path` stands where no words do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from .family import coinciding, equal_names, tell_families_apart
from .subject import Naming, Subject

ROUNDS = 8
"""Most rounds in which colliding names get another word."""


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
    namings = {subject.key: Naming(subject, server) for subject in subjects}
    families = equal_names(namings.values())
    for key, naming in namings.items():
        naming.pin(pinned.get(key))
    owners = dict.fromkeys(reserved, "") | dict(chosen)
    for _ in range(ROUNDS):
        groups = coinciding(namings.values(), owners)
        for group in groups:
            _tell_apart(group)
        if not groups:
            break
    tell_families_apart(families, namings.values(), owners)
    for group in coinciding(namings.values(), owners):
        _tell_apart_by_sentence(group)
    for length in (6, 12, 24):
        for group in coinciding(namings.values(), owners):
            for naming in group:
                naming.mark(length)
    return {key: naming.name for key, naming in namings.items()}


def _tell_apart(group: list[Naming]) -> None:
    """Give each name of a group a word that no other operation has, or else one that no other name
    had before it was shortened, or else the words that some lack, or else what no other has of the
    last resorts.
    """
    candidates = {naming.subject.key: naming.candidates() for naming in group}
    last_resorts = Counter(word for naming in group for word in naming.last_resorts())
    count = Counter(word for own in candidates.values() for word in own)
    in_names = Counter(word for naming in group for word in {*naming.words})
    for naming in group:
        if naming.is_pinned:
            continue
        new = [word for word in candidates[naming.subject.key] if word not in naming.telling]
        unique = [word for word in new if count[word] == 1]
        own = [word for word in new if in_names[word] == 1 == naming.words.count(word)]
        lacking = [word for word in new if count[word] < len(group)]
        last = [word for word in naming.last_resorts() if last_resorts[word] == 1]
        choices = (unique[:1], own[:1], lacking[:2], last[:1])
        naming.add(next(filter(None, choices), []))


def _tell_apart_by_sentence(group: list[Naming]) -> None:
    """Give each name of a group the first word of its sentence that no other sentence has."""
    count = Counter(word for naming in group for word in {*naming.sentence_words()})
    for naming in group:
        unique = [word for word in naming.sentence_words() if count[word] == 1]
        if unique and not naming.is_pinned:
            naming.add(unique[:1])
