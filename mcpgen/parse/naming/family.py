"""Families: operations that one word of their own each does not tell apart.

Where an API repeats its resources under many others (`/users/{id}/calendars/{id}/events` and
`/me/events`), only several words together tell an operation from the rest, and a name has no room
for all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ..vocabulary import STOP_WORDS, USUAL_VERBS, VERBS
from .route import literals
from .shorten import fitted, without_vowels
from .subject import Naming, tool_limit
from .telling import Word, telling_places, words_with_literals

ROUNDS = 16
"""Most rounds in which colliding names are joined into one family, or get more words."""


@dataclass(slots=True)
class _Member:
    """An operation in its family."""

    naming: Naming
    words: list[Word]
    """The words of its name, then those that its path alone says."""
    own: int
    """Number of these words that are from its name."""
    ends: list[str]
    """The last two literals of its path, the last one first."""
    needed: set[int] = field(default_factory=set)
    """The places of the words that tell it from the family."""

    def spellings(self, lacking: Mapping[str, int]) -> list[list[str]]:
        """The words that can be its name, the best first: the needed ones, the verb and the words
        of the resource and its owner; or of the resource the last word alone.

        `lacking`: word → how many of the family lack it, which is what it is worth.
        """
        words = {place: word.text for place, word in enumerate(self.words) if self._is_said(place)}
        limit = tool_limit(self.naming.server)
        resource, owner = self._ends()
        usual = {place for place, word in words.items() if word in USUAL_VERBS}
        verbs = [place for place, word in words.items() if word in VERBS]
        keep = self.needed | (usual or {*verbs[-1:]})
        least = [] if self.needed.intersection(resource) else resource[-1:]
        by_worth = sorted(
            words, key=lambda place: (words[place] not in STOP_WORDS, lacking[words[place]], place)
        )
        *spellings, shortest = (
            fitted(words, limit, by_worth, keep | {*kept})
            for kept in (resource + owner, resource, resource[-1:] + owner, least)
        )
        return [*spellings, shortest, without_vowels(shortest, limit)]

    def _is_said(self, place: int) -> bool:
        return place < self.own or place in self.needed

    def _ends(self) -> tuple[list[int], list[int]]:
        """The places of the words of the path's last literal, and of the last word of the one
        before where none of that is needed anyway.
        """
        ends = [self._places(name) for name in self.ends] + [[], []]
        owner = [] if self.needed.intersection(ends[1]) else ends[1][-1:]
        return ends[0], owner

    def _places(self, literal: str) -> list[int]:
        """The places of the words of a literal, of each the last."""
        places = {
            word: place
            for place, word in enumerate(self.words)
            if word.literal == literal and self._is_said(place)
        }
        return sorted(places.values())


def _member(naming: Naming) -> _Member:
    path = naming.subject.path
    own, others = words_with_literals(naming.own_words(), path)
    ends = ["_".join(part.words) for part in reversed(literals(path)[-2:])]
    return _Member(naming, own + others, len(own), ends)


class Families:
    """The operations of a document by the names they would have on their own."""

    def __init__(self, namings: Collection[Naming]) -> None:
        by_name: defaultdict[str, list[Naming]] = defaultdict(list)
        for naming in namings:
            by_name[naming.name].append(naming)
        self.namings = namings
        self.families = by_name.values()
        self.family = {each.subject.key: family for family in self.families for each in family}
        self.members: dict[str, _Member] = {}

    def tell_apart(self, owners: Mapping[str, str]) -> None:
        """Tell the operations of each family apart where one of them has no name yet.

        `owners`: name → the operation it is for.
        """
        for family in self.families:
            if any(naming.ends_in_hash for naming in family):
                self._tell_family_apart(family)
        for _ in range(ROUNDS):
            groups = coinciding(self.namings, owners)
            if not groups:
                return
            grown = self._grown(groups)
            for family in grown:
                self._tell_family_apart(family)
            if grown:
                continue
            for group in groups:
                self._need({each.subject.key: self._texts(each) for each in group})
                self._spell(group, self.family[group[0].subject.key])

    def _grown(self, groups: Iterable[Collection[Naming]]) -> list[list[Naming]]:
        """Families of which a group has just become part, or that were not told apart yet.

        Operations that coincide are one family, with all that those they belong to have.
        """
        grown: dict[int, list[Naming]] = {}
        for group in groups:
            families = {id(own): own for own in (self.family[each.subject.key] for each in group)}
            first, *others = families.values()
            if not others and first[0].subject.key in self.members:
                continue
            joined = [naming for family in families.values() for naming in family]
            self.family |= {naming.subject.key: joined for naming in joined}
            grown = {key: family for key, family in grown.items() if key not in families}
            grown[id(joined)] = joined
        return [*grown.values()]

    def _tell_family_apart(self, family: Collection[Naming]) -> None:
        words = {}
        for naming in family:
            key = naming.subject.key
            if key not in self.members:
                self.members[key] = _member(naming)
            words[key] = self.members[key].words
        self._need(words)
        self._spell(family, family)

    def _texts(self, naming: Naming) -> list[Word]:
        """The words of a name without their literals."""
        return [Word(word.text, "") for word in self.members[naming.subject.key].words]

    def _need(self, words: Mapping[str, list[Word]]) -> None:
        for key, places in telling_places(words).items():
            self.members[key].needed |= places

    def _spell(self, group: Iterable[Naming], family: Collection[Naming]) -> None:
        said = Counter(word for naming in family for word in {*self._texts(naming)})
        lacking = {word.text: len(family) - count for word, count in said.items()}
        for naming in group:
            naming.spell_as(self.members[naming.subject.key].spellings(lacking))


def coinciding(namings: Iterable[Naming], owners: Mapping[str, str]) -> list[list[Naming]]:
    """The names that coincide with each other, or that are another operation's, in groups.

    `owners`: name → the operation it is for; for a reserved one that is none.
    """
    by_name: defaultdict[str, list[Naming]] = defaultdict(list)
    for naming in namings:
        by_name[naming.name].append(naming)
    groups = []
    for name, group in by_name.items():
        is_foreign = any(owners.get(name, each.subject.key) != each.subject.key for each in group)
        if len(group) > 1 or is_foreign:
            groups.append(group)
    return groups
