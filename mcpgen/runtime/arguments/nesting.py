"""The right place of an unknown name: into an object, out of one, or to another name.

APIs that take a body whole wrap it (`{"data": {...}}`), and models forget the wrapper or
add one. Objects inside are open unless their schema closes them: an API ignores unknown
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .explain import is_slip, place

MOST_SCHEMAS = 200
MOST_FIELDS = 20
"""Names of fields that a remark lists."""
DEEPEST = 3
OTHER_NAMES = frozenset(
    "additionalProperties anyOf dependentSchemas else if oneOf patternProperties then"
    " unevaluatedProperties".split()
)
"""The keys of a schema whose object may have names that are not among its properties."""

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


def slips(schema: Any, value: Any, resolve: Resolve) -> Iterator[str]:
    """A line for each name in an open object that its schema does not have, with the one that is
    meant where it is a slip of it, else with those that the schema has.
    """
    pending: list[tuple[list[str | int], Any, Any]] = [([], schema, value)]
    while pending:
        path, one, item = pending.pop()
        one = resolve(one)
        if not isinstance(one, Mapping):
            continue
        if isinstance(item, list):
            pending += [([*path, at], one.get("items"), each) for at, each in enumerate(item)]
        if not isinstance(item, dict):
            continue
        fields = _fields(one, resolve)
        pending += [([*path, name], fields[name], item[name]) for name in item if name in fields]
        if fields and not _has_others(one, resolve):
            yield from _slips_in(path, item, fields)


def dropped_nulls(given: Any, sent: Any, path: tuple[str | int, ...] = ()) -> Iterator[str]:
    """A line for each null of the arguments that is not sent."""
    pairs: Iterable[tuple[str | int, Any]] = ()
    if isinstance(given, dict) and isinstance(sent, dict):
        pairs = given.items()
    elif isinstance(given, list) and isinstance(sent, list):
        pairs = enumerate(given)
    for key, item in pairs:
        if item is None and isinstance(key, str) and key not in sent:
            yield f"{place([*path, key])} was not sent: null is not a value of it"
        elif isinstance(key, int) or key in sent:
            yield from dropped_nulls(item, sent[key], (*path, key))


def _slips_in(
    path: list[str | int], item: Mapping[str, Any], fields: Mapping[str, Any]
) -> Iterator[str]:
    free = [field for field in fields if field not in item]
    for name in item:
        if name in fields:
            continue
        meant = [field for field in free if is_slip(name, field)]
        if len(meant) == 1:
            yield (
                f"{place([*path, name])} was sent as it is, but the API describes `{meant[0]}`"
                " there, and may have ignored it"
            )
        else:
            yield (
                f"{place([*path, name])} was sent as it is, but the API does not describe it, and"
                f" may have ignored it; the fields there are {_listed(fields)}"
            )


def _listed(fields: Mapping[str, Any]) -> str:
    names = ", ".join(f"`{field[:100]}`" for field in list(fields)[:MOST_FIELDS])
    more = len(fields) - MOST_FIELDS
    return f"{names} and {more} more" if more > 0 else names


def _has_others(schema: Mapping[str, Any], resolve: Resolve) -> bool:
    """Return whether an object may have names that are not among the properties of its schema and
    of the parts that all hold for it.
    """
    if not OTHER_NAMES.isdisjoint(schema):
        return True
    parts = [resolve(part) for part in schema.get("allOf", ())]
    return not all(
        isinstance(part, Mapping) and part.keys().isdisjoint({*OTHER_NAMES, "allOf"})
        for part in parts
    )


def _fields(schema: Any, resolve: Resolve) -> dict[str, Any]:
    """The properties that an object may have, with those of the parts that all hold for it."""
    schema = resolve(schema)
    if not isinstance(schema, Mapping):
        return {}
    fields = dict(schema.get("properties", {}))
    for part in schema.get("allOf", ()):
        part = resolve(part)
        if isinstance(part, Mapping):
            fields |= part.get("properties", {})
    return {name: field for name, field in fields.items() if field is not False}
