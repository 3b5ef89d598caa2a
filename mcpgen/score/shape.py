"""Rules on the shape of a tool: its name, how many things it does, and its way on in a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from ..load.values import as_list, as_object
from ..parse.listing import styles
from ..render.search import kinds_of_verb
from ..runtime.parts.search.language import READING
from ..runtime.parts.search.words import is_plural, words
from ..runtime.results import fold
from .definitions import RETURNS, ScoredTool, ScoredTools, without_numbers, word_list

LONG_NAME_PARTS = 8
METHODS = frozenset({"delete", "get", "head", "options", "patch", "post", "put"})
WIRE_METHODS = frozenset({"patch", "post", "put"})
"""Methods of HTTP that are seldom meant as verbs."""
SEVERAL = 3
"""Verbs among the values of an argument, from which on they are a choice."""
_HASH = re.compile(r"_[0-9a-f]*\d[0-9a-f]*$|_[0-9a-f]{6,}$")
_TOKEN = re.compile(r"[A-Za-z]+|[,/&]")
JOINTS = frozenset({",", "/", "&", "and", "or", "then"})


def name_of_words(one: ScoredTool, among: ScoredTools) -> float:
    """Rate a name: 0 for a digest, for a method of HTTP as its verb, an `id` in the midst of a
    path's segments, a number as the only difference to another name, and for words that fit every
    tool (`do_thing`, `api_v1_post_3`); half for a verb without what it acts on (`get_data`,
    `search`); less than 1 from nine words on.
    """
    parts = words(one.name)
    said = [word for word in without_numbers(one.name) if word not in word_list("vague")]
    faults = (
        _HASH.search(one.name),
        "id" in parts[1:-1],
        not said,
        not WIRE_METHODS.isdisjoint(said[:1]),
        among.namesakes(one) > 1,
    )
    if any(faults):
        return 0.0
    if any((METHODS.issuperset(said), not parts[1:] and kinds_of_verb(one.name))):
        return 0.5
    return min(1.0, max(0.0, 2 - len(parts) / LONG_NAME_PARTS))


def single(one: ScoredTool, among: ScoredTools) -> float:
    """Rate by the number of things that a tool does: 1 for one, half for two, 0 for more. They are
    the kinds of verbs that an argument chooses among, or the joined verbs of the first sentence or
    their objects.
    """
    chosen = max((len(set(_groups(values))) for values in _choices(one)), default=0)
    done = list(_acts(one.first))
    groups = {group for group, _ in done}
    things = {thing for _, thing in done if thing}
    return (1.0, 0.5, 0.0)[min(3, max(1, chosen, len(groups), len(things))) - 1]


def _choices(one: ScoredTool) -> Iterator[list[str]]:
    """Yield the verbs among the values of each argument, if there are three and at most one other
    value.
    """
    for inner in one.arguments.values():
        values = [value for value in as_list(inner.get("enum")) if isinstance(value, str)]
        verbs = list(filter(kinds_of_verb, values))
        if len(verbs) >= max(SEVERAL, len(values) - 1):
            yield verbs


def _groups(verbs: Iterable[str]) -> Iterator[str]:
    """Yield the kind of each verb: `read`, `write` or `delete`."""
    for verb in verbs:
        kinds = set(kinds_of_verb(verb))
        if kinds & READING:
            yield "read"
        elif "delete" in kinds:
            yield "delete"
        else:
            yield "write"


def _acts(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the object of the first verb of a sentence, and of each verb joined to it
    that has an object of its own or shares one: (`write`, `user`), (`delete`, ``).
    """
    said = _TOKEN.findall(sentence.lower())
    articles = frozenset(word_list("articles")) | {"all", "its", "their"}
    for before, word, after, thing in zip(
        [",", *said], said, [*said[1:], ""], [*said[2:], "", ""], strict=False
    ):
        verb = word.removesuffix("s")
        if all((before in JOINTS, after in JOINTS | articles, kinds_of_verb(verb))):
            [group] = _groups([verb])
            yield group, thing * (after in articles)


def continues(one: ScoredTool, among: ScoredTools) -> float:
    """Rate the way on in a list: 0 if the answer tells of more and no argument asks for it; half if
    an argument takes a cursor that the answer does not have; else 1.
    """
    if one.kinds.isdisjoint({"list", "search"}) and not is_plural(words(one.name)):
        return 1.0
    inner = [as_object(each.get("properties")) for each in one.arguments.values()]
    taken = {fold(name) for names in (one.arguments, *inner) for name in names}
    returned = " ".join(filter(RETURNS.match, one.sentences))
    held = {fold(name) for name in (*one.output, *re.findall(r"\w+", returned))}
    asks, cursors, sources, around = _ways()
    tells = held & (sources | word_list("more"))
    if all((tells, taken.isdisjoint(asks))):
        return 0.0
    if all((one.output, taken & cursors, held.isdisjoint(sources | around))):
        return 0.5
    return 1.0


@cache
def _ways() -> tuple[frozenset[str], ...]:
    """Return folded names: of arguments that ask for the next part of a list, of those among them
    that take a cursor, of the fields with that cursor, and of the objects around these fields.
    """
    sources = [source.split(".") for style in styles() for source in style.source]
    ends, around = {fold(path[-1]) for path in sources}, {fold(path[0]) for path in sources}
    numbers, cursors = _asking("page", "offset"), _asking("cursor")
    asks = numbers | cursors | _asking("last")
    return (asks, cursors - numbers, frozenset(ends) - numbers, frozenset(around))


def _asking(*ways: str) -> frozenset[str]:
    """Return the folded names of arguments that ask for the next part in one of these ways."""
    return frozenset(name for style in styles() if style.how in ways for name in style.needs)
