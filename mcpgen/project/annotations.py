"""Annotations of the user's functions as JSON Schema, read from their text and never run.

A class of `custom/` becomes a definition with its fields; an annotation that only Python can
resolve becomes `{"format": TEXT}`, so that its changes show in a comparison.
"""

from __future__ import annotations

import ast
import json
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ..ir import Schema
from ..load.values import as_list

TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
GENERIC = {
    **dict.fromkeys(("list", "List", "Sequence", "Iterable", "tuple", "set", "frozenset"), "list"),
    **dict.fromkeys(("dict", "Dict", "Mapping"), "mapping"),
    **dict.fromkeys(("Annotated", "Required", "NotRequired", "Final"), "wrapper"),
    **{"Union": "union", "Optional": "optional"},
}
BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
"""Option of pydantic's `Field` → keyword; other options are the keyword in snake case."""
ANYTHING = ("Any", "object")
DEFAULTS = {"default", "default_factory"}
NULL: Schema = {"type": "null"}


@dataclass(slots=True)
class Annotations:
    """The classes and aliases that annotations may name, and the definitions that they make."""

    types: Mapping[str, ast.AST]
    definitions: dict[str, Schema] = field(default_factory=dict)
    open: frozenset[str] = frozenset()
    """Aliases around an annotation, which may refer to themselves."""

    def schema(self, node: ast.AST | None) -> Schema:
        """Return the schema of an annotation: `{}` for None and `Any`, `{"format": TEXT}` for what
        cannot be resolved. Enters classes into `definitions`.
        """
        match node:
            case None:
                return {}
            case ast.Constant(value=None):
                return NULL
            case ast.Constant(value=str(text)):
                return self._quoted(text)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _union([self.schema(left), self.schema(right)])
            case ast.Subscript(value=value, slice=within):
                return self._generic(last_name(value), within, node)
            case ast.Name() | ast.Attribute():
                return self._name(last_name(node), node)
        return {"format": ast.unparse(node)}

    def member(self, annotation: ast.AST | None, default: ast.expr | None) -> tuple[Schema, bool]:
        """Return (schema, required) of an argument or field. The schema has the default, and the
        constraints of a default `Field(…)`.
        """
        schema = self.schema(annotation)
        match default:
            case None:
                return schema, all(map(_is_without_default, _fields(annotation)))
            case ast.Call() as call if last_name(call.func).lower() == "field":
                return {**schema, **_constraints(call)}, _is_without_default(call)
        return {**schema, "default": literal(default)}, False

    def _quoted(self, text: str) -> Schema:
        try:
            return self.schema(ast.parse(text, mode="eval").body)
        except SyntaxError:
            return {"format": text}

    def _name(self, name: str, node: ast.AST) -> Schema:
        if name in TYPES:
            return {"type": TYPES[name]}
        if name in ANYTHING:
            return {}
        match self.types.get(name):
            case ast.ClassDef() as found:
                if name not in self.definitions:
                    self.definitions[name] = {}  # it may refer to itself
                    self.definitions[name] = replace(self, open=frozenset())._class(found)
                return {"$ref": f"#/$defs/{name}"}
            case ast.expr() as alias if name not in self.open:
                return replace(self, open=self.open | {name}).schema(alias)
        return self._generic(name, ast.Name("Any"), node)

    def _generic(self, name: str, within: ast.expr, node: ast.AST) -> Schema:
        parts = getattr(within, "elts", [within])
        if name == "Literal":
            return {"enum": [*map(literal, parts)]}
        schemas = [self.schema(part) for part in parts if ast.unparse(part) != "..."] or [{}]
        match GENERIC.get(name):
            case "list":
                return {"type": "array", "items": _union(schemas)}
            case "mapping":
                return {"type": "object", "additionalProperties": schemas[-1]}
            case "wrapper":
                return dict(ChainMap(*map(_constraints, _fields(node)), schemas[0]))
            case "union":
                return _union(schemas)
            case "optional":
                return _union([*schemas, NULL])
        return {"format": ast.unparse(node)}

    def _class(self, node: ast.ClassDef) -> Schema:
        """Return the schema of a class: an object with its annotated fields and those of its bases,
        or `{"enum": …}` for an `Enum`.
        """
        bases = [last_name(base) for base in node.bases]
        if bases and bases[-1].endswith("Enum"):
            assigned = [each.value for each in node.body if isinstance(each, ast.Assign)]
            return {"enum": [*map(literal, assigned)]}
        schema: Schema = {"type": "object", "properties": {}, "required": []}
        self._add_fields(node, schema, {node.name})
        return schema

    def _add_fields(self, node: ast.ClassDef, schema: Schema, seen: set[str]) -> None:
        """Add the fields of a class and of its bases, but those `seen`, to a schema in place."""
        for name in map(last_name, node.bases):
            base = self.types.get(name)
            if isinstance(base, ast.ClassDef) and name not in seen:
                self._add_fields(base, schema, seen | {name})
        options = [ast.unparse(option) for option in node.keywords]
        for each in node.body:
            match each:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    schema["properties"][name], is_required = self.member(annotation, value)
                    if name in schema["required"]:
                        schema["required"].remove(name)
                    if is_required > ("total=False" in options):
                        schema["required"].append(name)


def last_name(node: ast.AST) -> str:
    """Return `Literal` for `Literal`, `typing.Literal` and `Literal[…]`; empty for other nodes."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return last_name(value)
    return ""


def literal(node: ast.expr) -> Any:
    """Return a constant as JSON has it (a tuple: a list), or the source text of another
    expression.
    """
    try:
        return json.loads(json.dumps(ast.literal_eval(node), default=repr))
    except (TypeError, ValueError):  # a name, or a key that JSON does not have
        return ast.unparse(node)


def _fields(annotation: ast.AST | None) -> Iterator[ast.Call]:
    """Yield each `Field(…)` in the metadata of an annotation."""
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[_, *metadata])):
            for each in metadata:
                if isinstance(each, ast.Call):
                    yield each


def _is_without_default(call: ast.Call) -> bool:
    """Return whether a `Field(…)` leaves a value required: it has no default, or `...`."""
    given = [keyword.arg for keyword in call.keywords if keyword.arg in DEFAULTS]
    return not [*given, *(arg for arg in call.args if ast.unparse(arg) != "...")]


def _constraints(call: ast.Call) -> Schema:
    given = {keyword.arg or "": literal(keyword.value) for keyword in call.keywords}
    return {BOUNDS.get(name, _camel_case(name)): value for name, value in given.items()}


def _camel_case(name: str) -> str:
    """Return a name in camel case: `min_length` → `minLength`."""
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _union(schemas: list[Schema]) -> Schema:
    """Return the schema of a union: one `type` for bare types, one `enum` for an enumeration with
    null, else `anyOf`.
    """
    branches = [branch for schema in schemas for branch in schema.get("anyOf", [schema])]
    match branches:
        case [only]:
            return dict(only)
        case [{"enum": list(values)}, {"type": "null"}]:
            return {"enum": [*values, None]}
    if all(branch.keys() == {"type"} for branch in branches):
        kinds = [as_list(branch["type"]) or [branch["type"]] for branch in branches]
        return {"type": sorted(set(chain.from_iterable(kinds)))}
    return {"anyOf": branches}
