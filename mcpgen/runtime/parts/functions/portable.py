"""The schemas of a function in the portable profile, as clients list them.

They take whatever the exact schema takes, except null as an argument, which a text mentions; calls
are checked against the exact one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

_KEPT = frozenset("""
    type title description default enum format pattern required uniqueItems minimum maximum
    exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties
    maxProperties
    """.split())
_DEEPEST = 4
_ROOM = 4096
"""The characters up to which models inside of models are listed with their fields."""
_ANYTHING = [{"type": kind} for kind in ("string", "number", "boolean", "object")]


def portable(schema: Schema, *, takes_null: bool) -> Schema:
    """Inline what a schema refers to, as deep as there is room, in keywords that every client
    knows.
    """
    definitions = schema.get("$defs", {})
    listed = _Profile(definitions, takes_null, 1).of(schema)
    for depth in range(2, _DEEPEST + 1):
        deeper = _Profile(definitions, takes_null, depth).of(schema)
        if len(json.dumps(deeper)) > _ROOM:
            break
        listed = deeper
    return listed


@dataclass(frozen=True, slots=True)
class _Profile:
    """The definitions of one schema, and how many models inside of each other have fields."""

    definitions: dict[str, Schema]
    takes_null: bool
    depth: int

    def of(self, exact: Any, above: tuple[str, ...] = ()) -> Schema:
        """The portable form of a schema inside of the definitions `above`."""
        if not isinstance(exact, dict):
            return {}
        schema = exact if self.takes_null else _without_null(exact)
        found = {key: schema[key] for key in schema if key in _KEPT and schema[key] is not None}
        if "const" in schema:
            found["enum"] = [schema["const"]]
        if "properties" in schema:
            fields = schema["properties"].items()
            found["properties"] = {key: self.of(field, above) for key, field in fields}
        if "additionalProperties" in schema:
            more = schema["additionalProperties"]
            found["additionalProperties"] = self.of(more, above) or more is not False
        if found.get("type") == "array":
            found["items"] = self._items(schema, above)
        branches = schema.get("oneOf", schema.get("anyOf", ()))
        found = {**self._definition(schema, above), **self._union(branches, above), **found}
        if schema is not exact:
            text = found.get("description", "").rstrip(".")
            found["description"] = "; ".join(filter(None, (text, "may be null")))
        return found

    def _items(self, schema: Schema, above: tuple[str, ...]) -> Schema:
        """The items of an array; of a tuple, any of its own."""
        exact = [*schema.get("prefixItems", ()), schema.get("items")]
        items = self._union([each for each in exact if each is not None], above)
        if not self.takes_null and items.keys().isdisjoint(("type", "anyOf", "enum")):
            items["anyOf"] = _ANYTHING
        return items

    def _union(self, branches: Any, above: tuple[str, ...]) -> Schema:
        """Each of some schemas once; one alone is no union."""
        found = [self.of(branch, above) for branch in branches]
        distinct = {json.dumps(each, sort_keys=True): each for each in found}
        if len(distinct) > 1:
            return {"anyOf": list(distinct.values())}
        return next(iter(found), {})

    def _definition(self, schema: Schema, above: tuple[str, ...]) -> Schema:
        """Return the target of a reference; its fields' names alone if it repeats or is deep."""
        name = schema.get("$ref", "").removeprefix("#/$defs/")
        target = self.definitions.get(name, {})
        models = [each for each in above if "properties" in self.definitions[each]]
        is_deep = "properties" in target and len(models) >= self.depth
        if name not in above and not is_deep:
            return self.of(target, (*above, name)) if target else {}
        text = target.get("description") or target.get("title") or name
        fields = ", ".join(target.get("properties", ()))
        if fields:
            text = f"{text.rstrip('.')}; fields: {fields}"
        cut = {"type": target.get("type"), "description": text}
        return {key: value for key, value in cut.items() if value is not None}


def _without_null(exact: Schema) -> Schema:
    """A schema without the null that it takes; itself where it takes none."""
    schema = dict(exact)
    for keyword in ("anyOf", "oneOf", "enum"):
        values = [each for each in exact.get(keyword, ()) if each not in (None, {"type": "null"})]
        schema[keyword] = values
        if not values:
            del schema[keyword]
    if exact.get("type") == "null":
        schema = {key: schema[key] for key in schema if key not in ("type", "const")}
    return exact if schema == exact else schema
