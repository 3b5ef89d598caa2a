"""Projected schemas → Python annotations, shallow on purpose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..ir import Annotation, Schema
from ..load.values import as_list, as_text

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
"""JSON type → the kind of its annotation."""
LONGEST_LITERAL = 60
"""Values of an enum above which its type is said instead."""
LARGEST_UNION = 4
DEEPEST = 2

ANYTHING = Annotation(kind="any")


def annotation(schema: Schema, *, nullable: bool, depth: int = 0) -> Annotation:
    """The Python type of a projected schema; items and branches are said `DEEPEST` levels deep."""
    values = as_list(schema.get("enum"))
    if _are_literals(values):
        return Annotation(kind="literal", members=tuple(values), nullable=nullable)
    kind = as_text(schema.get("type"))
    if kind == "array":
        items = _inner(schema.get("items", {}), depth)
        return Annotation(kind="list", members=(items,), nullable=nullable)
    if kind == "object":
        return Annotation(kind="dict", nullable=nullable)
    if kind in SCALARS:
        return Annotation(kind=SCALARS[kind], nullable=nullable)
    branches = as_list(schema.get("anyOf"))
    if 1 < len(branches) <= LARGEST_UNION:
        return _union([_inner(branch, depth) for branch in branches], nullable)
    return ANYTHING


def _are_literals(values: list[Any]) -> bool:
    """Return whether the values of an enum can be a `Literal`."""
    if not 0 < len(values) <= LONGEST_LITERAL:
        return False
    return all(type(value) in (str, int, bool) for value in values)


def _inner(schema: Schema, depth: int) -> Annotation:
    if depth >= DEEPEST:
        return ANYTHING
    return annotation(schema, nullable=False, depth=depth + 1)


def _union(branches: list[Annotation], nullable: bool) -> Annotation:
    """A union of distinct annotations; one that any value belongs to is no union."""
    members = tuple(dict.fromkeys(branches))
    if any(member.kind == "any" for member in members):
        return ANYTHING
    if len(members) == 1:
        return replace(members[0], nullable=nullable)
    return Annotation(kind="union", members=members, nullable=nullable)
