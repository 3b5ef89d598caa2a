"""The content of the index for searching a server's tools."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import chain
from typing import Any

from ..ir import Schema, Server, Tool, Toolset
from ..runtime.parts.search.entries import entry_of, fields_of, words_by_field
from ..runtime.parts.search.index import FILE
from ..runtime.parts.search.language import READING
from ..runtime.parts.search.words import is_plural, root, stem, stems, words
from .facts import grouped, wire

_PARAMETER = re.compile(r"\{[^}]*\}")
_EXPLAINED = re.compile(
    r"(?:^|[.\n*] +|\b(?:[Aa]n?|[Tt]he|[Ee]ach) )[`*\"]*(\w+)[`*\"]*"
    r" (?:is|are|means|represents?) ([^.\n]+)"
)
"""A term and what it is: `A guild is a server`."""
_NUMBERED = re.compile(r"/v(\d+)(?=/)")
_DEPRECATED = re.compile(r"(^|[.\n]|\b(is|been)( now)?) ?\W*deprecated\b", re.I)
"""A text that calls its operation, or a part of it, deprecated."""
STRUCTURE = frozenset({"$ref", "items", "properties"})
"""The keys of a schema for more than one value."""
WORDS = ("stop", "links", "articles", "questions")
"""The tables that are lists of words."""
FORMATS = frozenset({"json", "xml"})
"""Formats that may end a path, after its subject: `/orders/list.json`."""
NEAREST = 4
"""Neighbours of a word that a server's index holds at most."""
_VERSION = re.compile(r"v?\d+([.-]\d+)*(\w+\d+)?|api|rest|json", re.I)


@cache
def tables() -> dict[str, Any]:
    """Return the words that steer the search (`data/search.toml`)."""
    text = (resources.files("mcpgen") / "data" / "search.toml").read_text("utf-8")
    return tomllib.loads(text)


def search_files(server: Server) -> dict[str, str]:
    """Return path → text of the index, one tool on each line."""
    return {f"{server.home}{FILE}": grouped(search_facts(server))}


def search_facts(server: Server) -> dict[str, Any]:
    """Return the index of a server's tools (see `content`), with superseded tools marked as
    deprecated.
    """
    stop, said = stop_words(), set[str]()
    explained = _explained(server)
    entries = {
        tool.name: _entry(tool, _about(tool, toolset, explained), server.models, stop, said)
        for toolset in server.toolsets
        for tool in toolset.tools
    }
    for name in _superseded(server.tools):
        entries[name]["deprecated"] = True
    return content(entries, said)


def _explained(server: Server) -> dict[str, str]:
    """Return stem of a term → the sentence that explains it: of the document (`A guild is a
    server`), or of a schema with its name.
    """
    texts = [server.description, *(toolset.description for toolset in server.toolsets)]
    found = [match for text in texts for match in _EXPLAINED.findall(text)]
    found += [(name, schema.get("description", "")) for name, schema in server.models.items()]
    said = {stem(term.lower()): text for term, text in reversed(found) if text}
    return {term: text for term, text in said.items() if term not in stop_words()}


def _about(tool: Tool, toolset: Toolset, explained: Mapping[str, str]) -> Toolset:
    """Return a toolset whose text also explains the terms in a tool's path and name."""
    named = stems(words(f"{_PARAMETER.sub('', tool.origin.path)} {tool.name}"))
    texts = [explained[term] for term in dict.fromkeys(named) if term in explained]
    texts = [text.partition(". ")[0] for text in texts if text not in toolset.description]
    return replace(toolset, description=" ".join([toolset.description, *texts]))


def _superseded(tools: Iterable[Tool]) -> Iterator[str]:
    """Yield the names of tools with a later version: of `/v1/orders` beside `/v2/orders`, and of
    `/orders` beside either; the methods are equal.
    """
    versions: dict[tuple[str, str], dict[str, list[int]]] = {}
    for tool in tools:
        path = _PARAMETER.sub("{}", tool.origin.path)
        same = versions.setdefault((tool.origin.method, _NUMBERED.sub("", path)), {})
        same[tool.name] = [int(number) for number in _NUMBERED.findall(path)]
    for same in versions.values():
        latest = max(same.values())
        yield from (name for name, version in same.items() if version < latest)


def _entry(
    tool: Tool, toolset: Toolset, models: Mapping[str, Schema], stop: list[str], said: set[str]
) -> dict[str, Any]:
    """Return the index entry of a tool, also with `deprecated` and for a read `lists`; add its
    words to `said`.
    """
    fields = words_by_field(_fields(tool, toolset, models))
    said.update(*fields.values())
    one = entry_of(fields, kind_of(tool), stop)
    if tool.deprecated or _DEPRECATED.search(tool.description):
        one["deprecated"] = True
    if one["kind"] == "get":
        ends = [words(name)[-1:] for name in _lists(tool.response.type, models)]
        one["lists"] = " ".join(stems(chain(*ends)))
    return one


def stop_words() -> list[str]:
    """Return the words without meaning for a search."""
    return _words("stop")


def _words(table: str) -> list[str]:
    return sorted(set(tables()[table].split()))


def content(entries: Mapping[str, Any], said: Iterable[str] = ()) -> dict[str, Any]:
    """Return the index: `tools` are the entries by tool, the other members are tables of words.
    `said`: words of the tools. A stem counts as a synonym only for meanings of these words; a stem
    of no such word has every meaning.
    """
    terms = {term for one in entries.values() for term in one["terms"]}
    return {
        **{name: _words(name) for name in WORDS},
        "verbs": _verbs(),
        "phrases": _phrases(),
        "opposites": _opposites(),
        "synonyms": _synonyms(terms, set(said)),
        "neighbours": _neighbours(terms),
        "tools": entries,
    }


def kind_of(tool: Tool) -> str:
    """Classify the effect of a tool: `create`, `list`, `get`, `search`, `update` or `delete`.

    The method decides (a PUT that destroys nothing is `create`), and for GET and POST the end of
    the path (`/orders/{id}/cancel`, `chat.delete`).
    """
    method, segments = tool.origin.method, _segments(tool.origin.path)
    if method == "DELETE":
        return "delete"
    if method == "PUT" and not tool.hints.destructive:
        return "create"  # it adds to a collection
    if method in ("PUT", "PATCH"):
        return "update"
    end = "".join(segments[-1:])
    if end.startswith("{"):
        end = ""
    kind, kinds = "create" if end else "update", kinds_of_verb(end)
    if method != "POST":
        kind = _kind_of_reading(tool, end)
        kinds = [each for each in kinds if each in READING]
    if not kinds or kind in kinds:
        return kind
    return kinds[0]


def kinds_of_verb(segment: str) -> list[str]:
    """Return the kinds of effect of the first word of a path's segment; empty for no verb."""
    return _verbs().get(next(iter(words(segment)), ""), [])


def _kind_of_reading(tool: Tool, end: str) -> str:
    if not end:
        return "get"
    if not _searching().isdisjoint(words(_PARAMETER.sub("", tool.origin.path))):
        return "search"
    if is_plural(words(end)) or _answers_list(tool):
        return "list"
    return "get"


def _answers_list(tool: Tool) -> bool:
    return tool.response.wrapped or tool.listing.items is not None


def _segments(path: str) -> list[str]:
    segments = [segment for segment in re.split(r"[/#?:.]", path) if segment]
    if segments and segments[-1] in FORMATS:
        return segments[:-1]
    return segments


def _fields(tool: Tool, toolset: Toolset, models: Mapping[str, Schema]) -> dict[str, str]:
    """Return the fields of a tool, with those that only the document tells: its path, the fields of
    its answer, and what its area is about (`A Droplet is a virtual machine`).
    """
    segments = _segments(_PARAMETER.sub("", tool.origin.path))
    named = [segment for segment in segments if not _VERSION.fullmatch(segment)]
    fields = fields_of(wire(tool), toolset.name)
    return {
        **fields,
        "output": " ".join(_members(tool.response.type, models)) or fields["output"],
        "tail": " ".join(named[-1:]),
        "path": " ".join(named[:-1]),
        "area": toolset.description,
    }


def _members(schema: Schema | None, models: Mapping[str, Schema], depth: int = 4) -> Schema:
    """Return name → schema of the properties of an object, of a list's items, of what an answer is
    one of, and of what an envelope holds.
    """
    if schema is None or not depth:
        return {}
    if "$ref" in schema:
        schema = models.get(schema["$ref"].rpartition("/")[2], {})
    members = dict(schema.get("properties", {}))
    inner = [schema.get("items"), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    inner += _content(members)
    for one in inner:
        members |= _members(one, models, depth - 1)
    return members


def _content(members: Schema) -> list[Schema]:
    """Return the content of an envelope: its only member that is an object or a list."""
    held = [one for one in members.values() if not STRUCTURE.isdisjoint(one)]
    return held if len(held) == 1 else []


def _lists(schema: Schema | None, models: Mapping[str, Schema]) -> list[str]:
    """Return the names of the lists that an answer holds."""
    members = _members(schema, models)
    return [name for name, member in members.items() if member.get("type") == "array"]


@cache
def _searching() -> frozenset[str]:
    """Return the words in a path that mean a search."""
    return frozenset(tables()["verbs"]["search"].split())


@cache
def _verbs() -> dict[str, list[str]]:
    """Return verb → the kinds of operation it may ask for."""
    kinds: dict[str, list[str]] = {}
    for kind, row in tables()["verbs"].items():
        for word in row.split():
            kinds.setdefault(word, []).append(kind)
    return kinds


@cache
def _phrases() -> dict[str, dict[str, str]]:
    """Return verb → particle → the verb that the two mean."""
    phrases: dict[str, dict[str, str]] = {}
    for meaning, row in tables()["phrases"].items():
        for phrase in row.split("|"):
            verb, particle = phrase.split()
            phrases.setdefault(verb, {})[particle] = meaning
    return phrases


@cache
def _opposites() -> list[list[str]]:
    """Return pairs of lines: the roots of verbs, and of the verbs that undo these."""
    lines = tables()["opposites"].strip().splitlines()
    return [[" ".join(map(root, side.split())) for side in line.split("|")] for line in lines]


def _synonyms(terms: set[str], said: set[str]) -> dict[str, list[str]]:
    """Return root of a word → the stems of the index that mean nearly the same. A stem of the index
    means what the tools say: `termin` of `terminate` is no `terminal`.
    """
    rows = [line.split() for table in tables()["synonyms"].values() for line in table.splitlines()]
    broader = {word: row.split() for word, row in tables()["broader"].items()}
    roots: dict[str, set[str]] = {stem(word): set() for word in chain(*rows, broader)}
    for word in said:
        if stem(word) in roots:
            roots[stem(word)].add(root(word))
    meanings: dict[str, set[str]] = {}

    def known(row: list[str]) -> set[str]:
        """The stems of a row's words that the index has."""
        pairs = {stem(word): root(word) for word in row if stem(word) in terms}
        return {term for term, one in pairs.items() if one in (roots[term] or [one])}

    for row in rows:
        found = known(row)
        for word in row:
            meanings.setdefault(root(word), set()).update(found - {stem(word)})
    for general, row in broader.items():
        for word in row:
            meanings.setdefault(root(word), set()).update(known([general]))
    return {word: sorted(others) for word, others in sorted(meanings.items()) if others}


def _neighbours(terms: set[str]) -> dict[str, str]:
    """Return common word that no tool has → the nearest stems of the index, with spaces between
    them, by `data/neighbours.txt` (written by `scripts/neighbours.py`).
    """
    found: dict[str, str] = {}
    text = (resources.files("mcpgen") / "data" / "neighbours.txt").read_text("utf-8")
    for line in text.splitlines():
        word, _, others = line.partition(": ")
        near = [other for other in others.split() if other in terms][:NEAREST]
        if near and word not in terms:
            found[word] = " ".join(near)
    return found
