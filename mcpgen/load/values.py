"""Plain JSON values of a document that may have any shape: each function returns the shape its
caller needs, or an empty value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")
TYPES = ("null", "boolean", "object", "array", "number", "string", "integer")
"""The types of JSON Schema."""
SCHEMA_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords of JSON Schema whose value maps names that the author chose to schemas."""


def as_object(value: Any) -> dict[str, Any]:
    """Return an object unchanged; for any other value, an empty object."""
    if isinstance(value, dict):
        return value
    return {}


def as_list(value: Any) -> list[Any]:
    """Return a list unchanged; for any other value, an empty list."""
    if isinstance(value, list):
        return value
    return []


def as_text(value: Any) -> str:
    """Return a text unchanged; for any other value, an empty text."""
    if isinstance(value, str):
        return value
    return ""


def first_text(*values: Any) -> str:
    """Return the first value that is a text and not empty; empty if there is none."""
    return next(filter(None, map(as_text, values)), "")


def listed_types(value: Any) -> list[Any]:
    """Return the names in a schema's `type`, be it one or a list; empty if it is neither."""
    if isinstance(value, str):
        return [value]
    return as_list(value)


def keywords(schema: dict[str, Any], texts: Collection[str]) -> list[str]:
    """Return the keywords of a schema that are neither among `texts` nor extensions."""
    return [key for key in schema if key not in texts and not str(key).startswith("x-")]


def picked(values: Mapping[Key, Value], keys: Iterable[Key]) -> dict[Key, Value]:
    """Return the members that have one of these keys, in the order of the keys."""
    return {key: values[key] for key in keys if key in values}


def without(values: Mapping[Key, Value], keys: Container[Key]) -> dict[Key, Value]:
    """Return the members without the given keys."""
    return {key: value for key, value in values.items() if key not in keys}


def texts_in(value: Any) -> list[str]:
    """Return the texts among the items of a list; empty for a value that is no list."""
    return [item for item in as_list(value) if isinstance(item, str)]


def frozen(value: Any) -> Hashable:
    """Return a hashable form of a JSON value; two forms are equal if the values are."""
    if isinstance(value, dict):
        return frozenset((key, frozen(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(frozen, value))
    return value  # type: ignore[no-any-return]


def objects_in(value: Any, seen: set[int] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value, and the value itself if it is one, each once: an object may
    hold itself. The caller may change an object before the walk enters it. Objects whose ids are in
    `seen` are left out; those that are yielded are added to it.
    """
    pending = [value]
    if seen is None:
        seen = set()
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)


def examples_of(node: dict[str, Any], follow: Callable[[Any], Any]) -> list[Any]:
    """Return the values of the `example` and the `examples` of a Parameter or Media Type Object
    (OpenAPI 3.2 §4.12.2, §4.14). `follow` returns an Example Object from it or from a reference to
    it.
    """
    entries = [as_object(follow(entry)) for entry in as_object(node.get("examples")).values()]
    named = [picked(entry, ("value", "dataValue")) for entry in entries]
    return [value for each in (picked(node, ["example"]), *named) for value in each.values()]


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and no boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
