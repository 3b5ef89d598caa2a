"""Index of a server's tools, and how they are ranked for a query.

A tool's score is BM25F over its fields, times how much of the query it answers, how much of what it
is about the query says, and whether it is of the kind the query asks for (`create`, `list`, `get`,
`search`, `update`, `delete`).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from ...results import fold
from .entries import SCALE
from .language import READING, Language
from .words import is_plural, root, stem, words

FILE = "tools/_index/search.json"
"""Path of the index in a package: below the toolsets, but not one of them."""
LONGEST_QUERY = 1000
"""Characters of a query that are read."""
SHORTEST_PREFIX = 4
MOST_WEIGHED = 60
"""Tools whose fit is looked at: those with the best words."""
ENDINGS = ("or", "er", "e", "ment")
"""Endings of words from the same stem: `contributor`, `owner`, `assignee`, `payment`."""
CERTAIN = 0.5
"""The share of a query that its best tool answers, from which on the result is no poor one."""
UNKNOWN = 3.0
"""Weight of a word that no tool has, in a whole query: it leaves the query unanswered."""
_NAME = re.compile(r"(?<=\w )[\"']?([A-Z]\w+)")
_RECIPIENT = re.compile(r"\b(?:to|for|with|from|at|ask|tell|invite|bring|let) [A-Z]\w+\b(?! [A-Z])")
"""A recipient: `assign it to Anna`. No tool has to look for the name."""
_VALUE = re.compile(
    r"\b[A-Za-z]+-\d+\b|#\d+|\S+@\S+|https?:\S+|(?=\S*\d)\b[\da-f]{8}(?:-?[\da-f]{4}){2,}\S*", re.A
)
"""A ticket's key, a number, an address, a hash: a value of an argument, no word for a tool."""
SEVERAL = frozenset({"list", "search"})
"""Kinds of a query without a verb whose head word is a plural."""
ONE = frozenset({"get", "search"})
"""Kinds of a query without a verb and without a plural."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Parameters of the ranking.

    * `saturation`: BM25's k1. `about`: the weight from which a tool is about a word, not only
      mentions it. `name`: weight of the word `search` for a query with an unknown name.
    * Weights of a word that replaces a query's word: `synonym`; `stranger`, a synonym if no tool
      has the word itself; `prefix`, a word with the same beginning; `neighbour`.
    * Share of a score that is lost: `answered` if no word of the query matches, and the others if
      no word matches the tool's subject, if the kind differs, if the tool does the `opposite`, if
      it is deprecated, and for each further word of the subject.
    """

    saturation: float = 3.0
    about: float = 2.0
    synonym: float = 0.6
    stranger: float = 0.8
    prefix: float = 0.5
    neighbour: float = 0.3
    answered: float = 0.5
    subject: float = 0.6
    kind: float = 0.5
    opposite: float = 0.9
    deprecated: float = 0.2
    longer: float = 0.05
    name: float = 0.8


@dataclass(slots=True)
class Query:
    """Query as the ranking sees it: the stems to look for, each with its variants and their
    weights; the kinds of operation its verbs mean; the stems of its head word; the roots of its
    verbs and of those that undo them; the stems of what it undoes.
    """

    terms: dict[str, dict[str, float]]
    kinds: frozenset[str] = READING
    head: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    opposites: frozenset[str] = frozenset()
    undone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """Tool that matches: what each term of the query adds to its score, the score, and the share of
    the query that it answers.
    """

    name: str
    parts: dict[str, float]
    score: float
    answered: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Names of the tools found, the best first, and whether one of them answers most of the
    query.
    """

    names: list[str]
    certain: bool


class Index:
    """Index of every tool of a server, searched by words and what they mean."""

    def __init__(self, content: Mapping[str, Any], weights: Weights = Weights()) -> None:
        """Add the tools of `content`: that of the file `FILE`."""
        self._weights = weights
        self._language = Language(content)
        self._synonyms: dict[str, list[str]] = content["synonyms"]
        self._neighbours: dict[str, str] = content["neighbours"]
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._spellings: dict[str, dict[str, int]] = {}
        self._rarities: dict[str, float] = {}
        self._kinds: list[str] = []
        self._verbs: list[str] = []
        self._deprecated: list[bool] = []
        self._subjects: list[frozenset[str]] = []
        self._lists: list[frozenset[str]] = []
        self._postings: dict[str, dict[int, float]] = {}
        for name, entry in content["tools"].items():
            self.add(name, entry)

    def add(self, name: str, entry: Mapping[str, Any]) -> None:
        """Add a tool by its entry (`entries.entry`); an earlier entry of the name is replaced."""
        if name in self._numbers:
            self._drop(self._numbers[name])
        number = self._numbers[name] = len(self._names)
        self._names.append(name)
        self._spellings.setdefault(fold(name), {})[name] = number
        self._rarities.clear()
        self._kinds.append(entry["kind"])
        self._verbs.append(self._language.verb_of(words(name)))
        self._deprecated.append(entry.get("deprecated", False))
        self._subjects.append(frozenset(entry["subject"].split()))
        self._lists.append(frozenset(entry.get("lists", "").split()))
        for term, tenths in entry["terms"].items():
            self._postings.setdefault(term, {})[number] = self._saturated(tenths / SCALE)

    def _drop(self, number: int) -> None:
        self._names[number] = ""
        for tools in self._postings.values():
            tools.pop(number, None)

    def search(self, text: str, limit: int, allowed: Iterable[str]) -> SearchResult:
        """Return at most `limit` of the tools `allowed` (names), the best first. A tool named like
        the text, case aside, precedes all; a tool without any of its words is left out.
        """
        text = text[:LONGEST_QUERY]
        listed = frozenset(allowed)
        wanted = fold(text)
        exact = [name for name in self._spellings.get(wanted, {}) if name in listed]
        matches = self._matches(self._query(text), listed)
        found = [match.name for match in sorted(matches, key=lambda match: -match.score)]
        names = [*exact, *(name for name in found if name not in exact)][:limit]
        best = max((match.answered for match in matches), default=0.0)
        return SearchResult(names, certain=bool(exact) or best >= CERTAIN)

    def undoing(self, text: str) -> set[str]:
        """Return the names of the tools that undo what a query asks for: `unpin_post` for `pin`."""
        opposites = self._query(text[:LONGEST_QUERY]).opposites
        pairs = zip(self._names, self._verbs, strict=True)
        return {name for name, verb in pairs if verb in opposites}

    def doing(self, text: str, names: Iterable[str]) -> list[str]:
        """Those of the tools `names` that do what a query asks for: the same kind, and not the
        opposite. Reads are one kind.
        """
        query = self._query(text[:LONGEST_QUERY])
        kinds = query.kinds
        if not kinds.isdisjoint(READING):
            kinds = kinds | READING
        same = (name for name in names if self._kinds[self._numbers[name]] in kinds)
        return [name for name in same if self._verbs[self._numbers[name]] not in query.opposites]

    def _query(self, text: str) -> Query:
        language = self._language
        text = _VALUE.sub(" ", text)
        spoken = words(text)
        said = language.plain(spoken)
        telling = language.content_words(said)
        query = Query(terms={stem(word): self._variants(word) for word in telling})
        unknown = {word for word in telling if not query.terms[stem(word)]}
        names = {name.lower() for name in _NAME.findall(_RECIPIENT.sub("", text))}
        for word in unknown:
            query.terms[stem(word)] = self._guessed(stem(word), word in names)
        self._add_compounds(query, spoken, said)
        head = language.head(said)
        query.head = frozenset(query.terms.get(stem(head), ()))
        query.kinds = language.kinds(said) or READING
        query.verbs = language.commands(said)
        query.verbs |= set(map(root, language.in_phrase(spoken)))
        query.opposites = language.opposites(query.verbs)
        bases = [stem(base) for verb in said for base in language.undone(verb)]
        query.undone = frozenset(self._known(bases))
        if query.kinds <= READING and is_plural([head]):
            query.kinds = SEVERAL
        elif query.kinds == READING and not any(is_plural([word]) for word in telling):
            query.kinds = ONE
        if names & unknown:  # `by Mariah Carey`: who has that name is searched for first
            search = dict.fromkeys(self._known(["search"]), self._weights.name)
            query.terms.setdefault("search", search)
            query.kinds |= {"search"}
        return query

    def _add_compounds(self, query: Query, spoken: list[str], said: list[str]) -> None:
        """Add to a query's variants: two words that the index knows as one (`web hook`, `shut ...
        down`) match the single word, or its synonyms (`to-do`).
        """
        for pair in pairwise(said):
            joined = pair[0] + stem(pair[1])
            meant = {joined: 1.0}
            if joined not in self._postings:
                synonyms = self._known(self._synonyms.get(joined, ()))
                meant = dict.fromkeys(synonyms, self._weights.stranger)
            for word in pair if meant else ():
                query.terms.setdefault(stem(word), {}).update(meant)
        language = self._language
        start, place, verb = language.phrase(spoken)
        if verb:
            own = [spoken[start] + stem(spoken[place]), *map(stem, language.in_phrase(spoken))]
            query.terms.setdefault(stem(verb), {}).update(dict.fromkeys(self._known(own), 1.0))

    def _known(self, terms: Iterable[str]) -> list[str]:
        return [term for term in terms if term in self._postings]

    def _variants(self, word: str) -> dict[str, float]:
        """Return the stems of the index that a word may mean, with weights; `{}` if unknown."""
        term = stem(word)
        others = [*self._synonyms.get(root(word), ()), *self._derived(term)]
        weight = self._weights.synonym
        if term not in self._postings:
            weight = self._weights.stranger
        variants = dict.fromkeys(self._known(others), weight)
        own = [term, *map(stem, self._language.undone(word))]
        return variants | dict.fromkeys(self._known(own), 1.0)

    def _guessed(self, term: str, is_name: bool) -> dict[str, float]:
        """Return an unknown word's neighbours, weighted; without any, or for a name: `_alike`."""
        near = self._known(self._neighbours.get(term, "").split())
        if near and not is_name:
            return dict.fromkeys(near, self._weights.neighbour)
        return dict.fromkeys(self._alike(term), self._weights.prefix)

    def _derived(self, term: str) -> list[str]:
        """Return the index's stems that differ by an ending (`ENDINGS`), or synonyms of these."""
        derived = [term + ending for ending in ENDINGS]
        derived += [term.removesuffix(ending) for ending in ENDINGS if term.endswith(ending)]
        known = self._known(derived)
        return known or [other for one in derived for other in self._synonyms.get(one, ())]

    def _alike(self, term: str) -> Iterator[str]:
        """Yield the index's stems of which an unknown stem is the beginning, or the reverse."""
        if len(term) < SHORTEST_PREFIX:
            return
        for other in self._postings:
            if len(other) < SHORTEST_PREFIX:
                continue
            if other[: len(term)] == term[: len(other)]:
                yield other

    def _matches(self, query: Query, listed: frozenset[str]) -> list[Match]:
        """Return the listed tools with the best words, at most `MOST_WEIGHED`."""
        rarities: dict[str, float] = {}
        parts: dict[str, dict[int, float]] = {}
        meant: set[str] = set()
        sums: dict[int, float] = defaultdict(float)
        for term, variants in query.terms.items():
            rarities[term] = min(map(self._rarity, variants), default=UNKNOWN)
            parts[term] = self._part(term, variants)
            meant.update(variants)
            for number, score in parts[term].items():
                sums[number] += score
        ranked = sorted(sums, key=sums.__getitem__, reverse=True)
        allowed = (number for number in ranked if self._names[number] in listed)
        total = sum(rarities.values()) or 1.0
        matches = []
        for number in islice(allowed, MOST_WEIGHED):
            own = {term: part[number] for term, part in parts.items() if number in part}
            answered = sum(rarities[term] for term in own) / total
            fit = self._fit(number, query, answered, meant)
            matches.append(Match(self._names[number], own, sums[number] * fit, answered))
        return matches

    def _part(self, term: str, variants: Mapping[str, float]) -> dict[int, float]:
        """Return number of a tool -> addition to its score by a term: that of the term's best
        variant. A variant that is rarer than the term itself is not worth more.
        """
        rarity = self._rarity(term)
        best: dict[int, float] = {}
        for variant, weight in variants.items():
            worth = weight * min(rarity, self._rarity(variant))
            for number, saturated in self._postings[variant].items():
                score = worth * saturated
                if score > best.get(number, 0.0):
                    best[number] = score
        return best

    def _rarity(self, term: str) -> float:
        """Return the inverse document frequency of a stem."""
        rarity = self._rarities.get(term)
        if rarity is None:
            total, seen = len(self._names), self._seen(term)
            rarity = self._rarities[term] = math.log(1 + (total - seen + 0.5) / (seen + 0.5))
        return rarity

    def _seen(self, term: str) -> float:
        """Count the tools with a stem; a tool that only mentions it counts in part."""
        full = self._saturated(self._weights.about)
        return sum(
            min(1.0, saturated / full) for saturated in self._postings.get(term, {}).values()
        )

    def _saturated(self, weight: float) -> float:
        return weight / (weight + self._weights.saturation)

    def _fit(self, number: int, query: Query, answered: float, meant: set[str]) -> float:
        """Rate the fit of a tool to a query beyond its words: between 0 and 1. A thing is asked for
        more than its parts are. A tool whose answer lists the query's subject fits, even if the
        query is for a change of it.
        """
        weights = self._weights
        fit = 1 - weights.answered * (1 - answered)
        subject = self._subjects[number]
        fit *= 1 - weights.subject * (1 - self._said(subject, meant))
        fit *= (1 - weights.longer) ** len(subject)
        verb = self._verbs[number]
        if verb in query.opposites:
            fit *= 1 - weights.opposite
        elif verb not in query.verbs:
            fit *= 1 - weights.kind * self._differs(number, query)
        if self._deprecated[number]:
            fit *= 1 - weights.deprecated
        return fit

    def _differs(self, number: int, query: Query) -> bool:
        """Return whether a tool is of another kind than a query asks for, or lacks what the query
        undoes: `unpin` deletes no post but a pin. False if its answer lists the query's head word.
        """
        if not self._lists[number].isdisjoint(query.head):
            return False
        if self._kinds[number] in query.kinds:
            return any(number not in self._postings[term] for term in query.undone)
        return True

    def _said(self, subject: frozenset[str], meant: set[str]) -> float:
        """Return the share (0 to 1) of a tool's subject in a query, rare words counting more."""
        whole = sum(self._rarity(term) for term in subject)
        if not whole:
            return 1.0
        return sum(self._rarity(term) for term in subject & meant) / whole
