"""The schemas of a document with references followed and `allOf` merged (JSON Schema 2020-12), and
their subtypes.

A schema with a `discriminator` and no union is a parent: components that name it in their `allOf`
are its subtypes, and the discriminator property has the name of the subtype (OpenAPI 3.1 section
4.8.25).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from ..load.document import References, UnresolvedReference, home_of_api
from ..load.values import (
    TYPES,
    as_list,
    as_object,
    as_text,
    frozen,
    is_number,
    listed_types,
    picked,
    texts_in,
    without,
)
from ..problems import Unsupported
from ..runtime.pointer import unescape

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problems

OBJECT_KEYWORDS = ("properties", "additionalProperties", "patternProperties")
ARRAY_KEYWORDS = ("items", "prefixItems")
TEXT_KEYWORDS = ("pattern", "minLength", "maxLength", "format")
NUMBER_FORMATS = ("int32", "int64", "float", "double")
UNIONS = ("anyOf", "oneOf")
CONDITIONS = ("if", "then", "else", "not", "dependentSchemas")
"""Keywords that constrain a value depending on the rest of the value."""
MERGED = "$conditions"
"""The keyword of a flat schema that lists the conditions of the parts it was merged of."""
CONDITIONAL = frozenset([*CONDITIONS, MERGED])
OWN = ("description", "title", "default", "examples", "readOnly", "discriminator")
"""Keywords beside a reference or a union that count, whatever the schema there says of them."""
DEEPEST_UNION = 6
"""Unions inside unions that are searched for types."""
AT_ONCE = 16
"""Parts of an `allOf` that are merged one after the other."""
LONGEST_CHAIN = 8
"""Longest chain of nested unions of one branch that is merged."""


class Subtypes:
    """Components of a document and their subtypes."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._direct: defaultdict[str, list[str]] = defaultdict(list)
        components = as_object(as_object(root.get("components")).get("schemas"))
        for name, schema in components.items():
            for part in as_list(as_object(schema).get("allOf")):
                parent = component_name(as_text(as_object(part).get("$ref")))
                self._direct[parent].append(name)

    def descendants(self, name: str) -> list[str]:
        """Return the names of a component and of all that inherit from it, directly or not, its own
        first.
        """
        names = [name]
        for member in names:
            names += [subtype for subtype in self._direct.get(member, ()) if subtype not in names]
        return names

    def tags(self, name: str, mapping: dict[str, Any]) -> list[str]:
        """Return the discriminator values mapped to a component and its subtypes; names outside the
        mapping are left out.
        """
        descendants = self.descendants(name)
        return [tag for tag in mapping if component_name(as_text(mapping[tag])) in descendants]

    def kinds(self, name: str, mapping: dict[str, Any]) -> dict[str, list[str]]:
        """Return subtype of a component → its values in a discriminator's mapping; subtypes that
        the mapping lacks are left out. Without a mapping the name of a subtype is its value.
        """
        subtypes = self.descendants(name)[1:]
        if not mapping:
            return {subtype: [subtype] for subtype in subtypes}
        kinds: defaultdict[str, list[str]] = defaultdict(list)
        for tag, reference in mapping.items():
            kinds[component_name(as_text(reference))].append(tag)
        return picked(kinds, subtypes)


def component_name(reference: str) -> str:
    """Return the last part of a reference or a mapping's value, unescaped: a component's name."""
    return unescape(reference.rpartition("/")[2])


class Reader(References):
    """The schemas of one document: what each of them allows."""

    def __init__(self, document: Document, problems: Problems, api: str = "") -> None:
        """Read the schemas of a document; `api` is the name of a further API."""
        super().__init__(document, problems)
        self.home = home_of_api(api)
        """The pointer of the API's own document."""
        self._flat: dict[str, dict[str, Any]] = {}
        # By identity, with the node itself, which keeps its id from being used again.
        self._merged: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._within: dict[str, dict[str, Any]] = {}
        """References on the way of the one that is followed now: each is merged once."""
        self.said_alike: dict[tuple[str, ...], dict[str, bool]] = {}
        """Names that cannot be sent → reference → whether conditions there can be checked."""
        self.of_subtypes: dict[tuple[Hashable, ...], dict[str, Any]] = {}
        """Component, property and mapping of its discriminator → the fields of its subtypes. One
        field has one schema wherever it is read, so that types that hold each other have an end.
        """

    def needed(self, node: Any, pointer: str, code: str, name: str) -> tuple[dict[str, Any], str]:
        """Return an object that an operation cannot do without, its `$ref` followed, and its
        pointer. Raises Unsupported, with `code` for a value that is no object; `name` is for the
        message.
        """
        try:
            target, at = self.document.deref(node, pointer)
        except UnresolvedReference as error:
            reason = f"{name}: {self.reason(error)}"
            hint = self.suggestion(error)
            raise Unsupported("E0203", reason, f"{pointer}/$ref", hint) from None
        if not isinstance(target, dict):
            raise Unsupported(code, f"{name} is not an object", at)
        return target, at

    # Flat schemas.

    def flatten(self, node: Any, seen: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return a schema with its `$ref` followed and its `allOf` merged; children stay as in the
        document.

        A boolean schema is `{}` (anything) or `{"not": {}}` (nothing). The key `$name` is the name
        of the component that the first `$ref` followed leads to. `seen` are the references on the
        way here. Shared: never change the result.
        """
        if node is False:
            return {"not": {}}
        if not isinstance(node, dict):
            return {}
        ref = node.get("$ref")
        if not isinstance(ref, str) and "allOf" not in node:
            return node
        if isinstance(ref, str) and len(node) == 1:
            return self._follow(ref, seen)
        if seen:
            return self._merge_parts(node, seen)
        if id(node) not in self._merged:
            self._merged[id(node)] = node, self._merge_parts(node, seen)
        return self._merged[id(node)][1]

    def _follow(self, ref: str, seen: frozenset[str]) -> dict[str, Any]:
        """Return the flat schema of a reference; `{}` for a circular reference or, with a warning,
        too long a chain.
        """
        if ref in seen:
            return {}
        hops = self.document.limits.hops
        if len(seen) >= hops:
            message = f"`$ref` chains of more than {hops} are not followed"
            self.problems.warn("E0203", message)
            return {}
        known = self._within if seen else self._flat
        if ref in known:
            return known[ref]
        if ref in self._flat:
            return self._flat[ref]
        target, _ = self.resolve(ref)
        outer, self._within = self._within, known if seen else {}
        flat = dict(self.flatten(target, seen | {ref}))
        flat["$name"] = component_name(ref)
        self._distinguish_subtypes(flat)
        self._within = outer
        known[ref] = flat
        return flat

    @property
    def root(self) -> dict[str, Any]:
        """The root of the API's own document."""
        return as_object(self.document.at(self.home))

    @cached_property
    def subtypes(self) -> Subtypes:
        """The subtypes of the API's components; none for tool definitions."""
        return Subtypes(self.root if self.document.describes_api else {})

    def _distinguish_subtypes(self, flat: dict[str, Any]) -> None:
        """Restrict the discriminator property of a flat schema, in place, to the values that its
        mapping has for the component and its subtypes. Without a mapping, or with a union, nothing
        changes.
        """
        discriminator = as_object(flat.get("discriminator"))
        name = as_text(discriminator.get("propertyName"))
        properties = as_object(flat.get("properties"))
        if name not in properties:
            return
        if "mapping" not in discriminator:
            return
        if has_union(flat):
            return
        tags = self.subtypes.tags(flat["$name"], as_object(discriminator.get("mapping")))
        tag = self.flatten(properties[name])
        allowed = [value for value in as_list(tag.get("enum", tags)) if value in tags]
        if allowed:
            flat["properties"] = {**properties, name: {**tag, "enum": allowed}}

    def _merge_parts(self, node: dict[str, Any], seen: frozenset[str]) -> dict[str, Any]:
        """Return a schema merged with the target of its `$ref` and its `allOf`; its own texts,
        `default`, `readOnly` and `discriminator` win.
        """
        parts = list(as_list(node.get("allOf")))
        if isinstance(node.get("$ref"), str):
            parts.insert(0, {"$ref": node["$ref"]})
        own = without(node, ("$ref", "allOf"))
        return _beside(_merged([self.flatten(part, seen) for part in parts]), own)

    # What a schema allows.

    def kinds(self, node: Any, depth: int = 0) -> set[str]:
        """Return the JSON types a schema allows, without null; empty when it says nothing."""
        flat = self.flatten(node)
        kinds = set(self.types(flat))
        for keyword in UNIONS:
            if kinds or depth >= DEEPEST_UNION:
                break
            for branch in as_list(flat.get(keyword)):
                kinds |= self.kinds(branch, depth + 1)
        kinds.discard("null")
        return kinds

    def types(self, flat: dict[str, Any]) -> list[str]:
        """Return the types of a flattened schema, including `null`; without `type`, inferred from
        other keywords.
        """
        written = flat.get("type")
        if written is None:
            return _inferred_types(flat)
        if written in TYPES:
            return [written]
        return [name for name in as_list(written) if name in TYPES]

    def branches(self, flat: dict[str, Any]) -> tuple[list[Any], bool]:
        """Return the branches of a schema's union other than null, and whether null is one; `([],
        False)` without a union.
        """
        for keyword in UNIONS:
            branches = as_list(flat.get(keyword))
            if branches:
                others = [branch for branch in branches if not self.is_null(branch)]
                return others, len(others) < len(branches)
        return [], False

    def is_null(self, node: Any) -> bool:
        """Return whether null is the only value of a schema."""
        flat = self.flatten(node)
        if flat.get("type") in ("null", ["null"]):
            return True
        return _types_of_values(flat) == ["null"]

    def expand(self, node: Any, hops: int = 0) -> tuple[dict[str, Any], list[Any], bool]:
        """Return a schema as (base without union, branches other than null, accepts null). A single
        branch is merged into the base: then there are no branches.

        Shared: never change the base.
        """
        flat = self.flatten(node)
        if not has_union(flat):
            # A schema that says nothing about types allows them all (JSON Schema 2020-12 §4.3.2).
            return flat, [], _allows_null(flat) or not self.types(flat)
        branches, null = self.branches(flat)
        base = without(flat, UNIONS)
        null = null or _allows_null(base)
        if len(branches) != 1:
            return base, branches, null
        if hops >= LONGEST_CHAIN:
            return base, branches, null
        inner, inner_branches, inner_null = self.expand(branches[0], hops + 1)
        return _beside(inner, base), inner_branches, null or inner_null

    def properties(self, node: Any) -> dict[str, Any]:
        """Return the properties of an object schema, then those of its union branches; the first of
        a name counts.
        """
        base, branches, _ = self.expand(node)
        properties = dict(as_object(base.get("properties")))
        for branch in branches:
            inner = as_object(self.flatten(branch).get("properties"))
            for key, value in inner.items():
                properties.setdefault(key, value)
        return properties


def type_of(value: Any) -> str:
    """Return the JSON type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def is_of_type(value: Any, name: str) -> bool:
    """Return whether a JSON value has the JSON type `name`; integers are numbers."""
    kind = type_of(value)
    if name == "number":
        return kind in ("integer", "number")
    return kind == name


ASKS_FOR_NULL = re.compile(
    r"\b(?:set|setting|use|pass|send|give|provide)\b[^.]{0,60}\bnull\b[`'\"]?\s+(?:to|will)\b"
    r"|\bnull\b[`'\"]? (?:removes|clears|unsets|deletes|disables|resets)\b"
    r"|\bto (?:clear|remove|unset)\b[^.]{0,40}\b(?:set|use|pass|send|give)\b[^.]{0,30}\bnull\b",
    re.I,
)
"""Words of a description after which null is a value, whatever the type."""


def _allows_null(flat: dict[str, Any]) -> bool:
    """Return whether null is among the types, or without types among the values, or the text asks
    for it: `null removes the milestone`.
    """
    types = flat.get("type")
    text = str(flat.get("description", ""))
    if "null" in text and ASKS_FOR_NULL.search(text):
        return True
    if types is None:
        return "null" in _types_of_values(flat)
    return isinstance(types, list) and "null" in types


def is_barred(flat: dict[str, Any], keyword: str) -> bool:
    """Return whether a flat property has the flag `keyword` (`readOnly`, `writeOnly`), or can have
    no value at all (`not: {}`).
    """
    if flat.get(keyword) is True:
        return True
    return flat.get("not") == {}


def conditions(flat: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the conditions of a flat schema (`if`, `not`, …) as schemas, one for each part that it
    was merged of.
    """
    own = picked(flat, CONDITIONS)
    if own.get("not") == {}:
        del own["not"]
    merged = [*as_list(flat.get(MERGED))]
    if own:
        merged.append(own)
    return merged


def without_integer(types: list[str]) -> list[str]:
    """Return the types without `integer` if `number`, which includes integers, is among them."""
    if "number" not in types:
        return types
    return [name for name in types if name != "integer"]


def has_union(flat: dict[str, Any]) -> bool:
    """Return whether a flat schema has `anyOf` or `oneOf`."""
    return not flat.keys().isdisjoint(UNIONS)


def _inferred_types(flat: dict[str, Any]) -> list[str]:
    """Return the types of a schema without `type`, from its other keywords; empty if none tells."""
    if not flat.keys().isdisjoint(OBJECT_KEYWORDS):
        return ["object"]
    if isinstance(flat.get("required"), list) and not has_union(flat):
        return ["object"]
    if not flat.keys().isdisjoint(ARRAY_KEYWORDS):
        return ["array"]
    types = _types_of_values(flat)
    if types:
        return types
    if any(key in flat for key in TEXT_KEYWORDS) and flat.get("format") not in NUMBER_FORMATS:
        return ["string"]
    return []


def _types_of_values(flat: dict[str, Any]) -> list[str]:
    """Return the types of an enum's values or of a constant; empty without both."""
    values = []
    if isinstance(flat.get("enum"), list):
        values = flat["enum"]
    elif "const" in flat:
        values = [flat["const"]]
    return without_integer(list(dict.fromkeys(map(type_of, values))))


# Merging.


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema that accepts what all parts accept, `{}` for none. Many are merged by
    halves: what is merged so far would be copied for each.
    """
    if len(parts) > AT_ONCE:
        half = len(parts) // 2
        return merge(_merged(parts[:half]), _merged(parts[half:]))
    return reduce(merge, parts, {})


def merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that accepts what both accept, for the keywords a projection reads (JSON
    Schema 2020-12 §10.2.1.1).

    Where two values of a keyword cannot be merged, the left one stays, of two unions the longer; a
    second `pattern` becomes a condition. Neither schema is changed.
    """
    if not CONDITIONAL.isdisjoint(left) and not CONDITIONAL.isdisjoint(right):
        left, right = _with_all_conditions(left, right)
    out = dict(left)
    for key, value in right.items():
        if out.get(key, value) == value:
            out[key] = value
        elif key in _MERGERS:
            out[key] = _MERGERS[key](out[key], value)
        elif key == "pattern":
            out[MERGED] = [*as_list(out.get(MERGED)), {key: value}]
    return out


def _beside(schema: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return a schema merged with `own`, the keywords beside the reference to it, the union or the
    `allOf` that it is the only part of: some of these win.
    """
    return merge(schema, own) | picked(own, OWN)


def _with_all_conditions(
    left: dict[str, Any], right: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two schemas to be merged, with the conditions of both in the first, each with its own
    `if`.
    """
    out = without(left, CONDITIONAL)
    if {} in (left.get("not"), right.get("not")):
        out["not"] = {}
    merged = conditions(left)
    known = {*map(frozen, merged)}
    merged += [condition for condition in conditions(right) if frozen(condition) not in known]
    if merged:
        out[MERGED] = merged
    return out, without(right, CONDITIONAL)


def _both_are(kind: type, left: Any, right: Any) -> bool:
    return isinstance(left, kind) and isinstance(right, kind)


def _both_properties(left: Any, right: Any) -> Any:
    if not _both_are(dict, left, right):
        return left
    properties = dict(left)
    for name, schema in right.items():
        if properties.get(name, schema) == schema:
            properties[name] = schema
        else:
            properties[name] = _both_declarations(properties[name], schema)
    return properties


def _both_declarations(first: Any, second: Any) -> dict[str, Any]:
    """Return two declarations of a property as an `allOf`; if the first is `readOnly`, a second
    with neither `readOnly` nor `$ref` makes the property writable.
    """
    both: dict[str, Any] = {"allOf": [first, second]}
    if as_object(first).get("readOnly") is True and isinstance(second, dict):
        both["readOnly"] = second.get("readOnly") is True or "$ref" in second
    return both


def _both_required(left: Any, right: Any) -> Any:
    if not _both_are(list, left, right):
        return left
    return list(dict.fromkeys(texts_in([*left, *right])))


def _common_values(left: Any, right: Any) -> Any:
    if not _both_are(list, left, right):
        return left
    return [value for value in left if value in right] or left


def _common_types(left: Any, right: Any) -> Any:
    ours, theirs = map(_with_integer, (left, right))
    common = without_integer([name for name in ours if name in theirs])
    if len(common) > 1:
        return common
    return next(iter(common), left)


def _with_integer(types: Any) -> list[Any]:
    """Return the names of types, with `integer` before `number`, which includes it."""
    names = listed_types(types)
    if "number" not in names:
        return names
    return ["integer", *[name for name in names if name != "integer"]]


def _largest(left: Any, right: Any) -> Any:
    return max(filter(is_number, (left, right)), default=left)


def _smallest(left: Any, right: Any) -> Any:
    return min(filter(is_number, (left, right)), default=left)


def _all_of(left: Any, right: Any) -> Any:
    if not _both_are(dict, left, right):
        return left
    return {"allOf": [left, right]}


def _additional_properties(left: Any, right: Any) -> Any:
    if _both_are(dict, left, right):
        return {"allOf": [left, right]}
    if False in (left, right):
        return False
    return right if left is True else left


def _larger_union(left: Any, right: Any) -> Any:
    """Return the union that is longer as JSON."""
    if not _both_are(list, left, right):
        return left
    return max(left, right, key=lambda branches: len(json.dumps(branches, default=str)))


def _either(left: Any, right: Any) -> Any:
    return any((left, right))


_MERGERS: dict[str, Callable[[Any, Any], Any]] = {
    "properties": _both_properties,
    "patternProperties": _both_properties,
    "required": _both_required,
    "enum": _common_values,
    "type": _common_types,
    "minimum": _largest,
    "exclusiveMinimum": _largest,
    "minLength": _largest,
    "minItems": _largest,
    "minProperties": _largest,
    "maximum": _smallest,
    "exclusiveMaximum": _smallest,
    "maxLength": _smallest,
    "maxItems": _smallest,
    "maxProperties": _smallest,
    "items": _all_of,
    "additionalProperties": _additional_properties,
    "anyOf": _larger_union,
    "oneOf": _larger_union,
    "readOnly": _either,
    "writeOnly": _either,
    "deprecated": _either,
    "uniqueItems": _either,
}
"""Keyword → function to merge its two values."""
