"""Sentences that many operations of a document repeat: said once, in the server's instructions, as
far as there is room; the text about a parameter that they all have keeps its first sentence.

A model pays for a description in every conversation, and what dozens of tools say alike ("The name
is not case sensitive") tells none of them apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..load.values import as_list, as_object, as_text
from ..text import plain, sentences
from .security import SCOPE

if TYPE_CHECKING:
    from ..load.operations import DocumentedOperation
    from .schema import Reader

LEAST = 20
"""Operations with a sentence before it counts as repeated."""
MOST = 0.8
"""Share of the texts about a thing with the sentence: less is not said of all."""
ROOM = 1_400
"""Characters of repeated sentences in the instructions."""
REFERRAL = re.compile(r"(?:for more information|for more details|to learn more|see also)\b", re.I)
"""Beginning of a sentence whose link was lost when it became plain text."""

WARNING = re.compile(r"\bdeprecated\b|\bpermanently\b|cannot be undone|irreversibl", re.I)
"""Words of a sentence that always counts: `Deprecated: use the 'watch' parameter`."""
CODE = re.compile(r"`[^`]*`")

Place = str
"""The name of the parameter that a text is about; empty for a text about the operation."""
Places = dict[str, list[Place]]


class Repeated:
    """The repeated sentences of a document.

    `places`: each sentence of the instructions → the parameters it is about, with an empty name for
    operations. `every`: likewise, with sentences that do not fit there. `patterns`: sentences that
    dozens of operations say of themselves, each with other names in backticks.
    """

    def __init__(self, places: Places, every: Places, patterns: frozenset[str]) -> None:
        self._places, self._every, self._patterns = places, every, patterns

    def without(self, text: str, place: Place = "") -> str:
        """Return a text without its repeated sentences, and without sentences that only refer to
        another text or name the scopes of a credential. The first other sentence about a parameter
        stays.
        """
        known = self._every if place else self._places
        first = _all(text)[:1] if place else []

        def is_telling(sentence: str) -> bool:
            if SCOPE.match(sentence):
                return False
            if sentence in first:
                return True
            return not REFERRAL.match(sentence) and place not in known.get(sentence, ())

        return filtered(text, is_telling)

    def distinctive(self, text: str, limit: int) -> str:
        """Return a text of an operation; if it has over `limit` characters, without sentences
        shared by dozens of operations.
        """
        if len(text) <= limit:
            return text
        return filtered(text, lambda sentence: _pattern(sentence) not in self._patterns)

    def instructions(self) -> str:
        """Return the repeated sentences, each on a line behind the arguments it is about."""
        lines = []
        for sentence, places in self._places.items():
            names = ", ".join(f"`{place}`" for place in places if place)
            lines.append(f"{names}: {sentence}" if names else sentence)
        return "\n".join(lines)


def filtered(text: str, is_kept: Callable[[str], bool]) -> str:
    """Return a text with only the sentences for which `is_kept` is true, on their lines."""
    lines = [" ".join(filter(is_kept, sentences(line))) for line in text.split("\n")]
    return "\n".join(filter(None, lines))


def _pattern(sentence: str) -> str:
    """Return the common pattern of sentences that differ only in the names in code."""
    return CODE.sub("`", sentence)


def repeated(reader: Reader, operations: Iterable[DocumentedOperation]) -> Repeated:
    """Return the sentences that at least `LEAST` operations have, and 80 % of the texts about a
    thing: first sentences that a list would show, then the costliest.
    """
    count: Counter[tuple[str, Place]] = Counter()
    texts: Counter[Place] = Counter()
    patterns: Counter[str] = Counter()
    shown: set[str] = set()
    for operation in operations:
        said = _texts(reader, operation)
        texts.update(said.keys())
        own = [each for each in _all(said[""]) if not WARNING.search(each)]
        patterns.update({*map(_pattern, own)})
        for place, text in said.items():
            later = dict.fromkeys(_all(text)[1:])  # the order of a set differs from run to run
            count.update((sentence, place) for sentence in later)
            # Of a parameter the second sentence comes first: a list has hardly room for more
            shown.update([*later][: 1 if place else None])
    places: Places = {}
    weights: Counter[str] = Counter()
    for (sentence, place), times in count.items():
        if times < max(LEAST, MOST * texts[place]) or REFERRAL.match(sentence):
            continue
        places.setdefault(sentence, []).append(place)
        weights[sentence] += times * len(sentence)
    common = frozenset(pattern for pattern, times in patterns.items() if times >= LEAST)
    by_worth = sorted(weights, key=lambda each: (each not in shown, -weights[each]))
    return Repeated(_fitting(by_worth, places), places, common)


def _fitting(sentences: Iterable[str], places: Places) -> Places:
    """Return the sentences for which the instructions have room."""
    room = ROOM
    chosen: Places = {}
    for sentence in sentences:
        length = len(sentence) + sum(len(place) + 4 for place in places[sentence])
        if length <= room:
            room -= length
            chosen[sentence] = places[sentence]
    return chosen


def _texts(reader: Reader, operation: DocumentedOperation) -> dict[Place, str]:
    """Return parameter → its text in an operation; the operation's own under an empty name."""
    texts = {"": plain(operation.node.get("description"))}
    for owner in (operation.path_item, operation.node):
        for entry in as_list(as_object(owner).get("parameters")):
            parameter = reader.peek(entry)
            name = as_text(parameter.get("name"))
            if name:
                texts[name] = plain(parameter.get("description"))
    return texts


def _all(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [sentence for line in text.split("\n") for sentence in sentences(line)]
