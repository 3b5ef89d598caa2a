"""Names of tools.

A name depends only on its own operation, never on the order of the document. If operations ask for
the same name, each gets distinguishing words: from its path, else from other sources; without any,
a short hash of `METHOD path`. In a name that is too long the words of least worth go first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType

from ...text import words
from ..vocabulary import ABBREVIATIONS, NOUNS, STOP_WORDS, USUAL_VERBS, VERBS, same_verb, singular
from .identifiers import NOT_FOR_TOOLS, digest
from .verb import (
    SAY_LITTLE,
    PathPart,
    Subject,
    identity_words,
    literals,
    operation_words,
    parts_of,
    path_words,
    verb_and_resource,
)

Mark = tuple[str, int]
"""A word of a name, and how often the name has it by then."""
MEDIAL = 3
"""Letters a word must have to count as a part of another."""
REPEATED, TOOLSET, STOP, OTHER, RESOURCE, KEPT = range(6)
"""Ranks of words, the first to go first."""

ROUNDS = 16
"""Most rounds of replacing words in names that still coincide."""
TOOL_LIMIT = 50
COMBINED_LIMIT = 64  # `mcp__<server>__<tool>`, the longest prefix a client is known to add
FIRST = VERBS - NOUNS | USUAL_VERBS
"""Verbs that a function's name begins with."""
SEPARATORS = {"-": "dash", "_": "underscore", ".": "dot", "~": "tilde", ":": "colon", "/": "slash"}
_SEPARATOR = re.compile(r"(?<=\w)[-_.~:](?=\w)|(?<=\})[-_.~:/](?=.)")


def shorten(
    words: list[str], limit: int, path: str, toolset: Collection[str], keep: Mapping[str, int]
) -> list[str]:
    """Return the words of a name of at most `limit` characters where that can be.

    Words are left out in this order: those before the verb if the toolset says them and the rest
    names the resource, words that come again, words of the toolset, stop words; then words are
    abbreviated; then words go from the middle outwards, last those of the path's end. Words to
    `keep` stay, the last ones of each as often as is given.
    """
    if length(words) <= limit:
        return words
    start = next((index for index, word in enumerate(words[:-1]) if word in USUAL_VERBS), 0)
    is_said = {*words[:start]} <= {*toolset, *STOP_WORDS} - {*keep}
    if is_said and _words_in(literals(path)[-1:], words[start:]):
        words = words[start:]
    ranks = _ranks(words, path, toolset, keep)
    left = dict(enumerate(words))
    for index in sorted(left, key=lambda index: (ranks[index], index)):
        if len(left) > 1 and ranks[index] <= STOP and length(left.values()) > limit:
            del left[index]
    for index in sorted(left, key=lambda index: -_saving(words[index])):
        if length(left.values()) > limit:
            left[index] = ABBREVIATIONS.get(words[index], words[index])
    middle = sum(left) / len(left)
    for index in sorted(left, key=lambda index: (ranks[index], abs(index - middle))):
        if len(left) > 1 and STOP < ranks[index] < KEPT and length(left.values()) > limit:
            del left[index]
    return [*left.values()]


def _ranks(
    words: list[str], path: str, toolset: Collection[str], keep: Mapping[str, int]
) -> list[int]:
    """Return the rank of each word, from `REPEATED` to `KEPT`; low ranks go first."""
    route = literals(path)
    end = {*_verb(words), *_words_in(route[-1:], words)}
    resource = end | _words_in(route[-2:-1], words)
    singulars = list(map(singular, words))
    ranks = []
    for index, word in enumerate(words):
        if words[index:].count(word) <= keep.get(word, 0):
            rank = KEPT
        elif singulars[index] in singulars[index + 1 :]:
            rank = REPEATED
        elif word in toolset and word not in end:
            rank = TOOLSET
        elif word in STOP_WORDS:
            rank = STOP
        elif word not in resource:
            rank = OTHER
        else:
            rank = RESOURCE
        ranks.append(rank)
    return ranks


def length(words: Collection[str]) -> int:
    """Return the characters of a name of these words."""
    return sum(map(len, words)) + len(words) - 1


def _saving(word: str) -> int:
    return len(word) - len(ABBREVIATIONS.get(word, word))


def _verb(words: list[str]) -> list[str]:
    """Return the verb of a name in a list: the first usual one, else the first; `[]` without
    one.
    """
    usual = [word for word in words if word in USUAL_VERBS]
    return [*usual, *(word for word in words if word in VERBS)][:1]


def _words_in(parts: Iterable[PathPart], words: Iterable[str]) -> set[str]:
    """Return the words of a name that parts of a path have; also within one, as `pod` in `pods`."""
    literal_words = {word for part in parts for word in part.words}
    text = " ".join(literal_words)
    singulars = {*map(singular, literal_words)}
    return {
        word
        for word in words
        if singular(word) in singulars or (len(word) >= MEDIAL and word in text)
    }


def tool_limit(server: str) -> int:
    """Return the most characters of a tool's name on this server, a client's prefix counted."""
    return min(TOOL_LIMIT, COMBINED_LIMIT - len("mcp____") - len(server))


@dataclass(slots=True)
class Naming:
    """A name in the making. `own` are its words before any is added or dropped, `telling` the
    distinguishing words, which stay when the name is shortened.
    """

    subject: Subject
    server: str
    pinned: str | None
    own: list[str] = field(init=False)
    telling: Sequence[Mark] = ()
    words: list[str] = field(init=False)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.own = self.pinned.split("_") if self.pinned else operation_words(self.subject)
        self.words = self.own
        self.name = self.pinned or self._spelt()

    def give_way(self, given: Set[tuple[str, str]]) -> None:
        """Take the words of the operationId if the name, not pinned, is the operationId of another
        operation of the path: `update_account`, that of the PUT, as name of the PATCH. `given`:
        (operationId as words joined by `_`, path) of all.
        """
        own = identity_words(self.subject.operation_id)
        others = given - {("_".join(own), self.subject.path)}
        if all([own, not self.pinned, (self.name, self.subject.path) in others]):
            self.own = self.words = [*own]
            self.name = self._spelt()

    def candidates(self) -> list[list[str]]:
        """Return the words that can distinguish the name in groups, the best first: its own words
        with the missing path words, the words of each source, and the words repeated in its
        operationId.
        """
        found = [word for word in self.own if word not in STOP_WORDS]
        rest = Counter(map(singular, found))
        for part in parts_of(self.subject.path):
            for word in () if part.is_parameter else part.words:
                rest[singular(word)] -= 1
                if rest[singular(word)] < 0:
                    found.append(word)
        out = [found]
        seen = {*found}
        for source in _sources(self.subject):
            out.append([word for word in dict.fromkeys(source) if word not in seen])
            seen.update(source)
        again = Counter(identity_words(self.subject.operation_id)) - Counter(chain(*out))
        return [*out, [*again]]

    def add(self, telling: Sequence[Mark], candidates: Iterable[str]) -> bool:
        """Put the distinguishing words into the name, in the order of the candidates; return
        whether the name changed.
        """
        if self.pinned:
            return False
        before = self.name
        new = [mark for mark in telling if mark not in self.telling]
        self.telling = [*self.telling, *new] if new else list(telling)
        self.words = list(self.own)
        wanted = dict(self.telling)
        for word in (Counter(candidates) - Counter(self.own)).elements():
            if word not in wanted:
                continue
            one = singular(word)
            if one in self.words and one not in wanted:
                self.words[self.words.index(one)] = word
            elif word in VERBS and VERBS.isdisjoint(self.words):
                self.words.insert(0, word)
            else:
                self.words.append(word)
        if VERBS.isdisjoint(self.words):  # `delete_story_by_id` beside others of the story
            self.words[:0] = verb_and_resource(self.subject.method, self.subject.path)[:1]
        self.name = self._spelt()
        return self.name != before

    def _spelt(self) -> str:
        """Return the name with the words that distinguish it, or as many of the last as fit; with a
        hash where it is too long all the same.
        """
        limit = tool_limit(self.server)
        for start in range(len(self.telling) + 1):
            name = self._fitted(limit, dict(self.telling[start:]))
            if len(name) <= limit:
                return name
        return self.marked(6)

    def _fitted(self, limit: int, keep: Mapping[str, int]) -> str:
        """Return the name, within the limit if its words can be shortened so far; it starts with a
        letter and is not reserved. With an API's prefix (`start_`) no name is reserved.
        """
        toolset = {*words(self.subject.toolset)}
        toolset.update(map(singular, [*toolset]))
        name = "_".join(shorten(self.words, limit, self.subject.path, toolset, keep))
        if not name[:1].isalpha():
            name = f"call_{name}".rstrip("_")
        if name in NOT_FOR_TOOLS and not self.server.endswith("_"):
            name = f"{self.server}_{name}"
        return name

    def unlike(self, taken: Set[str]) -> str:
        """Return a name that is not taken and keeps another of its words, else its name."""
        limit = tool_limit(self.server)
        for word in () if self.pinned else self.own:
            name = self._fitted(limit, {word: 1})
            if name in taken:
                continue
            if len(name) <= limit:
                return name
        return self.name

    def marked(self, length: int) -> str:
        """Return the name, cut to its limit, with `_` and a hash of `length` digits; a pinned name
        as it is.
        """
        if self.pinned:
            return self.pinned
        suffix = "_" + digest(self.subject.key, length)
        limit = tool_limit(self.server) - len(suffix)
        return self._fitted(limit, {})[:limit].rstrip("_") + suffix


def _sources(subject: Subject) -> list[list[str]]:
    """Return words that can distinguish a name if path words cannot, the best group first:
    parameters; the verb; the operationId, the query of the path, its literals as one word each and
    the method; the sentence, and the operationId with its number; separators.
    """
    parameters: list[str] = []
    literals: list[str] = []
    for part in parts_of(subject.path):
        if part.is_parameter:
            parameters.append(f"by_{'_'.join(part.words)}")
        elif part.words != (singular(part.words[0]),):
            literals.insert(0, "_".join(part.words))
    query = words(subject.path.partition("?")[2])
    if query:
        literals.insert(0, "_".join(["by", *dict.fromkeys(query)]))
    others = [*identity_words(subject.operation_id), *literals, subject.method.lower()]
    told = [word for word in words(subject.sentence) if word not in SAY_LITTLE]
    asked = subject.verb if same_verb(subject.verb) in ("get", "list") else ""  # by a POST
    verb = verb_and_resource(subject.method, subject.path, asked)[:1]
    marks = list(map(SEPARATORS.__getitem__, _SEPARATOR.findall(subject.path)))
    return [parameters, verb, others, told + words(subject.operation_id or ""), marks]


def tool_names(
    subjects: Iterable[Subject],
    server: str,
    pinned: Mapping[str, str] = MappingProxyType({}),
    reserved: Iterable[str] = (),
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return `METHOD /path` → tool name.

    `pinned` are the names of earlier runs (from the lock file), kept for their operations. `chosen`
    maps names chosen by the user to their operations. Pinned, chosen and `reserved` names are never
    given to another operation.
    """
    subjects = _without_module([*subjects])
    namings = [Naming(subject, server, pinned.get(subject.key)) for subject in subjects]
    given = set()
    for one in subjects:
        given.add(("_".join(identity_words(one.operation_id)), one.path))
    for naming in namings:
        naming.give_way(given)
    owners = dict.fromkeys(reserved, "") | dict(chosen)
    for _ in range(ROUNDS):
        families = _coinciding(namings, owners)
        if not any(list(map(_distinguish, families))):
            break
    taken = owners.keys() | {naming.name for naming in namings}
    for naming in sorted(chain(*_coinciding(namings, owners)), key=lambda one: one.subject.key):
        naming.name = naming.unlike(taken)
        taken.add(naming.name)
    for length in (6, 12, 24):
        for group in _coinciding(namings, owners):
            for naming in group:
                naming.name = naming.marked(length)
    return {naming.subject.key: naming.name for naming in namings}


def _without_module(subjects: list[Subject]) -> list[Subject]:
    """Return operations without what all their operationIds begin with and no path has: the module
    of a framework's functions (`shop.views.list_books`).
    """
    named = [identity_words(one.operation_id) for one in subjects]
    known = (FIRST | STOP_WORDS).union(*(map(singular, path_words(one.path)) for one in subjects))
    start = 0
    for first, *others in zip(*named, strict=False):
        if {*others, singular(first) in known} != {first, False}:
            break
        start += 1
    functions = 0
    for own in named:
        functions += not FIRST.isdisjoint(own[start : start + 1])
    least = max(3, 2 * (len(named) - functions))
    if any([start in (0, *map(len, named)), len(named) < least]):
        return subjects
    return [
        replace(one, operation_id="_".join(own[start:]))
        for one, own in zip(subjects, named, strict=True)
    ]


def _coinciding(namings: Iterable[Naming], owners: Mapping[str, str]) -> list[list[Naming]]:
    """Return groups of equal names; a name that belongs to another operation is a group, too.

    `owners`: name → its operation; empty for a reserved name.
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
    telling = distinguishing_words(sources)
    count = Counter(word for each in sources.values() for word in {*chain(*each)})
    if len(rivals) == 1:
        count.update(group[0].own)  # another operation has the name that these make
    kinds = []  # of sources that distinguish the group
    for key, marks in telling.items():
        for kind, source in enumerate(sources[key], 1):
            if not dict(marks).keys().isdisjoint(source):
                kinds.append(kind)
    near = max(kinds, default=None)
    changed = False
    for key, naming in rivals.items():
        rare = [word for word in chain(*sources[key][:near]) if count[word] < max(2, len(rivals))]
        rarest = sorted(rare, key=count.__getitem__)[:1]
        changed |= naming.add(
            telling[key] or [*zip(rarest, [1], strict=False)], chain(*sources[key])
        )
    return changed


def distinguishing_words(names: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, list[Mark]]:
    """Return key → the marks (word, number of its occurrence) that distinguish its name from all
    others; empty for equal names. The words of `names` are in groups, the best group first.

    A word splits the names by whether they contain it, and each half is split further. A name needs
    the words it contains on its way: `events` and `me` of `/me/events` beside `/users/events` and
    `/me/calendar`.
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
    """Drop implied words: `events`, if every name with `calendar` contains it."""
    kept = list(marks)
    for mark in marks:
        if any(having[other] <= having[mark] for other in kept if other != mark):
            kept.remove(mark)
    return kept


def _marks(groups: Sequence[Sequence[str]]) -> dict[Mark, tuple[int, int]]:
    """Return the marks of a name, each with its group and its place there."""
    count: Counter[str] = Counter()
    marks = {}
    for group, its_words in enumerate(groups):
        for index, word in enumerate(its_words):
            count[word] += 1
            marks[word, count[word]] = (group, index)
    return marks


def _worth(mark: Mark, place: tuple[int, int], number: int, names: int) -> tuple[int, ...]:
    """Return the sort key of a word: by its group, then by how near it comes to halving the names,
    then by its letters.
    """
    word, times = mark
    group, index = place
    return group, times, abs(2 * number - names), group, len(word), index
