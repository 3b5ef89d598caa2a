"""A Tool object as the rules read it, and the whole list around it."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from typing import Any

from ..load.values import as_object, as_text, texts_in
from ..render.search import stop_words, tables
from ..runtime.parts.search.words import stem, stems, words

BYTES_PER_TOKEN = 4
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_QUOTED = re.compile(r"`[^`]*`|https?:\S+")
"""Names of tools and arguments, paths, addresses."""
RETURNS = re.compile(r"Returns? (.+)")
_WIRE = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) request|\bstatus code|\bAPI method")
COMMON = (2, 0.25)
"""A stem is common in a list from this number of tools, and this share of them, on."""
_STOP = frozenset(stop_words())


@cache
def data() -> dict[str, Any]:
    """Return the dimensions, sources, rules and words (`data/score.toml`)."""
    return tomllib.loads((resources.files("mcpgen") / "data" / "score.toml").read_text("utf-8"))


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the words of a list under `[words]` in `data/score.toml`."""
    return frozenset(data()["words"][name].split())


def without_numbers(name: str) -> tuple[str, ...]:
    """Return the words of a name without numbers and `v`: (`get`, `books`) of `get_books_v2`."""
    return tuple(word for word in words(name) if not word.isdigit() and word != "v")


def content_words(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words."""
    return [stem(word) for word in words(text) if word not in _STOP]


@dataclass(frozen=True)
class ScoredTool:
    """One Tool object. `common`: stems that many tools of its list share, so they say nothing of
    it.
    """

    tool: Mapping[str, Any]
    common: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.tool.get("name", ""))

    @cached_property
    def text(self) -> str:
        """The description; if it consists of the same text twice, only the first half."""
        text = as_text(self.tool.get("description")).strip()
        while text and text[: len(text) // 2].strip() == text[(len(text) + 1) // 2 :].strip():
            text = text[: len(text) // 2].strip()
        return text

    @cached_property
    def sentences(self) -> list[str]:
        """The first sentence, what is returned, and each sentence that adds a word of its own: no
        word of the name, of the sentences before, of a tool that it names, or of many tools. Later
        sentences about HTTP are left out.
        """
        kept: list[str] = []
        known = {*self.named, *self.common}
        for part in filter(content_words, self.parts):
            said = {*content_words(_QUOTED.sub("", part))}
            adds = not said <= known and not _WIRE.search(part)
            if not kept or adds or RETURNS.match(part):
                kept.append(part)
            known |= said
        return kept

    @cached_property
    def parts(self) -> list[str]:
        """The description from full stop to full stop, be it sentences or not."""
        return [part.strip() for part in _SENTENCE.split(self.text) if part.strip()]

    @cached_property
    def repeats(self) -> float:
        """The share of the description's words, 0 to 1, that are not in `sentences`."""
        whole = len(words(as_text(self.tool.get("description"))))
        return 1 - len(words(" ".join(self.sentences))) / max(1, whole)

    @property
    def first(self) -> str:
        """The first sentence; empty without a description."""
        return self.sentences[0] if self.sentences else ""

    @cached_property
    def gist(self) -> tuple[str, ...]:
        """The stems of the first sentence, sorted."""
        return tuple(sorted(content_words(self.first)))

    @cached_property
    def said(self) -> Counter[str]:
        """Stem → how often it is in `sentences`."""
        return Counter(content_words(" ".join(self.sentences)))

    @cached_property
    def named(self) -> list[str]:
        """The stems of the name."""
        return list(dict.fromkeys(content_words(self.name)))

    @cached_property
    def arguments(self) -> dict[str, Mapping[str, Any]]:
        """The properties of the input schema: name → schema."""
        return _properties(self.tool.get("inputSchema"))

    @cached_property
    def required(self) -> frozenset[str]:
        """The names of the required arguments."""
        return frozenset(texts_in(as_object(self.tool.get("inputSchema")).get("required")))

    @property
    def own_ids(self) -> frozenset[str]:
        """The arguments whose meaning the tool's name tells: `book_id` of `get_book`."""
        ids = [name for name in self.arguments if words(name)[-1:] == ["id"]]
        return frozenset(name for name in ids if {*content_words(name)} - {"id"} <= {*self.named})

    @cached_property
    def output(self) -> dict[str, Mapping[str, Any]]:
        """The properties of the output schema: name → schema; empty without one."""
        return _properties(self.tool.get("outputSchema"))

    @property
    def hints(self) -> Mapping[str, Any]:
        """The annotations; empty without any."""
        return as_object(self.tool.get("annotations"))

    @cached_property
    def tokens(self) -> int:
        """The estimated tokens of the tool in the list: bytes of its JSON / 4."""
        text = json.dumps(self.tool, ensure_ascii=False, separators=(",", ":"))
        return len(text.encode()) // BYTES_PER_TOKEN

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of the first known verb in the name: `get` for `fetch_book`, `create` and `update`
        for `set_price`; empty without a known verb.
        """
        for word in words(self.name):
            kinds = [kind for kind, row in tables()["verbs"].items() if word in row.split()]
            if kinds:
                return frozenset(kinds)
        return frozenset()


def _properties(schema: Any) -> dict[str, Mapping[str, Any]]:
    properties = as_object(as_object(schema).get("properties"))
    return {name: as_object(inner) for name, inner in properties.items()}


@cache
def meanings() -> dict[str, set[str]]:
    """Return stem → the stems that mean nearly the same, itself among them."""
    found: dict[str, set[str]] = {}
    rows = list(tables()["verbs"].values())
    for table in tables()["synonyms"].values():
        rows += table.strip().splitlines()
    for row in rows:
        group = {stem(word) for word in row.split()}
        for term in group:
            found.setdefault(term, set()).update(group)
    return found


class ScoredTools:
    """A list of tools, with the rare and the shared words in it."""

    def __init__(self, tools: Iterable[Mapping[str, Any]]) -> None:
        self.all = _among_each_other([ScoredTool(tool) for tool in tools])
        self.names = frozenset(one.name for one in self.all)
        self._with_stem = Counter(term for one in self.all for term in one.named)
        self._numberless = Counter(without_numbers(one.name) for one in self.all)
        self.fields = frozenset(chain(*map(_field_stems, self.all)))
        """The stems in the names of all arguments and fields of answers."""
        self._first = Counter(one.gist for one in self.all)
        self._nearest = _nearest(self.all)

    def rarity(self, term: str) -> float:
        """Rate how well a stem of names distinguishes tools of this list: the rarer, the higher."""
        return math.log(1 + len(self.all) / (1 + self._with_stem[term])) + 0.1

    def namesakes(self, one: ScoredTool) -> int:
        """Count the tools whose names differ from a tool's in numbers alone, itself among them."""
        return self._numberless[without_numbers(one.name)]

    def sharing(self, one: ScoredTool) -> int:
        """Count the tools that share a tool's first sentence, itself among them."""
        return self._first[one.gist]

    def likeness(self, one: ScoredTool) -> float:
        """Return the similarity of a tool to its most similar neighbour: 1 for equal texts, 0
        without one.
        """
        return self._nearest.get(one.name, 0.0)


def _field_stems(one: ScoredTool) -> list[str]:
    """Return the stems in the names of a tool's arguments and of the fields of its answer."""
    return stems(words(" ".join([*one.arguments, *one.output])))


def _among_each_other(tools: list[ScoredTool]) -> list[ScoredTool]:
    """Return the tools, each with the stems common in the list."""
    counts = Counter(term for one in tools for term in {*content_words(one.text)})
    most = max(COMMON[0], COMMON[1] * len(tools))
    common = frozenset(term for term, count in counts.items() if count > most)
    return [ScoredTool(one.tool, common) for one in tools]


def _nearest(definitions: list[ScoredTool]) -> dict[str, float]:
    """Return name → the greatest share of words that a tool has in common with another.

    Only tools that share the rarest words of a description are compared.
    """
    bags = [frozenset([*one.named, *content_words(one.first)]) for one in definitions]
    holders: dict[str, list[int]] = {}
    for number, bag in enumerate(bags):
        for term in bag:
            holders.setdefault(term, []).append(number)
    nearest = {}
    for number, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda term: (len(holders[term]), term))[:3]
        others = {other for term in rarest for other in holders[term][:100]} - {number}
        shares = [len(bag & bags[other]) / len(bag | bags[other]) for other in others]
        nearest[definitions[number].name] = max(shares, default=0.0)
    return nearest
