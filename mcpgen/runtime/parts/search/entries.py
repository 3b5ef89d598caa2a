"""Index entry of one tool: stems of its words, and their weights.

The weights are those of BM25F (Robertson and Zaragoza 2009): each field counts by its weight, and
less the longer it is. The usual length of a field is fixed here, not taken from the other tools, so
that the entry of a tool changes only when the tool does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .words import stems, words

SCALE = 10
"""Weights are stored as integers, in tenths."""


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """Weight of a word in a field, the usual number of words in the field, and the reduction of the
    weight by its length (0 none, 1 in proportion).
    """

    weight: float
    length: float
    fall: float


FIELDS = {
    "name": FieldWeight(3.0, 3, 0.3),
    "tail": FieldWeight(3.0, 1.5, 0.3),
    "sentence": FieldWeight(3.0, 7, 0.5),
    "path": FieldWeight(1.5, 4, 0.4),
    "title": FieldWeight(1.0, 3, 0.3),
    "toolset": FieldWeight(1.0, 1.5, 0.2),
    "area": FieldWeight(1.0, 20, 0.7),
    "description": FieldWeight(0.8, 25, 0.7),
    "arguments": FieldWeight(0.7, 5, 0.6),
    "output": FieldWeight(0.3, 15, 0.6),
    "values": FieldWeight(0.4, 8, 0.6),
    "explanations": FieldWeight(0.35, 40, 0.7),
}
"""Field of a tool -> its weight. `tail` is the last named segment of the path, `area` the text of
its toolset.
"""
ONCE = frozenset({"name", "tail", "path", "title", "toolset"})
"""Fields in which a word counts once: `get_movie_movie_id_credits` is no more about movies."""
METHODS = frozenset({"get", "list", "post", "put", "patch", "delete", "create", "update"})
"""Words of names and paths that say what is done, and not to what."""


def entry(fields: Mapping[str, str], kind: str, stop: Iterable[str]) -> dict[str, Any]:
    """Return the entry of a tool from the texts of its fields, without `stop` words: its `kind`;
    its `terms`, stem -> weight in tenths; its `subject`, the stems of what it acts on, as one text.
    """
    return entry_of(words_by_field(fields), kind, stop)


def words_by_field(fields: Mapping[str, str]) -> dict[str, list[str]]:
    """Return field -> its words; fields without a text are left out."""
    return {name: words(text) for name, text in fields.items() if text}


def entry_of(words_of: Mapping[str, list[str]], kind: str, stop: Iterable[str]) -> dict[str, Any]:
    """Return the entry of a tool (as `entry`) whose fields are lists of words already."""
    ignored = frozenset(stop)
    terms: dict[str, float] = {}
    for name, all_words in words_of.items():
        field = FIELDS[name]
        found = [word for word in all_words if word not in ignored]
        worth = field.weight / (1 - field.fall + field.fall * len(found) / field.length)
        said: Iterable[str] = stems(found)
        if name in ONCE:
            said = dict.fromkeys(said)
        for term in said:
            terms[term] = terms.get(term, 0.0) + worth
    weights = {term: round(weight * SCALE) for term, weight in sorted(terms.items())}
    subject = [*words_of.get("path", []), *words_of.get("tail", [])] or words_of["name"]
    subject = [word for word in subject if word not in METHODS | ignored]
    return {
        "kind": kind,
        "subject": " ".join(dict.fromkeys(stems(subject))),
        "terms": {term: weight for term, weight in weights.items() if weight},
    }


def fields_of(tool: Mapping[str, Any], toolset: str) -> dict[str, str]:
    """Return the text of each field that a Tool object tells: all but `path`, `tail` and `area`."""
    description = str(tool.get("description", ""))
    sentence, _, rest = description.partition("\n")
    properties = _properties(tool.get("inputSchema"))
    return {
        "name": str(tool["name"]),
        "title": str(tool.get("title", "")),
        "sentence": sentence,
        "description": rest,
        "toolset": toolset,
        "arguments": " ".join(properties),
        "explanations": " ".join(_texts(properties)),
        "values": " ".join(_values(properties)),
        "output": " ".join(_output(tool.get("outputSchema"))),
    }


def _properties(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return {}
    properties: dict[str, Any] = schema["properties"]
    return {name: schema for name, schema in properties.items() if isinstance(schema, dict)}


def _texts(properties: Mapping[str, Any]) -> Iterable[str]:
    for schema in properties.values():
        yield str(schema.get("description", ""))


def _values(properties: Mapping[str, Any]) -> Iterable[str]:
    for schema in properties.values():
        values = schema.get("enum")
        if isinstance(values, list):
            yield from (value for value in values if isinstance(value, str))


def _output(schema: Any) -> list[str]:
    """Return the names of an output schema's properties, and of those of each and of its items."""
    names: list[str] = []
    for name, inner in _properties(schema).items():
        names.append(name)
        names += _properties(inner)
        names += _properties(inner.get("items"))
    return names
