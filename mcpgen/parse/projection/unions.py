"""Unions: `oneOf`, `anyOf` and several types, read with as few branches as possible."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_object, as_text, first_text, frozen, texts_in, without
from ...text import shorten, visible
from ..meanings import Meaning, aligned, shown
from ..schema import component_name, merge
from .node import Member, Node, rules_of, safe_key
from .scalars import distinct, enum_values
from .texts import needs_note

if TYPE_CHECKING:
    from ...ir import Schema
    from .node import Reading

ABOUT_THE_UNION = frozenset(
    "description title default discriminator example examples $name deprecated externalDocs"
    " unevaluatedProperties".split()
)
"""Keywords beside a union that are about the whole of it and not about each branch."""
MOST_APART = 8
"""Branches of a `oneOf` of which no two are given together."""
TOGETHER = {"type": "object"}
"""The type of values with the properties of several branches: null has none of them."""
EXAMPLES = 20
"""Values of an enum beside any text that are said as examples."""


def read(reading: Reading, base: dict[str, Any], branches: list[Any], *, exclusive: bool) -> Node:
    """Read `oneOf` or `anyOf`: each branch is merged with the keywords beside the union.
    `exclusive`: a value fits exactly one branch.
    """
    beside = _beside(base)
    discriminator = as_object(base.get("discriminator"))
    options: list[Any] = []
    for branch in branches:
        option = branch
        if beside:
            option = merge(beside, reading.reader.flatten(branch))
        if discriminator:
            option = _discriminated(reading, option, branch, discriminator)
        options.append(option)
    if exclusive:
        options = _told_apart(reading, options)
    return _joined(reading, base, options)


def apart(reading: Reading, branches: list[Any]) -> list[Schema]:
    """Return the conditions of a `oneOf` whose branches only require properties: those of two are
    not given together. Empty if one branch requires all that another does.
    """
    if len(branches) > MOST_APART:
        return []
    rules = [rules_of(reading.reader.flatten(branch)) for branch in branches]
    if any(each.keys() - {"type"} != {"required"} for each in rules):
        return []
    needs = [{*texts_in(each["required"])} for each in rules]
    if any(one <= other for one, other in permutations(needs, 2)):
        return []
    pairs = combinations(needs, 2)
    return [{"not": {**TOGETHER, "required": sorted(one | other)}} for one, other in pairs]


def of_several_types(reading: Reading, base: dict[str, Any], types: list[str]) -> Node:
    """Return the union of a schema's types, each with the other rules of the schema."""
    beside = _beside(base)
    return _joined(reading, base, [{**beside, "type": name} for name in types])


def _beside(base: dict[str, Any]) -> dict[str, Any]:
    """Return the rules beside a union that hold for each branch; extensions are not rules."""
    return without(rules_of(base), ABOUT_THE_UNION)


def _discriminated(
    reading: Reading, option: Any, branch: Any, discriminator: dict[str, Any]
) -> dict[str, Any]:
    """Return a branch, flat, whose discriminator property is required and has only the branch's own
    values (OpenAPI 3.1 §4.8.25); merely flat if these are unknown, or it has a single value
    already.
    """
    name = as_text(discriminator.get("propertyName"))
    written = as_object(branch)
    ref = as_text(written.get("$ref", written.get("$name")))  # the name where it was changed
    flat = reading.reader.flatten(option)
    properties = flat.get("properties")
    if not isinstance(properties, dict):
        return flat
    if not name or not ref:
        return flat
    if discriminator.get("defaultMapping") in (ref, component_name(ref)):
        return flat  # any other value, or none (OpenAPI 3.2 §4.27)
    tag = reading.reader.flatten(properties.get(name, {}))
    if "const" in tag or len(as_list(tag.get("enum"))) == 1:
        return flat
    tag = {**tag, "type": "string", "enum": _tags(ref, discriminator)}
    required = texts_in(flat.get("required"))
    if name not in required:
        required.append(name)
    properties = {**properties, name: tag}
    return {**flat, "properties": properties, "required": required, "discriminator": None}


def _told_apart(reading: Reading, options: list[Any]) -> list[Any]:
    """Return the branches of a `oneOf`, made exclusive: if several require nothing, but the values
    of a property distinguish them, that property is required.
    """
    flats = list(map(reading.reader.flatten, options))
    if sum(not flat.get("required") for flat in flats) < 2:
        return options
    tag = _telling_property(reading, flats)
    if not tag:
        return options
    return [
        {**flat, "required": list(dict.fromkeys([tag, *texts_in(flat.get("required"))]))}
        for flat in flats
    ]


def _telling_property(reading: Reading, flats: list[dict[str, Any]]) -> str:
    """Return the property of which no two objects have a value in common; empty where there is
    none.
    """
    properties = [as_object(flat.get("properties")) for flat in flats]
    for name in properties[0]:
        values: list[Any] = []
        for declared in properties:
            own = enum_values(reading.reader.flatten(declared.get(name, {})), "")
            if not own:
                break
            values += own
        else:
            if len(distinct(values)) == len(values):
                return name
    return ""


def _tags(ref: str, discriminator: dict[str, Any]) -> list[str]:
    """Return the values that a discriminator has for a branch: those of its mapping, else the name
    of the component.
    """
    component = component_name(ref)
    mapping = as_object(discriminator.get("mapping"))
    tags = [tag for tag, target in mapping.items() if component_name(as_text(target)) == component]
    return tags or [component]


def _joined(reading: Reading, base: dict[str, Any], options: list[Any]) -> Node:
    """Return the shortest node that accepts every value accepted by any of `options`."""
    possible = [each for each in options if reading.reader.flatten(each).get("not") != {}]
    null = any(reading.node(each).null for each in possible)
    branches = _distinct(reading, possible)
    branches = _with_one_enum(_with_one_text(branches))
    if not branches:
        return Node(base, {}, null=null)
    if len(branches) > 1:
        return Node(base, {}, branches=tuple(branches), null=null)
    only = branches[0]
    return replace(only, null=null, note=first_text(only.note, only.base.get("description")))


def _distinct(reading: Reading, options: list[Any]) -> list[Node]:
    """Return the nodes of the options, a nested union by its branches; without equal nodes."""
    branches: list[Node] = []
    known: set[Hashable] = set()
    for node in map(reading.node, options):
        for branch in node.branches or (node,):
            keys = {branch.accepted(), branch.ref} - {""}
            if known.isdisjoint(keys):
                branches.append(branch)
                known |= keys
    return branches


def _with_one_text(branches: list[Node]) -> list[Node]:
    """Return branches with one plain string for all strings, if one is plain; enum values become
    examples.
    """
    texts = [branch for branch in branches if branch.kind == "string"]
    if len(texts) < 2:
        return branches
    if {"type": "string"} not in [branch.rules for branch in texts]:
        return branches
    values = [str(value) for branch in texts for value in branch.rules.get("enum", ())]
    note = f"e.g. {', '.join(values[:EXAMPLES])}" if values else ""
    any_text = Node({}, {"type": "string"}, note=note)
    return [any_text, *(branch for branch in branches if branch.kind != "string")]


def _with_one_enum(branches: list[Node]) -> list[Node]:
    """Return one node for several branches if all are enums of one type; else the branches."""
    if len(branches) < 2:
        return branches
    if len({branch.kind for branch in branches}) > 1:
        return branches
    if not all({"enum"} <= branch.rules.keys() <= {"type", "enum"} for branch in branches):
        return branches
    rules: Schema = dict(branches[0].rules)
    rules["enum"] = distinct(value for branch in branches for value in branch.rules["enum"])
    found: dict[str, Meaning] = {}
    for branch in branches:
        found |= _by_value(branch)
    return [Node({}, rules, meanings=aligned(found, rules["enum"]))]


def _by_value(branch: Node) -> dict[str, Meaning]:
    """Return the meaning of each value of a branch; a constant has that of its title and its
    text.
    """
    values = list(map(shown, branch.rules["enum"]))
    if branch.meanings or len(values) > 1:
        return dict(zip(values, branch.meanings, strict=False))
    base = branch.base
    return {values[0]: (as_text(base.get("title")), as_text(base.get("description")))}


def grouped(node: Node) -> tuple[Node, ...]:
    """Return the branches of a union with its objects, if several, as one union; only that if all
    are objects.
    """
    objects = tuple(branch for branch in node.branches if branch.kind == "object")
    if len(objects) < 2:
        return node.branches
    if len(objects) == len(node.branches):
        return (node,)
    group = Node({}, {}, branches=objects, ref=node.ref and f"{node.ref} objects")
    first = node.branches.index(objects[0])
    others = [branch for branch in node.branches[first:] if branch.kind != "object"]
    return (*node.branches[:first], group, *others)


def in_common(union: Node) -> Node:
    """Return the objects of a union as one open object with all their properties, required if every
    object requires them.
    """
    by_name: dict[str, list[Member]] = {}
    for branch in union.branches:
        for member in branch.members:
            by_name.setdefault(member.wire_name, []).append(member)
    members: dict[str, Member] = {}
    for wire_name, declared in by_name.items():
        key = safe_key(wire_name, members)
        required = sum(member.required for member in declared) == len(union.branches)
        members[key] = Member(key, wire_name, _any_of(declared), required)
    ordered = sorted(members.values(), key=lambda member: not member.required)
    return replace(union, rules={"type": "object"}, members=tuple(ordered), branches=())


def _any_of(declared: list[Member]) -> Any:
    """Return the schema of a property that several objects declare, `anyOf` if they differ."""
    different: dict[Hashable, Any] = {}
    for member in declared:
        different.setdefault(frozen(member.schema), member.schema)
    schemas = [*different.values()]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def needs_of_shapes(reading: Reading, union: Node) -> str:
    """Return what each object of a union needs, apart from shared needs: `one of 2 shapes by
    `kind`: card (needs number)`.
    """
    objects = union.branches
    required = [[member.key for member in branch.members if member.required] for branch in objects]
    common = set(required[0]).intersection(*required)
    needs = [[key for key in keys if key not in common] for keys in required]
    if have_the_same_members(objects):
        only_one = any(
            TOGETHER.items() <= as_object(each.get("not")).items() for each in union.conditions
        )
        return _alternatives(needs, only_one)
    tag = _tag_of(reading, objects)
    labels = [_label(reading, branch, tag) for branch in objects]
    shapes = [
        f"{label or number} ({needs_note(own)})"
        for number, (label, own) in enumerate(zip(labels, needs, strict=True), 1)
        if own
    ]
    count = f"one of {len(objects)} shapes" + (f" by `{tag}`" if tag else "")
    return shorten(f"{count}: {', '.join(shapes)}", 1_500) if shapes else count


def _alternatives(needs: list[list[str]], only_one: bool) -> str:
    """Describe the required properties of objects with the same properties, without those that
    require more than another; empty if one requires none. `only_one`: no two are given together.
    """
    distinct_needs = {*map(frozenset, needs)}
    least = [keys for keys in needs if not any(map(frozenset(keys).__gt__, distinct_needs))]
    alternatives = dict.fromkeys(map(" and ".join, least))
    text = ", or ".join(alternatives) + " (only one)" * only_one
    return needs_note([text]) if all(least) else ""


def _label(reading: Reading, branch: Node, tag: str) -> str:
    return " or ".join(map(str, _tag_values(reading, branch, tag))) or _name_of(branch)


def have_the_same_members(objects: tuple[Node, ...]) -> bool:
    """Return whether objects differ in nothing but what they require."""
    schemas = [
        {member.key: member.schema for member in branch.members if member.schema != {}}
        for branch in objects
    ]
    return all(other == schemas[0] for other in schemas)


def _tag_of(reading: Reading, objects: tuple[Node, ...]) -> str:
    """Return the property whose values tell the objects apart; empty where there is none."""
    for member in objects[0].members:
        values = [_tag_values(reading, branch, member.key) for branch in objects]
        every_value = [value for branch_values in values for value in branch_values]
        if all(values) and len(distinct(every_value)) == len(every_value):
            return member.key
    return ""


def _tag_values(reading: Reading, branch: Node, key: str) -> list[Any]:
    for member in branch.members:
        if member.key == key:
            return list(reading.node(member.schema).rules.get("enum", ()))
    return []


def _name_of(branch: Node) -> str:
    return visible(first_text(branch.base.get("title"), branch.base.get("$name")))[:40]
