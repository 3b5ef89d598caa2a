"""Arrays and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_object, texts_in
from ...runtime.pointer import escape
from ...text import shorten
from .keys import in_order, safe_key

if TYPE_CHECKING:
    from ...ir import Schema
    from .run import Run

HARD_DEPTH = 8
"""Levels of objects; deeper properties are left out, even required ones."""
ANY_VALUE = [{"type": name} for name in ("string", "number", "boolean", "object")]
"""What the items of an array may be, where the document does not say: clients refuse an array
without a type for its items.
"""


def array_keywords(run: Run, base: dict[str, Any], depth: int, pointer: str) -> Schema:
    """The items of an array; a tuple becomes a list of any of its items."""
    items = base.get("items", {})
    if "prefixItems" in base and items in ({}, False, True):
        members = as_list(base["prefixItems"])
        items = {"anyOf": members} if members else {}
    item, _ = run.schema(items, depth + 1, f"{pointer}/items")
    if not item.keys() & {"type", "anyOf", "enum"}:
        item = {**item, "anyOf": [dict(option) for option in ANY_VALUE]}
    out: Schema = {"items": item}
    if base.get("uniqueItems") is True:
        out["uniqueItems"] = True
    return out


def object_keywords(run: Run, base: dict[str, Any], depth: int, pointer: str) -> Schema:
    """The properties of an object: all of them, or below the depth asked for the required ones
    only.
    """
    properties = as_object(base.get("properties"))
    required = set(texts_in(base.get("required")))
    members = _Members(run, depth, pointer, required)
    for wire_name, schema in in_order(properties, required):
        if not _is_hidden(run, schema, wire_name in required):
            members.add(wire_name, schema)
    if run.writing and depth <= HARD_DEPTH:
        for wire_name in sorted(required - set(properties)):
            members.add_undeclared(wire_name)
    out = members.keywords()
    closed = base.get("additionalProperties") is False
    if not members.omitted and (closed or not properties):
        extra = _additional_properties(run, base, depth, pointer)
        if extra is False and not run.writing:
            return out
        if extra is not None:
            out["additionalProperties"] = extra
    return out


def _is_hidden(run: Run, schema: Any, required: bool) -> bool:
    """Whether a property cannot be written (or read), or has no value but null."""
    flat = run.reader.flatten(schema)
    barrier = "readOnly" if run.writing else "writeOnly"
    if flat.get(barrier) is True or flat.get("not") == {}:
        return True
    # To a tool null and a property that is left out are one.
    return flat.get("type") == "null" and not required


class _Members:
    """The properties of one object as they are projected."""

    def __init__(self, run: Run, depth: int, pointer: str, required: set[str]) -> None:
        self.run, self.depth, self.pointer, self.required = run, depth, pointer, required
        self.schemas: dict[str, Schema] = {}
        self.required_keys: list[str] = []
        self.omitted: list[str] = []
        """Names on the wire of properties that are below the depth asked for."""

    def add(self, wire_name: str, schema: Any) -> None:
        """Project a property, unless it is too deep."""
        limit = HARD_DEPTH if wire_name in self.required else self.run.detail.depth - 1
        if self.depth > min(limit, HARD_DEPTH):
            self.omitted.append(wire_name)
            return
        key = safe_key(wire_name, self.schemas)
        pointer = f"{self.pointer}/properties/{escape(key)}"
        self.schemas[key], _ = self.run.schema(schema, self.depth + 1, pointer)
        self._name(key, wire_name, pointer)

    def add_undeclared(self, wire_name: str) -> None:
        """A property that is required and not declared takes any value."""
        key = safe_key(wire_name, self.schemas)
        self.schemas[key] = {}
        self._name(key, wire_name, f"{self.pointer}/properties/{escape(key)}")

    def _name(self, key: str, wire_name: str, pointer: str) -> None:
        if key != wire_name:
            self.run.wire_names.append((pointer, wire_name))
        if wire_name in self.required:
            self.required_keys.append(key)

    def keywords(self) -> Schema:
        """`properties`, `required`, and a description that names what was left out."""
        out: Schema = {}
        if self.schemas:
            out["properties"] = self.schemas
        if self.required_keys:
            out["required"] = self.required_keys
        if self.omitted:
            start = "also takes" if self.schemas else "takes"
            limit = 240 if self.run.detail.text >= 60 else 60
            out["description"] = shorten(f"{start}: {', '.join(self.omitted)}", limit)
        return out


def _additional_properties(
    run: Run, base: dict[str, Any], depth: int, pointer: str
) -> Schema | bool | None:
    """`additionalProperties` of a map or of a closed object; None where it says nothing."""
    rule = base.get("additionalProperties")
    patterns = as_object(base.get("patternProperties"))
    if patterns:
        if len(patterns) > 1 or rule not in (None, False):
            return None
        rule = next(iter(patterns.values()))
    if rule is False and base.get("unevaluatedProperties") in (None, False):
        return False
    if not isinstance(rule, dict) or not rule or depth > run.detail.depth:
        return None
    projected, _ = run.schema(rule, depth + 1, f"{pointer}/additionalProperties")
    return projected or None
