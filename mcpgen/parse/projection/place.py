"""One schema as a tool lists it: what of it is listed so far, as a schema with its words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...load.values import as_text
from ...runtime.facts.pointer import escape
from ...runtime.results.shorten import fold
from . import texts, unions
from .node import Member, Node

if TYPE_CHECKING:
    from ...ir import Schema

DEEPEST_TITLE = 2
"""Properties around a title that stands in for a text."""
ANY_VALUE = [{"type": name} for name in ("string", "number", "boolean", "object")]
"""Types of an array's items if the document has none: clients refuse an array without a type
for its items.
"""

Around = frozenset[str | int]
"""Schemas by their component, else by the identity of their node."""
Words = Callable[[int, str], str]
"""An argument's description from the characters it may have and the text of its schema."""
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def size_of(value: Any) -> int:
    """The bytes of a value as compact JSON."""
    return len(_encode(value))


@dataclass(slots=True, eq=False)
class Place:
    """One schema as it is listed.

    `level`: properties between it and the arguments of the call, -1 for a body that is one
    argument. `depth`: properties around it. `name`: that of its property, if it is one. `rules`:
    the keywords that are listed. `text`: the document's text so far. `note`: what is said in place
    of values or shapes, and `named` are the properties that stand in it. `together`: properties
    that this one is not given without. `said`: other properties that are not listed, with what they
    need. `shapes`: the objects of a union that are not listed yet. `wider`: something was left out
    that no other attribute shows. `is_needed`: every call has a value here. `around`: the schemas
    that this one is inside; it `repeats` one of them.
    """

    node: Node
    level: int
    depth: int
    name: str = ""
    rules: Schema = field(default_factory=dict)
    text: str = ""
    note: str = ""
    named: frozenset[str] = frozenset()
    together: tuple[str, ...] = ()
    said: dict[str, str] = field(default_factory=dict)
    members: dict[str, Place] = field(default_factory=dict)
    items: Place | None = None
    extra: Place | None = None
    branches: list[Place] = field(default_factory=list)
    shapes: tuple[Node, ...] = ()
    words: Words | None = None
    wider: bool = False
    is_needed: bool = False
    around: Around = frozenset()
    repeats: bool = False

    def inner(self) -> Around:
        """Return the schemas around the places inside this one."""
        return self.around | {identity_of(self.node)}

    def listed(self) -> list[Member]:
        """The properties that are listed."""
        return [member for member in self.node.members if member.key in self.members]

    def hidden(self) -> list[Member]:
        """The properties that are not listed."""
        return [member for member in self.node.members if member.key not in self.members]

    def unnamed(self) -> list[Member]:
        """The properties that neither are listed nor stand in `note`."""
        return [member for member in self.hidden() if member.key not in self.named]

    def unlisted(self) -> list[str]:
        """The keywords of the schema itself that are to be listed; a pattern may say its values."""
        listed = self.rules.keys() | self.node.unlisted
        if "pattern" in listed:
            listed |= {"enum"}
        return [key for key in self.node.rules if key not in listed]

    def is_whole(self) -> bool:
        """Return whether every rule of the schema itself is listed."""
        if any((self.wider, self.shapes, self.note, self.hidden())):
            return False
        if isinstance(self.node.extra, dict) and self.extra is None:
            return False
        if any((self.node.rules_of_names(), self.node.conditions)):
            return False
        if self.node.barred and not self.is_closed():
            return False
        if "patternProperties" in self.node.base and self.node.members:
            return False
        return self.node.rules.keys() <= self.rules.keys()

    def titled(self) -> bool:
        """Return whether the title can stand in for a text that is missing: it says more than the
        name, and the place is not deep.
        """
        if self.depth > DEEPEST_TITLE:
            return False
        title = as_text(self.node.base.get("title"))
        return fold(title) != fold(self.name)

    def schema(self) -> Schema:
        """The listed schema."""
        out = dict(self.rules)
        if self.branches:
            out = self._union()
        if self.node.items:
            out["items"] = self._items()
        out |= self._object()
        description = self.description()
        if description:
            out["description"] = description
        return out

    def description(self) -> str:
        """The text, and what is said of that which is not listed."""
        together = texts.together_note(self.together)
        return texts.joined([self.text, self.note, together, self.names_note()])

    def _union(self) -> Schema:
        options = self.options()
        if len(options) == 1:
            return options[0][0]
        rules = {key: value for key, value in self.rules.items() if key == "default"}
        return {"anyOf": [schema for schema, _ in options], **rules}

    def options(self) -> list[tuple[Schema, Place]]:
        """The branches of a union that differ in more than their text."""
        options: list[tuple[Schema, Place]] = []
        rules: list[Schema] = []
        for branch in self.branches:
            for schema, place in branch.alternatives():
                bare = {key: value for key, value in schema.items() if key != "description"}
                if bare not in rules:
                    rules.append(bare)
                    options.append((schema, place))
        return options

    def alternatives(self) -> list[tuple[Schema, Place]]:
        """The options of a union, or the schema itself."""
        if self.branches:
            return self.options()
        return [(self.schema(), self)]

    def _items(self) -> Schema:
        schema = self.items.schema() if self.items else {}
        if schema.keys() & {"type", "anyOf", "enum"}:
            return schema
        return {**schema, "anyOf": list(map(dict, ANY_VALUE))}

    def _object(self) -> Schema:
        """`properties`, `required` and `additionalProperties`."""
        out: Schema = {}
        listed = self.listed()
        if listed:
            out["properties"] = {member.key: self.members[member.key].schema() for member in listed}
        required = [member.key for member in listed if member.required]
        if required:
            out["required"] = required
        if self.extra:
            extra = self.extra.schema()
            if extra:
                out["additionalProperties"] = extra
        elif self.is_closed():
            out["additionalProperties"] = False
        return out

    def required(self) -> list[str]:
        """The properties that are listed and required."""
        return [member.key for member in self.listed() if member.required]

    def is_closed(self) -> bool:
        """Return whether the object takes nothing but what is listed."""
        if self.node.extra is not False:
            return False
        return len(self.members) == len(self.node.members)

    def demands(self) -> list[Member]:
        """The properties that are required and not listed."""
        return [member for member in self.hidden() if member.required]

    def needs(self) -> str:
        """Describe the unlisted required properties; of several objects, the common ones."""
        if not self.shapes:
            return texts.needs_note([member.wire_name for member in self.demands()])
        return texts.needs_note(unions.needed_by_all(self.shapes)) or self.note

    def names_note(self) -> str:
        """Return the note on the properties that are not listed."""
        unnamed = self.unnamed()
        said = [member for member in unnamed if member.key in self.said]
        needed = [self.said[member.key] for member in said if member.required]
        names = [self.said[member.key] for member in said if not member.required]
        rest = len(unnamed) - len(said)
        return texts.names_note(needed, names, rest, others=bool(self.members))

    def parts(self) -> Iterator[Place]:
        """The place itself, that of its items, and its alternatives: one value is at all of them,
        or its items are.
        """
        yield self
        if self.items:
            yield from self.items.parts()
        for branch in self.branches:
            yield from branch.parts()

    def inside(self, pointer: str) -> Iterator[tuple[str, Place]]:
        """The places inside this one and their pointers, itself first."""
        yield pointer, self
        for key, place in self.members.items():
            yield from place.inside(f"{pointer}/properties/{escape(key)}")
        if self.items:
            yield from self.items.inside(f"{pointer}/items")
        if self.extra:
            yield from self.extra.inside(f"{pointer}/additionalProperties")
        options = self.options() if self.branches else []
        for index, (_, place) in enumerate(options):
            at = pointer if len(options) == 1 else f"{pointer}/anyOf/{index}"
            yield from place.inside(at)


def identity_of(node: Node) -> str | int:
    """Return the identity of a schema: its component, else that of the node itself."""
    return node.ref or id(node)


@dataclass(frozen=True, slots=True)
class Projection:
    """A listed schema and what it does not say. Pointers are relative to `schema`.

    `nullable`: where null is a value. `wire_names`: (pointer, name on the wire) of renamed keys.
    `is_whole`: whether the schema says every rule.
    """

    schema: Schema
    nullable: list[str]
    wire_names: list[tuple[str, str]]
    accepts_null: bool
    is_whole: bool


def projection(place: Place) -> Projection:
    """Return the projection of a place."""
    nullable: dict[str, None] = {}
    wire_names: list[tuple[str, str]] = []
    is_whole = True
    for pointer, inner in place.inside(""):
        if inner.node.null and pointer:
            nullable[pointer] = None
        is_whole &= inner.is_whole()
        for member in inner.listed():
            if member.key != member.wire_name:
                at = f"{pointer}/properties/{escape(member.key)}"
                wire_names.append((at, member.wire_name))
    return Projection(place.schema(), list(nullable), wire_names, place.node.null, is_whole)
