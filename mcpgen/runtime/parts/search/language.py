"""Roles of the words in a query: verbs, stop words, and the subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .words import is_plural, root

READING = frozenset({"get", "list", "search"})
"""Kinds of a question, and of a query without a verb."""
CHANGING = frozenset({"create", "update"})
"""Kinds of a verb that the tables do not have."""
DELETE = "delet"
"""Root of the verb that undoes what has a verb of its own: an unpinned post is a deleted pin."""
LONGEST_PHRASE = 5
"""Words after a verb among which its particle is looked for."""


class Language:
    """Tables of English words in the index: verbs, stop words, phrases, opposites."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        """Read the tables of `content`: that of the index's file."""
        self.verbs: dict[str, list[str]] = content["verbs"]
        self._stop = frozenset(content["stop"])
        self._links = frozenset(content["links"])
        self._articles = frozenset(content["articles"])
        self._questions = frozenset(content["questions"])
        self._phrases: dict[str, dict[str, str]] = content["phrases"]
        self._opposites: dict[str, set[str]] = {}
        for left, right in content["opposites"]:
            for one, other in ((left.split(), right.split()), (right.split(), left.split())):
                for verb in one:
                    self._opposites.setdefault(verb, set()).update(other)
        self._plain_verbs: dict[str, str] = {root(verb): verb for verb in self.verbs}
        self._verb_roots = {root(verb): kinds for verb, kinds in self.verbs.items()}
        self._known = self._verb_roots.keys() | self._opposites.keys()
        self._not_nouns = self._stop | self.verbs.keys()
        self._before_verbs = self._stop - self._links - self._articles | {""}

    def content_words(self, said: list[str]) -> list[str]:
        """Return the words without stop words; all of them if none is left."""
        return [word for word in said if word not in self._stop] or said

    def plain(self, said: list[str]) -> list[str]:
        """Return the words with a verb for a phrase: `delete it` for `throw it away`."""
        start, place, verb = self.phrase(said)
        if not verb:
            return said
        return [*said[:start], verb, *said[start + 1 : place], *said[place + 1 :]]

    def phrase(self, said: list[str]) -> tuple[int, int, str]:
        """Return the places of a verb and its particle, and the verb of the same meaning:
        `unfollow` of `stop following`; 0, 0 and an empty text without such a phrase.
        """
        for start, word in enumerate(said):
            for particle, verb in self._phrases.get(word, {}).items():
                place = self._particle(said, start, particle)
                if place:
                    return start, place, verb
            verb = self._stopped(said[start : start + 2])
            if verb:
                return start, start + 1, f"un{verb}"
        return 0, 0, ""

    def in_phrase(self, said: list[str]) -> list[str]:
        """Return the verb of a phrase in a list if its kind is that of the phrase: `kick` of `kick
        out`; else an empty list: `get` of `get rid` is of another.
        """
        start, _, meaning = self.phrase(said)
        kinds = self._kinds_of([meaning])
        return [verb for verb in said[start : start + 1] if self._kinds_of([verb]) & kinds]

    def _stopped(self, said: list[str]) -> str:
        """Return `follow` of `stop following`, if this is a known verb; else an empty text."""
        if said[:1] == ["stop"] and said[-1].endswith("ing"):
            return self._plain_verbs.get(root(said[-1]), "")
        return ""

    def _particle(self, said: list[str], start: int, particle: str) -> int:
        """Return the index of the particle among the `LONGEST_PHRASE` words after its verb at
        `start`: if it is the first of them, or before a link or the end; else 0.
        """
        reach = said[start + 1 : start + 1 + LONGEST_PHRASE]
        if particle not in reach:
            return 0
        place = start + 1 + reach.index(particle)
        if place == start + 1:
            return place
        if self._links.union([""]).isdisjoint([*said, ""][place + 1 : place + 2]):
            return 0
        return place

    def kinds(self, said: list[str]) -> frozenset[str]:
        """Return the kinds of operation that the verbs of a query ask for; none without a verb.

        Many verbs are nouns as well (`order`, `post`). At the beginning and after words like `then`
        a word is a verb; the others are asked only where there is none. A question changes nothing.
        """
        kinds = self._kinds_of(self._ordered(said)) or self._kinds_of_inflected(said)
        kinds = kinds or self._kinds_of(self.content_words(said))
        if not self._questions.isdisjoint(said[:1]):
            return kinds & READING
        return kinds

    def _ordered(self, said: list[str]) -> list[str]:
        """Return the words at a verb's place: the first, and those after words like `then`."""
        preceded = zip(["", *said], said, strict=False)
        return [word for before, word in preceded if before in self._before_verbs]

    def commands(self, said: list[str]) -> frozenset[str]:
        """Return the roots of the verbs that tell what to do."""
        return frozenset(root(word) for word in self._ordered(said) if self._is_verb(word))

    def verb_of(self, named: list[str]) -> str:
        """Return the root of the first verb in the words of a tool's name; else an empty text."""
        return next((root(word) for word in named if self._is_verb(word)), "")

    def _is_verb(self, word: str) -> bool:
        return not self._known.isdisjoint(map(root, [word, *self.undone(word)]))

    def undone(self, word: str) -> list[str]:
        """Return the verb that a verb undoes, in a list: `pin` of `unpin`; empty for `unread`."""
        bases = [word.removeprefix("un")] * word.startswith("un")
        return [base for base in bases if {*self.verbs.get(base, ())} - READING]

    def opposites(self, verbs: Iterable[str]) -> frozenset[str]:
        """Return the roots of the verbs that undo `verbs` (roots), and each of these with `un`, be
        it a word or not; without `verbs`.
        """
        found = {f"un{verb}" for verb in verbs}
        for verb in verbs:
            found.update(self._opposites.get(verb, ()), self.undone(verb))
            if self.undone(verb):
                found.update(self._opposites.get(DELETE, ()))
        return frozenset(found).difference(verbs)

    def _kinds_of(self, verbs: Iterable[str]) -> frozenset[str]:
        kinds = {kind for verb in verbs for kind in self.verbs.get(verb, ())}
        return frozenset(kinds.union(*(["delete"] for verb in verbs if self.undone(verb))))

    def _kinds_of_inflected(self, said: list[str]) -> frozenset[str]:
        """Return the kinds of the first word before an article or with `-ing`: of `creates an
        order`, not of `orders for`. An unknown word before an article changes: `contest a charge`.
        """
        if len(said) < 2:
            return frozenset()
        first, second = said[:2]
        if second not in self._articles and not first.endswith("ing"):
            return frozenset()
        kinds = self._verb_roots.get(root(first), ())
        if not kinds and second in self._articles and first not in self._stop:
            return CHANGING
        return frozenset(kinds)

    def head(self, said: list[str]) -> str:
        """Return the last noun before the first `of`, `in`, `to`... after a noun; else empty."""
        nouns = [""]
        for word in said:
            if word in self._links:
                if len(nouns) > 1:
                    break
            elif word not in self._not_nouns and not _is_participle(nouns[-1:], word):
                nouns.append(word)
        return nouns[-1]


def _is_participle(before: list[str], word: str) -> bool:
    """Return whether a word says something of the plural before it: `payments received`."""
    return word.endswith(("ed", "ing")) and is_plural(before)
