"""Where a name belongs that is no argument: into an object that is one, or out of one that is not.

APIs that take a body whole wrap it (`{"data": {...}}`), and models forget the wrapper or add one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

MOST_SCHEMAS = 200
DEEPEST = 3

Resolve = Callable[[Any], Any]
"""Follows the local references of a schema."""


def belongs(name: str, value: Any, schema: Mapping[str, Any], resolve: Resolve) -> str:
    """`; it is a field of ...`, or that the fields of the value are arguments themselves, or
    nothing.
    """
    places = list(_places(name, schema, resolve))
    outermost = [path for path in places if path.count(".") == places[0].count(".")]
    if len(outermost) == 1:
        return f"; it is a field of `{outermost[0]}`"
    properties = schema.get("properties", {})
    if isinstance(value, dict) and value and value.keys() <= properties.keys():
        fields = ", ".join(f"`{field}`" for field in list(value)[:5])
        return f"; give {fields} without it"
    return ""


def _places(name: str, schema: Mapping[str, Any], resolve: Resolve) -> Iterator[str]:
    """The paths of the objects that have a field of that name, the outermost first."""
    pending = [("", schema)]
    seen = 0
    for path, one in pending:
        for field, inner in _fields(one, resolve).items():
            seen += 1
            if seen > MOST_SCHEMAS:
                return
            if path and field == name:
                yield path
            if path.count(".") < DEEPEST - 1:
                pending.append((f"{path}.{field}".lstrip("."), inner))


def _fields(schema: Any, resolve: Resolve) -> dict[str, Any]:
    """The properties of an object, with those of the parts that all hold for it."""
    schema = resolve(schema)
    if not isinstance(schema, Mapping):
        return {}
    fields = dict(schema.get("properties", {}))
    for part in schema.get("allOf", ()):
        part = resolve(part)
        if isinstance(part, Mapping):
            fields |= part.get("properties", {})
    return fields
