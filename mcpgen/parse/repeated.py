"""Sentences that many operations of a document repeat: said once, in the server's instructions, as
far as there is room; the text about a parameter that they all have keeps its first sentence.

A model pays for a description in every conversation. What dozens of tools say alike ("The name is
not case sensitive") tells none of them apart, and costs as much as dozens of tools.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..load.values import as_list, as_object, as_text
from ..text import plain, sentences

if TYPE_CHECKING:
    from ..load.operations import DocumentedOperation
    from .schema import Reader

LEAST = 20
"""Operations that say a sentence before it counts as repeated."""
MOST = 0.8
"""The part of the texts about the same thing that say it: what holds for some must not be said of
all.
"""
ROOM = 1_400
"""Characters of repeated sentences in the instructions."""
REFERRAL = re.compile(r"(?:for more information|for more details|to learn more|see also)\b", re.I)
"""Beginning of a sentence whose link was lost when it became plain text."""

WARNING = re.compile(r"\bdeprecated\b|\bpermanently\b|cannot be undone|irreversibl", re.I)
"""Words of a sentence that counts wherever it is: `Deprecated: use the 'watch' parameter instead`.
"""
CODE = re.compile(r"`[^`]*`")

Place = str
"""The name of the parameter that a text is about; empty for a text about the operation."""
Places = dict[str, list[Place]]


class Repeated:
    """The repeated sentences of a document.

    `places`: sentence → the names of the parameters it is about, and an empty name where it is
    about operations. `patterns`: what dozens of operations say of themselves, each with other names
    in backticks. `every`: as `places`, with those for which the instructions have no room.
    """

    def __init__(self, places: Places, every: Places, patterns: frozenset[str]) -> None:
        self._places, self._every, self._patterns = places, every, patterns

    def without(self, text: str, place: Place = "") -> str:
        """A text without its repeated sentences, and without sentences that only refer to another
        text. The first sentence about a parameter stays.
        """
        return _filtered(
            text,
            lambda index, each: bool(place and not index) or not self._is_superfluous(each, place),
        )

    def telling(self, text: str, limit: int) -> str:
        """A text of an operation; one over `limit` characters without what dozens of others say of
        themselves, which tells it from none of them.
        """
        if len(text) <= limit:
            return text
        return _filtered(text, lambda _, each: _pattern(each) not in self._patterns)

    def _is_superfluous(self, sentence: str, place: Place) -> bool:
        if REFERRAL.match(sentence):
            return True
        return place in (self._every if place else self._places).get(sentence, ())

    def instructions(self) -> str:
        """The repeated sentences, each with the arguments it is about."""
        lines = []
        for sentence, places in self._places.items():
            names = ", ".join(f"`{place}`" for place in places if place)
            lines.append(f"{names}: {sentence}" if names else sentence)
        return "\n".join(lines)


def _filtered(text: str, is_kept: Callable[[int, str], bool]) -> str:
    """A text of the sentences that are kept, by their index in it and themselves."""
    lines = []
    for number, line in enumerate(text.split("\n")):
        kept = [each for index, each in enumerate(sentences(line)) if is_kept(number + index, each)]
        lines.append(" ".join(kept))
    return "\n".join(line for line in lines if line)


def _pattern(sentence: str) -> str:
    """Return the common pattern of sentences that differ only in the names in code."""
    return CODE.sub("`", sentence)


def repeated(reader: Reader, operations: Iterable[DocumentedOperation]) -> Repeated:
    """The sentences that at least `LEAST` operations say, and most of those that they could be
    about; those that cost most first.
    """
    count: Counter[tuple[str, Place]] = Counter()
    texts: Counter[Place] = Counter()
    patterns: Counter[str] = Counter()
    shown: set[str] = set()
    for operation in operations:
        said = list(_texts(reader, operation))
        texts.update({place for place, _ in said})
        later = [(sentence, place) for place, text in said for sentence in _later(text)]
        count.update(dict.fromkeys(later, 1))  # the order of a set differs from run to run
        for place, text in said:
            # Of a parameter the second sentence comes first: a list has hardly room for more
            shown.update(_later(text)[: 1 if place else None])
        own_sentences = [each for place, text in said if not place for each in _all(text)]
        patterns.update({_pattern(each) for each in own_sentences if not WARNING.search(each)})
    places: Places = {}
    weights: Counter[str] = Counter()
    for (sentence, place), times in count.items():
        is_general = times >= max(LEAST, MOST * texts[place])
        if is_general and not REFERRAL.match(sentence):
            places.setdefault(sentence, []).append(place)
            weights[sentence] += times * len(sentence)
    room = ROOM
    chosen: Places = {}
    for sentence in sorted(weights, key=lambda each: (each not in shown, -weights[each])):
        length = len(sentence) + sum(len(place) + 4 for place in places[sentence])
        if length <= room:
            room -= length
            chosen[sentence] = places[sentence]
    common = frozenset(pattern for pattern, times in patterns.items() if times >= LEAST)
    return Repeated(chosen, places, common)


def _texts(reader: Reader, operation: DocumentedOperation) -> Iterator[tuple[Place, str]]:
    """Yield the texts of an operation and of its parameters."""
    yield "", plain(operation.node.get("description"))
    for owner in (operation.path_item, operation.node):
        for entry in as_list(as_object(owner).get("parameters")):
            parameter = reader.peek(entry)
            name = as_text(parameter.get("name"))
            if name:
                yield name, plain(parameter.get("description"))


def _all(text: str) -> list[str]:
    """The sentences of a text."""
    return [sentence for line in text.split("\n") for sentence in sentences(line)]


def _later(text: str) -> list[str]:
    """The sentences of a text after its first."""
    return _all(text)[1:]
