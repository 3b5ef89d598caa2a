"""The rules, and what comes of them: dimensions, the score of each tool, the score of the list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from math import prod
from typing import Any

from ..load.values import as_list, as_object, as_text
from ..parse.body import BODY
from ..runtime.parts.search.language import READING
from ..runtime.parts.search.words import stems, words
from . import shape
from .definitions import RETURNS, ScoredTool, ScoredTools, content_words, data, meanings, word_list

LOWEST, HIGHEST = 1.0, 5.0
MEAN_SHARE = 0.6
"""A list is as good as its tools are in the mean, and as its worst (0.6 and 0.4, as in TDQS)."""
TOOLS_SHARE = 0.7
"""Weight of the tools beside the list as a whole (0.7 and 0.3, as in TDQS)."""
MANY_TOOLS = (40, 300)
"""Tools that a model can choose among, and tools that are far too many."""
LARGE_TOOL = (400, 1500)
"""Tokens that a tool may take, and tokens that are far too many."""
LONG_TEXT = (120, 300)
"""Words of a description, likewise."""
UNKNOWN = 1
"""Fields that count of those that nothing else speaks of."""
MOST_NUMBERS = 2
"""Numbers among the values of an argument, from which on a model must know what they mean."""
SHORTEST = 4
"""Fewest letters of a prefix that counts as the word (`repo`, `repository`)."""
_PARENTHESES = re.compile(r".*\((.*)\)")
"""The text in parentheses of `the user (id, name)`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its dimension, its weight there, and the advice if it is broken. `text`: it reads
    texts; `key`: what mends it.
    """

    name: str
    dimension: str
    weight: float
    text: bool
    source: str
    key: str
    advice: str
    untyped: str = ""
    """The advice for a tool whose answers have no type, if it differs."""


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules of `data/score.toml`, in its order."""
    return tuple(
        Rule(
            name=name,
            dimension=row["dimension"],
            weight=row["weight"],
            text=row.get("text", False),
            source=data()["sources"][row["source"]],
            key=row["key"],
            advice=row["advice"],
            untyped=row.get("untyped", ""),
        )
        for name, row in data()["rules"].items()
    )


TRUST = ("agrees", "reads")
"""The rules that say how far a text is about its tool, and how far it is language at all."""
DIMENSIONS: dict[str, int] = data()["dimensions"]
"""Dimension → its weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolScore:
    """One tool: its score (1 to 5), that of each dimension, and what each rule gave (0 to 1)."""

    name: str
    score: float
    dimensions: Mapping[str, float]
    rules: Mapping[str, float]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A list: its score (1 to 5), the mean and the minimum of its tools, how well they go together
    as a list (`coherence`, 1 to 5), the mean of each dimension, and every tool.
    """

    score: float
    mean: float
    minimum: float
    coherence: float
    dimensions: Mapping[str, float]
    tools: tuple[ToolScore, ...]

    def data(self) -> dict[str, Any]:
        """Return the fields as JSON data, every float with two decimal places."""
        data: dict[str, Any] = _rounded(asdict(self))
        return data


def _rounded(value: Any) -> Any:
    """Return a value with every float in it rounded to two decimal places, and lists for tuples."""
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return list(map(_rounded, value))
    return round(value, 2) if isinstance(value, float) else value


def score_tools(tools: Iterable[Mapping[str, Any]]) -> Score:
    """Return the score of Tool objects, as `tools/list` sends them. Raises ValueError for an empty
    list.
    """
    definitions = ScoredTools(tools)
    if not definitions.all:
        raise ValueError("there are no tools to score")
    scores = tuple(_score_tool(one, definitions) for one in definitions.all)
    mean = sum(one.score for one in scores) / len(scores)
    minimum = min(one.score for one in scores)
    coherence = _coherence(definitions)
    own = MEAN_SHARE * mean + (1 - MEAN_SHARE) * minimum
    return Score(
        score=TOOLS_SHARE * own + (1 - TOOLS_SHARE) * coherence,
        mean=mean,
        minimum=minimum,
        coherence=coherence,
        dimensions={
            name: sum(one.dimensions[name] for one in scores) / len(scores) for name in DIMENSIONS
        },
        tools=scores,
    )


def _score_tool(one: ScoredTool, among: ScoredTools) -> ToolScore:
    values = {rule.name: JUDGES[rule.name](one, among) for rule in rules()}
    dimensions = {name: _dimension(name, values) for name in DIMENSIONS}
    whole = sum(DIMENSIONS.values())
    score = sum(dimensions[name] * weight for name, weight in DIMENSIONS.items()) / whole
    return ToolScore(
        name=one.name, score=score, dimensions=dimensions, rules=values, tokens=one.tokens
    )


def _dimension(name: str, values: Mapping[str, float]) -> float:
    """Return a dimension's score, 1 to 5. Rules on text count as far as the text is about the tool
    and reads as language.
    """
    share = sum(
        values[rule.name] * trust(rule, values) * weight for rule, weight in weights(name).items()
    )
    return LOWEST + (HIGHEST - LOWEST) * share


def trust(rule: Rule, values: Mapping[str, float]) -> float:
    """Return the weight of a rule's finding, 0 to 1: 1 for a rule that is not on text, else the
    product of the other rules in `TRUST`.
    """
    if not rule.text:
        return 1.0
    return prod(values[name] for name in TRUST if name != rule.name)


@cache
def weights(dimension: str) -> dict[Rule, float]:
    """Return rule of a dimension → its share of it."""
    own = [rule for rule in rules() if rule.dimension == dimension]
    whole = sum(rule.weight for rule in own)
    return {rule: rule.weight / whole for rule in own}


def _coherence(definitions: ScoredTools) -> float:
    """Rate the coherence of the tools, 1 to 5: each with its own first sentence, and few enough."""
    count = len(definitions.all)
    told = sum(
        prod(JUDGES[name](one, definitions) for name in ("unique", "alone", *TRUST))
        for one in definitions.all
    )
    few = _falling(count, *MANY_TOOLS)
    return LOWEST + (HIGHEST - LOWEST) * (few + 3 * told / count) / 4


def _falling(value: float, good: float, bad: float) -> float:
    """Return 1 up to `good`, 0 from `bad` on, in between in proportion."""
    return min(1.0, max(0.0, (bad - value) / (bad - good)))


# Rules: (tool, list) → 0 to 1


def _described(one: ScoredTool, among: ScoredTools) -> float:
    return float(len(content_words(one.first)) >= 2)


def _agrees(one: ScoredTool, among: ScoredTools) -> float:
    """Return 1.5 times the share of the name's words (but a version) that the description says too,
    at most 1; words that only few tools of the list have count for more. 0 without a description.
    """
    if not one.sentences:
        return 0.0
    about = {term for term in one.named if not term.isdigit()} - {"id", "v"}
    whole = sum(among.rarity(term) for term in about)
    if not whole:
        return 1.0
    said = sum(among.rarity(term) for term in about if _says(one, term))
    return min(1.0, said / whole * 1.5)


def _says(one: ScoredTool, term: str) -> bool:
    """Return whether the description has a word, a synonym, or a word with the same beginning."""
    if not meanings().get(term, {term}).isdisjoint(one.said):
        return True
    if len(term) < SHORTEST:
        return False
    return any(
        other[: len(term)] == term[: len(other)] for other in one.said if len(other) >= SHORTEST
    )


def _verb(one: ScoredTool, among: ScoredTools) -> float:
    """Return 1 if the first sentence begins with a verb and is no label (`Get Load Balancer
    Metrics`), else 0.
    """
    first = words(one.first)[:1]
    if not first or first[0].removesuffix("s") not in _verbs():
        return 0.0
    others = re.findall(r"\b\w{4,}", one.first.partition(" ")[2])
    return float(not others or not all(word[0].isupper() for word in others))


@cache
def _verbs() -> frozenset[str]:
    from ..render.search import tables

    found = {word for row in tables()["verbs"].values() for word in row.split()}
    return frozenset(word.removesuffix("s") for word in found)


def _reads(one: ScoredTool, among: ScoredTools) -> float:
    """Return the share of the places that read as language, 1 without any: an article before a word
    that can follow it, the beginning of a sentence without a small letter.
    """
    places = [*_articles(one), *_beginnings(one)]
    if not places:
        return 1.0
    return sum(places) / len(places)


def _articles(one: ScoredTool) -> Iterator[bool]:
    """Yield for each article whether the next word may follow an article."""
    said = words(" ".join(one.sentences))
    never_after = ["", *word_list("never_after")]
    for word, following in pairwise([*said, ""]):
        if word in word_list("articles"):
            yield following not in never_after


def _beginnings(one: ScoredTool) -> Iterator[bool]:
    """Yield for each sentence of the tool's description whether it begins properly: not with a
    small letter.
    """
    for part in one.parts:
        yield not part[:1].islower()


def _more(one: ScoredTool, among: ScoredTools) -> float:
    new = {*one.said} - {*one.named}
    return min(1.0, len(new) / 3)


def _unique(one: ScoredTool, among: ScoredTools) -> float:
    return 1 / among.sharing(one)


def _alone(one: ScoredTool, among: ScoredTools) -> float:
    return _falling(among.likeness(one), 0.7, 1.0)


def _when(one: ScoredTool, among: ScoredTools) -> float:
    said = set(words(" ".join(one.sentences)))
    return float(not said.isdisjoint(word_list("when")))


def _siblings(one: ScoredTool, among: ScoredTools) -> float:
    """Return 1 for a described tool without required arguments, or one that names another tool,
    else 0.
    """
    if not one.required and one.sentences:
        return 1.0
    explanations = [str(inner.get("description", "")) for inner in one.arguments.values()]
    text = " ".join([*one.sentences, *explanations])
    named = set(re.findall(r"[A-Za-z0-9_-]{3,}", text)) & among.names - {one.name}
    return float(bool(named))


TYPES = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"})
"""Keywords with the type of an argument's value."""


def is_explained(name: str, inner: Mapping[str, Any]) -> bool:
    """Return whether an argument has a text that says more than its name, or is an object with a
    text on at least half of its fields.
    """
    fields = as_object(inner.get("properties")).values()
    texts = [as_text(as_object(field).get("description")) for field in fields]
    told = sum(map(bool, texts))
    return _adds(name, as_text(inner.get("description"))) or 0 < len(texts) <= 2 * told


def _is_typed(name: str, inner: Mapping[str, Any]) -> bool:
    return not TYPES.isdisjoint(inner)


def _is_sound(name: str, inner: Mapping[str, Any]) -> bool:
    """Return whether an argument can be given: no credential, no optional body with required
    fields, and no numbers without the names of what they mean.
    """
    if not word_list("credentials").isdisjoint(words(name)[-1:]):
        return False
    if name in BODY:
        return "required" not in inner
    numbers = [value for value in as_list(inner.get("enum")) if type(value) is int]
    said = words(as_text(inner.get("description")))
    return len(numbers) < MOST_NUMBERS or str(numbers[-1]) in said


KEPT: dict[str, Callable[[str, Mapping[str, Any]], bool]] = {
    "explained": is_explained,
    "typed": _is_typed,
    "sound": _is_sound,
}
"""Rule of arguments → check of one argument."""


def _adds(name: str, text: str) -> bool:
    """Return whether a text says more than the name, with words that fit any argument left out."""
    return not {*content_words(text)} <= {*content_words(name), *stems(word_list("echoes"))}


def _share(
    one: ScoredTool,
    kept: Callable[[str, Mapping[str, Any]], bool],
    without: frozenset[str] = frozenset(),
) -> float:
    """Return the share of the arguments that keep a rule, 1 without any; a required one counts
    twice.
    """
    whole = good = 0
    for name in one.arguments.keys() - without:
        inner = one.arguments[name]
        if name in BODY & one.required:
            inner = {key: value for key, value in inner.items() if key != "required"}
        weight = 1 + (name in one.required)
        whole += weight
        good += weight * kept(name, inner)
    if not whole:
        return 1.0
    return good / whole


def _answers(one: ScoredTool, among: ScoredTools) -> float:
    """Rate what is told of the answer: 0 for nothing (a deletion 0.7), 0.2 for an envelope alone
    (`Returns data, next_page`), 0.5 to 1 for one to three fields of its content. Without an output
    schema, fields unknown to all arguments and answers of the list count as one.
    """
    told = [found[1] for found in map(RETURNS.match, one.sentences) if found]
    if not any((told, one.output)):
        return 0.7 * (one.kinds == {"delete"})
    names = [*one.output, *re.findall(r"\w+", _PARENTHESES.sub(r"\1", "".join(told[-1:])))]
    envelope = {*word_list("envelope"), *one.named}
    if one.output:
        envelope.update({*content_words(" ".join(names))} - {*content_words(" ".join(one.output))})
    content = [name for name in names if not envelope.issuperset(content_words(name))]
    unheard = among.fields.isdisjoint(content_words(" ".join(content)))
    if all((unheard, not one.output)):
        content = content[:UNKNOWN]
    return (0.2, 0.5, 0.8, 1.0)[min(len(content), 3)]


def _fields(one: ScoredTool, among: ScoredTools) -> float:
    return float(bool(one.output))


def _hints(one: ScoredTool, among: ScoredTools) -> float:
    if one.hints.get("readOnlyHint") is True:
        return _honest(one, among)
    stated = [name for name in ("readOnlyHint", "destructiveHint") if name in one.hints]
    return len(stated) / 2


def _honest(one: ScoredTool, among: ScoredTools) -> float:
    if "readOnlyHint" not in one.hints:
        return 0.0
    reads = one.hints["readOnlyHint"] is True
    changes = one.kinds and one.kinds.isdisjoint(READING)
    return float(not (changes and reads))


def _small(one: ScoredTool, among: ScoredTools) -> float:
    return _falling(one.tokens, *LARGE_TOOL)


def _concise(one: ScoredTool, among: ScoredTools) -> float:
    if not one.sentences:
        return 0.0
    length = len(words(" ".join(one.sentences)))
    return _falling(length, *LONG_TEXT) * max(0.0, 1 - 2 * one.repeats)


JUDGES: dict[str, Callable[[ScoredTool, ScoredTools], float]] = {
    "described": _described,
    "agrees": _agrees,
    "verb": _verb,
    "reads": _reads,
    "more": _more,
    "unique": _unique,
    "alone": _alone,
    "name": shape.name_of_words,
    "single": shape.single,
    "when": _when,
    "siblings": _siblings,
    "explained": lambda one, among: _share(one, is_explained, one.own_ids),
    "typed": lambda one, among: _share(one, _is_typed),
    "sound": lambda one, among: _share(one, _is_sound),
    "answers": _answers,
    "continues": shape.continues,
    "fields": _fields,
    "hints": _hints,
    "honest": _honest,
    "small": _small,
    "concise": _concise,
}
"""Rule → its judge."""
