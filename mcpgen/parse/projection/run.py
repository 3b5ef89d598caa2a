"""The walk of a projection: every schema by its kind, with pointers to what the portable profile
cannot say.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...load.values import as_text
from ...text import visible
from ..detail import Detail, TooLarge
from ..schema import is_of_type
from . import containers, notes, scalars, unions

if TYPE_CHECKING:
    from ...ir import Schema
    from ..schema import Reader

HARD_DEPTH = 8
"""Levels of unions in unions; a schema that requires itself has no finite value anyway."""
LONGEST_DEFAULT = 200
"""Characters of JSON of the longest default that is said."""


@dataclass(slots=True)
class Projection:
    """A projected schema and what the projection learned. Pointers are relative to `schema`.

    `nullable`: where null is a value. `wire_names`: (pointer, name on the wire) of renamed keys.
    """

    schema: Schema
    nullable: list[str] = field(default_factory=list)
    wire_names: list[tuple[str, str]] = field(default_factory=list)
    accepts_null: bool = False


def project(
    reader: Reader, node: Any, detail: Detail, *, writing: bool = True, nulls: bool = True
) -> Projection:
    """`node` as the portable profile says it. Raises TooLarge when `detail.nodes` is exceeded.

    `writing`: the schema is an input, and `readOnly` properties are left out; else `writeOnly` ones
    are. `nulls`: null can be sent; else a schema that allows it is one that does not.
    """
    run = Run(reader, detail, writing, nulls)
    schema, accepts_null = run.schema(node, 0, "")
    return Projection(schema, run.nullable, run.wire_names, accepts_null)


class Run:
    """One projection: counts its schemas and collects what is remembered by pointer."""

    def __init__(self, reader: Reader, detail: Detail, writing: bool, nulls: bool) -> None:
        self.reader, self.detail, self.writing, self.nulls = reader, detail, writing, nulls
        self.nullable: list[str] = []
        self.wire_names: list[tuple[str, str]] = []
        self.nodes = 0
        self.unions = 0
        """Unions around the schema that is projected at the moment."""

    def schema(self, node: Any, depth: int, pointer: str) -> tuple[Schema, bool]:
        """The projection of one schema at `pointer`, and whether it accepts null."""
        self.nodes += 1
        if self.nodes > self.detail.nodes:
            raise TooLarge
        base, branches, allows_null = self.reader.expand(node)
        null = allows_null and self.nulls
        if len(branches) > 1 and self.unions < HARD_DEPTH:
            self.unions += 1
            out = unions.union(self, base, branches, depth, pointer)
            self.unions -= 1
        else:
            out = self.of_types(base, depth, pointer)
        if null and pointer:
            self.nullable.append(pointer)
        return self.with_texts(out, base, depth, null), null

    def of_types(self, base: dict[str, Any], depth: int, pointer: str) -> Schema:
        """A schema without a union: of one type, of several, or of any."""
        types = [name for name in self.reader.types(base) if name != "null"]
        if "number" in types and "integer" in types:
            types.remove("integer")
        if not types:
            return self.of_any_type(base)
        if len(types) == 1:
            return self.of_type(types[0], base, depth, pointer)
        options = [{**base, "type": name} for name in types]
        return unions.alternatives(self, options, depth, pointer)

    def of_any_type(self, base: dict[str, Any]) -> Schema:
        values = scalars.enum_values(base, "")
        if 0 < len(values) <= self.detail.enum:
            return {"enum": values}
        return {}

    def of_type(self, name: str, base: dict[str, Any], depth: int, pointer: str) -> Schema:
        """A schema of one type."""
        out: Schema = {"type": name}
        if name == "object":
            out.update(containers.object_keywords(self, base, depth, pointer))
        elif name == "array":
            out.update(containers.array_keywords(self, base, depth, pointer))
        elif name == "string":
            out.update(scalars.text_keywords(base))
        elif name in ("integer", "number"):
            out.update(scalars.number_keywords(self, base))
        out.update(scalars.count_keywords(self, base, name))
        return scalars.with_values(self, out, base, name)

    def with_texts(self, out: Schema, base: dict[str, Any], depth: int, null: bool) -> Schema:
        """`out` with a description and a default."""
        own_text = out.pop("description", "")
        description = notes.description(self.detail, out, base, own_text, depth, null)
        if description:
            out = {**out, "description": description}
        default = base.get("default")
        # A default file would be read as a path, or sent as base64.
        if default is None or base.get("format") == "binary":
            return out
        if _fits(default, out) and len(json.dumps(default)) <= LONGEST_DEFAULT:
            out["default"] = default
        return out

    def refuse(self, keyword: str, value: Any, rule: str) -> None:
        """Report a keyword whose value cannot be meant."""
        text = visible(json.dumps(value, default=str))[:60]
        message = f"`{keyword}` must be {rule}, not `{text}`: left out"
        self.reader.problems.warn("E0503", message)


def _fits(value: Any, schema: Schema) -> bool:
    """Whether a default is of its schema's type and, for an enum, one of its values."""
    if value not in schema.get("enum", [value]):
        return False
    if visible(as_text(value)) != as_text(value):
        return False
    if "type" not in schema:
        return "anyOf" not in schema
    return is_of_type(value, schema["type"])
