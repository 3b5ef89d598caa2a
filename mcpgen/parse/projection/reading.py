"""The schemas of a document as the portable profile reads them, and the conditions on a value
(`if`, `not`, `dependentSchemas`) that are checked in calls.

Inner schemas are read on demand: a recursive schema ends, and a large schema costs only its listed
part. Conditions are left out of lists, because clients refuse them, and checked exactly as written:
under a `not`, an approximation would refuse too much.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_object, as_text, objects_in, picked, texts_in, without
from ..meanings import Meaning, meanings_of
from ..pattern import portable_pattern, vacuous_rules
from ..projection import scalars, unions
from ..schema import conditions, is_barred, without_integer
from .inherited import with_fields_of_subtypes
from .node import KEY, Member, Node, in_order, rules_of, safe_key

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

ENUM = re.compile("enum", re.I)
DEEPEST_UNION = 4
"""Unions directly inside unions; a schema that has itself as a branch has no end."""


def checkable(
    reader: Reader, schema: Schema, base: dict[str, Any], barred: tuple[str, ...]
) -> tuple[Schema, ...]:
    """Return the conditions of a schema, `base` when flat, that can be checked as they are written.
    None asks for a property that cannot be sent (`barred`).
    """
    written = _written(reader, schema, base)
    return tuple(each for each in written if each and _is_checkable(reader, each, barred))


def _written(reader: Reader, schema: Schema, base: dict[str, Any]) -> Iterator[Schema]:
    """Yield the rules that no projection holds, as they are written; some may be empty."""
    yield from map(_without_rules_of_names, conditions(base))
    yield from _of_places(base)
    yield picked(base, OF_PARTS)
    if not reader.types(base):
        yield picked(base, OF_ANY_TYPE)
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
        yield picked(base, ("prefixItems", "items"))
    others = as_object(base.get("additionalProperties")) and base.get("properties")
    if others or base.get("patternProperties"):
        rules: Schema = {"properties": dict.fromkeys(as_object(base.get("properties")), True)}
        rules |= picked(base, PATTERN_RULES)
        yield rules


def _without_rules_of_names(condition: Schema) -> Schema:
    """Return a condition without the rules that `Node.rules_of_names` has: which properties need
    others.
    """
    out = dict(condition)
    dependent = as_object(out.pop("dependentSchemas", None))
    others = {
        name: rule for name, rule in dependent.items() if set(as_object(rule)) != {"required"}
    }
    if others:
        out["dependentSchemas"] = others
    return out


def _is_checkable(reader: Reader, condition: Schema, barred: tuple[str, ...]) -> bool:
    """Return whether a condition, and what it refers to, means the same to a call."""
    known = reader.said_alike.setdefault(barred, {})
    is_alike, links = _said_alike(condition, barred)
    around: defaultdict[str, list[str]] = defaultdict(list)
    pending = list(links)
    while pending:
        ref = pending.pop()
        if ref not in known:
            known[ref], inner = _said_alike(reader.resolve(ref)[0], barred)
            pending += inner
            for each in inner:
                around[each].append(ref)
    _tell_around([ref for ref in around if not known[ref]], around, known)
    return is_alike and all(map(known.get, links))


def _tell_around(odd: list[str], around: Mapping[str, list[str]], known: dict[str, bool]) -> None:
    """Set False in `known` for each reference that leads, over any number of others, to one in
    `odd`.
    """
    while odd:
        alike = [ref for ref in around.get(odd.pop(), ()) if known[ref]]
        known.update(dict.fromkeys(alike, False))
        odd += alike


def _said_alike(schema: Any, barred: tuple[str, ...]) -> tuple[bool, list[str]]:
    """Return whether a schema itself means the same to a call, and its references."""
    parts = list(objects_in(schema))
    references = [ref for part in parts if (ref := as_text(part.get("$ref")))]
    return all(_is_said_alike(part, barred) for part in parts), references


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


class Nodes:
    """The nodes of a document.

    `writing`: schemas are inputs, and `readOnly` properties are left out; else `writeOnly` ones
    are.
    """

    def __init__(self, reader: Reader, *, writing: bool = True) -> None:
        self.reader, self.writing = reader, writing
        # A schema by its reference, else by identity; it is kept, so that no other takes its id.
        self._nodes: dict[str | int, tuple[Any, Node]] = {}
        # By identity, with the node itself, which keeps its id from being used again.
        self._grouped: dict[int, tuple[Node, tuple[Node, ...]]] = {}
        self._common: dict[int, tuple[Node, Node]] = {}
        self._unions = 0
        self.needs: dict[int, str] = {}
        """Identity of a node of `node` → the needs of its values in words, as lists found them."""

    def node(self, schema: Any) -> Node:
        """Return the node of a schema of the document, which is read once."""
        ref = as_text(as_object(schema).get("$ref"))
        key: str | int = id(schema)
        if schema == {"$ref": ref}:
            key = ref
        if key not in self._nodes:
            self._nodes[key] = schema, self.read(schema)
        return self._nodes[key][1]

    def read(self, schema: Any) -> Node:
        """Read a schema into a node: as a union of its branches, else by its types."""
        ref, reader = component_of(schema), self.reader
        base, branches, null = reader.expand(schema)
        if self.writing and not branches:
            base = reader.flatten(with_fields_of_subtypes(reader, base))
        if len(branches) > 1 and self._unions < DEEPEST_UNION:
            self._unions += 1
            is_exclusive = "anyOf" not in self.reader.flatten(schema)
            node = unions.read(self, base, branches, exclusive=is_exclusive)
            self._unions -= 1
        else:
            node = self._of_types(base)
        node = replace(node, base=base, null=null or node.null, ref=ref)
        return self._conditioned(node, schema, branches) if self.writing else node

    def _conditioned(self, node: Node, schema: Any, branches: list[Any]) -> Node:
        """Return a node with the conditions of its schema and of what its branches require."""
        reader, base, conditions = self.reader, node.base, node.conditions
        if not conditions:  # the branches of a union have those of what stands beside them
            own = base
            if node.branches:
                own = picked(base, OF_THE_REST)
            elif node.extra is False and self._is_closed(node.ref, schema):  # which says the same
                own = without(base, OF_THE_REST)
            conditions = checkable(reader, as_object(schema), own, node.barred)
        if len(branches) > 1 and "anyOf" not in reader.flatten(schema):
            rules, barred = unions.apart(self, branches), self._barred(base)
            conditions += tuple(each for each in rules if _is_checkable(reader, each, barred))
        return replace(node, conditions=conditions)

    def _is_closed(self, ref: str, schema: Any) -> bool:
        """Return whether a schema itself, not a part of it alone, takes no further properties."""
        target = self.reader.resolve(ref)[0] if ref else schema
        return as_object(target).get("unevaluatedProperties") is False

    def branches(self, node: Node) -> tuple[Node, ...]:
        """Return the branches of a union, its objects grouped as one union: the union itself if all
        are objects; empty without a union.
        """
        if not node.branches:
            return ()
        if id(node) not in self._grouped:
            self._grouped[id(node)] = node, unions.grouped(node)
        return self._grouped[id(node)][1]

    def common(self, union: Node) -> Node:
        """Return the objects of a union as one with the properties of all."""
        if id(union) not in self._common:
            self._common[id(union)] = union, unions.in_common(union)
        return self._common[id(union)][1]

    def _of_types(self, base: dict[str, Any]) -> Node:
        """Read a schema without a union: of one type, of several, or of any."""
        types = without_integer([name for name in self.reader.types(base) if name != "null"])
        if len(types) == 1:
            return self._of_type(types[0], base)
        if types:
            return unions.of_several_types(self, base, types)
        values = scalars.enum_values(base, "")
        rules = {"enum": values} if values else {}
        vacuous = vacuous_rules(rules)
        return Node(base, rules, vacuous=vacuous, meanings=_meanings(base, rules))

    def _of_type(self, name: str, base: dict[str, Any]) -> Node:
        rules: Schema = {"type": name}
        if name == "string":
            rules |= scalars.text_keywords(base)
        elif name in ("integer", "number"):
            rules |= scalars.number_keywords(base)
        rules |= scalars.count_keywords(base, name)
        if name == "array" and base.get("uniqueItems") is True:
            rules["uniqueItems"] = True
        rules = scalars.with_values(rules, base, name)
        vacuous = vacuous_rules(rules)
        if name == "array":
            return Node(base, rules, items=(_items(base),), vacuous=vacuous)
        if name == "object":
            return Node(
                base,
                rules,
                members=self._members(base),
                extra=self._extra(base),
                barred=self._barred(base),
                vacuous=vacuous,
            )
        return Node(base, rules, vacuous=vacuous, meanings=_meanings(base, rules))

    def _members(self, base: dict[str, Any]) -> tuple[Member, ...]:
        """Return the properties of an object, required ones first; an undeclared required property
        accepts any value.
        """
        properties = as_object(base.get("properties"))
        required = set(texts_in(base.get("required")))
        declared = [
            (wire_name, schema)
            for wire_name, schema in in_order(properties, required)
            if not self._is_hidden(schema, required=wire_name in required)
        ]
        if self.writing:
            declared += [(wire_name, {}) for wire_name in sorted(required - set(properties))]
        members: dict[str, Member] = {}
        for wire_name, schema in declared:
            key = safe_key(wire_name, members)
            members[key] = Member(key, wire_name, schema, wire_name in required)
        return _with_needs(members, base)

    def _barred(self, base: dict[str, Any]) -> tuple[str, ...]:
        """Return the properties that cannot be written (or read)."""
        properties = as_object(base.get("properties"))
        return tuple(name for name, schema in properties.items() if self._is_barred(schema))

    def _is_barred(self, schema: Any) -> bool:
        keyword = "readOnly" if self.writing else "writeOnly"
        return is_barred(self.reader.flatten(schema), keyword)

    def _is_hidden(self, schema: Any, *, required: bool) -> bool:
        """Return whether a property cannot be written (or read), or is optional and always null."""
        if self._is_barred(schema):
            return True
        if required:
            return False
        flat = self.reader.flatten(schema)
        # To a tool null and a property that is left out are one.
        return bool(flat.get("type") == "null")

    def _extra(self, base: dict[str, Any]) -> Any:
        """Return the schema of a map's values, False for a closed object, True where the document
        permits any property beside the declared ones; else None.
        """
        rule = base.get("additionalProperties")
        if rule is None and not conditions(base):
            rule = base.get("unevaluatedProperties")
        patterns = as_object(base.get("patternProperties"))
        if patterns:
            if len(patterns) > 1:
                return None
            if rule not in (None, False):
                return None
            rule = next(iter(patterns.values()))
        if rule is False and base.get("unevaluatedProperties") in (None, False):
            return False if self.writing else None
        if base.get("properties"):
            if not self.writing:
                return None
            if rule in (True, {}):
                return True
        return as_object(rule) or None


def _meanings(base: dict[str, Any], rules: Schema) -> tuple[Meaning, ...]:
    """Return the meanings of the values of an enum, by the extensions beside it."""
    keys = list(filter(ENUM.search, without(base, ["enum"]))) if "enum" in rules else []
    return meanings_of(base, keys, rules["enum"]) if keys else ()


def _with_needs(members: dict[str, Member], base: dict[str, Any]) -> tuple[Member, ...]:
    """Return the properties of an object, each with the keys of those that it depends on."""
    keys = {member.wire_name: key for key, member in members.items()}
    for name, needed in _dependent(base).items():
        if keys.keys() >= {name, *texts_in(needed)}:
            needs = tuple(keys[other] for other in texts_in(needed))
            members[keys[name]] = replace(members[keys[name]], needs=needs)
    return tuple(members.values())


def _dependent(base: dict[str, Any]) -> dict[str, Any]:
    """Return name of a property → names of the properties it depends on."""
    dependent = {
        name: as_object(schema).get("required")
        for condition in conditions(base)
        for name, schema in as_object(condition.get("dependentSchemas")).items()
    }
    return dependent | as_object(base.get("dependentRequired"))


def component_of(schema: Any) -> str:
    """Return the `$ref` of a schema that is nothing else, or the only part of its `allOf` or union,
    null and texts aside; else an empty text.
    """
    rules = rules_of(as_object(schema))
    if len(rules) != 1:
        return ""
    keyword, value = next(iter(rules.items()))
    if keyword == "$ref":
        return as_text(value)
    if keyword not in ("allOf", "anyOf", "oneOf"):
        return ""
    parts = [part for part in as_list(value) if part != {"type": "null"}]
    if keyword == "allOf":
        parts = [part for part in parts if part is False or rules_of(as_object(part))]
    return component_of(parts[0]) if len(parts) == 1 else ""


def _items(base: dict[str, Any]) -> Any:
    """Return the schema of an array's items; a tuple becomes a list of any of its items."""
    items = base.get("items", {})
    if "prefixItems" not in base:
        return items
    members = [*as_list(base["prefixItems"])]
    if items not in ({}, False, True):
        members.append(items)
    return {"anyOf": members} if members else {}
