"""Conditions on a value (`if`, `not`, `dependentSchemas`) that calls are checked against.

No list shows them, because clients refuse them. They are checked as they are written: what is only
nearly the same would refuse, under a `not`, what the document takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_object, as_text, objects_in, texts_in
from ..pattern import portable_pattern
from ..schema import conditions
from .node import KEY

if TYPE_CHECKING:
    from ...ir import Schema
    from ..schema import Reader

PATTERN_RULES = ("patternProperties", "additionalProperties")
OF_PARTS = ("contains", "minContains", "maxContains")
"""Rules for some of the parts of a value, which no projection lists."""
OF_THE_REST = frozenset(("unevaluatedItems", "unevaluatedProperties"))
"""Rules for what no other rule of the same schema is about: they mean nothing by themselves."""
OF_ANY_TYPE = frozenset(
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems"
    " minProperties maxProperties propertyNames dependentRequired".split()
)


def checkable(
    reader: Reader, schema: Schema, base: dict[str, Any], barred: tuple[str, ...]
) -> tuple[Schema, ...]:
    """The conditions of a schema, which is `base` when it is flat, that can be checked as they are
    written. None asks for a property that cannot be sent.
    """
    written = _written(reader, schema, base)
    return tuple(each for each in written if each and _is_checkable(reader, each, barred))


def _written(reader: Reader, schema: Schema, base: dict[str, Any]) -> Iterator[Schema]:
    """Yield the rules that no projection holds, as they are written; some may be empty."""
    yield from map(_without_rules_of_names, conditions(base))
    yield from _of_places(base)
    yield {key: base[key] for key in OF_PARTS if key in base}
    if not reader.types(base):
        yield {key: base[key] for key in OF_ANY_TYPE.intersection(base)}
    if reader.is_null(base):
        yield {"const": None}
    if not OF_THE_REST.isdisjoint(base):
        yield schema


def _of_places(base: dict[str, Any]) -> Iterator[Schema]:
    """Yield the rules for single places of an array, and for the names of an object's fields, which
    a projection widens: a tuple becomes a list of any of its items.
    """
    parts = [base.get("items", True), *as_list(base.get("prefixItems"))]
    says_more = any(part not in ({}, True) for part in parts)
    if parts[0] is False or (len(parts) > 1 and says_more):
        yield {key: base[key] for key in ("prefixItems", "items") if key in base}
    others = as_object(base.get("additionalProperties")) and base.get("properties")
    if others or base.get("patternProperties"):
        rules: Schema = {"properties": dict.fromkeys(as_object(base.get("properties")), True)}
        rules |= {key: base[key] for key in PATTERN_RULES if key in base}
        yield rules


def _without_rules_of_names(condition: Schema) -> Schema:
    """A condition without what `Node.rules_of_names` says: which properties need others."""
    out = dict(condition)
    dependent = as_object(out.pop("dependentSchemas", None))
    others = {
        name: rule for name, rule in dependent.items() if set(as_object(rule)) != {"required"}
    }
    if others:
        out["dependentSchemas"] = others
    return out


def _is_checkable(reader: Reader, condition: Schema, barred: tuple[str, ...]) -> bool:
    pending: list[Any] = [condition]
    followed: set[str] = set()
    while pending:
        for schema in objects_in(pending.pop()):
            if not _is_said_alike(schema, barred):
                return False
            ref = as_text(schema.get("$ref"))
            if ref and ref not in followed:
                followed.add(ref)
                pending.append(reader.resolve(ref)[0])
    return True


def _is_said_alike(schema: dict[str, Any], barred: tuple[str, ...]) -> bool:
    """Return whether names and patterns in a schema mean to a call what they mean in the
    document.
    """
    if "$dynamicRef" in schema:
        return False
    required = texts_in(schema.get("required"))
    names = [*as_object(schema.get("properties")), *required]
    if not all(map(KEY.fullmatch, names)) or not set(required).isdisjoint(barred):
        return False
    patterns = [*as_object(schema.get("patternProperties")), as_text(schema.get("pattern"))]
    return all(portable_pattern(pattern) == pattern for pattern in patterns if pattern)
