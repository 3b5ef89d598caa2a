"""One schema as a tool lists it: what of it is listed so far, as a schema with its words."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...load.values import as_text, frozen, without
from ...runtime.pointer import escape
from ...runtime.results import fold
from ...text import shorten, visible
from . import texts
from .node import Member, Node

if TYPE_CHECKING:
    from ...ir import Schema

DEEPEST_TITLE = 1
"""The deepest level at which a title may replace a missing text."""
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
    """Return the bytes of a value as compact JSON."""
    return len(_encode(value))


@dataclass(slots=True, eq=False)
class Place:
    """One schema as listed.

    * `level`: number of properties between this schema and the arguments of the call; -1 for a body
      that is a single argument.
    * `name`: the name of the property, if the schema is one. `rules`: the listed keywords.
    * `text`: the document's text so far. `meaning`: the meaning of the values.
    * `note`: a remark that replaces values or shapes.
    * `together`: properties that must be given with this property.
    * `named`: unlisted properties → names and needs.
    * `union`: the objects listed as a single object with all their properties.
    * `around`: the enclosing schemas. `brief`: only the first words of the text are listed.
    """

    node: Node
    level: int
    around: Around = frozenset()
    name: str = ""
    rules: Schema = field(default_factory=dict)
    text: str = ""
    note: str = ""
    meaning: str = ""
    together: tuple[str, ...] = ()
    named: dict[str, str] = field(default_factory=dict)
    members: dict[str, Place] = field(default_factory=dict)
    items: Place | None = None
    extra: Place | None = None
    branches: list[Place] = field(default_factory=list)
    union: Node | None = None
    words: Words | None = None
    brief: bool = False

    def repeats(self) -> bool:
        """Return whether the schema is inside itself."""
        return _identity(self.node) in self.around

    def inner(self) -> Around:
        """Return `around` for the places inside this one."""
        return self.around | {_identity(self.node)}

    def listed(self) -> list[Member]:
        """Return the properties that are listed."""
        return [member for member in self.node.members if member.key in self.members]

    def hidden(self) -> list[Member]:
        """Return the properties that are not listed."""
        return [member for member in self.node.members if member.key not in self.members]

    def demands(self) -> list[Member]:
        """Return the properties that are required and not listed."""
        return [member for member in self.hidden() if member.required]

    def unlisted(self) -> Schema:
        """Return the rules of the schema itself that can be listed and are not."""
        listed = self.rules.keys() | self.node.vacuous
        return without(self.node.rules, listed)

    def is_whole(self) -> bool:
        """Return whether every rule of the schema itself is listed."""
        if any((self.union, self.note, self.hidden(), self.unlisted(), self.node.vacuous)):
            return False
        if bool(self.node.items) != bool(self.items):
            return False
        if bool(self.node.branches) != bool(self.branches):
            return False
        if isinstance(self.node.extra, dict) and self.extra is None:
            return False
        return not self._has_other_rules()

    def _has_other_rules(self) -> bool:
        """Return whether the schema has rules that no list shows."""
        if any((self.node.conditions, self.node.rules_of_names(), self.node.meanings)):
            return True
        if self.node.barred and not self.is_closed():
            return True
        return bool(self.node.members) and "patternProperties" in self.node.base

    def is_closed(self) -> bool:
        """Return whether the object takes only the listed properties."""
        if self.node.extra is not False:
            return False
        return len(self.members) == len(self.node.members)

    def titled(self) -> bool:
        """Return whether the title can replace a missing text: it says more than the name, and the
        place is not deep.
        """
        if self.level > DEEPEST_TITLE:
            return False
        return fold(as_text(self.node.base.get("title"))) != fold(self.name)

    def schema(self) -> Schema:
        """Return the listed schema."""
        if self.branches:
            return self._union()
        out = self.frame()
        if self.node.items:
            out["items"] = self._items()
        if self.members:
            listed = (member.key for member in self.listed())
            out["properties"] = {key: self.members[key].schema() for key in listed}
        if "additionalProperties" in out and self.extra:
            out["additionalProperties"] = self.extra.schema()
        return out

    def frame(self) -> Schema:
        """Return the listed schema without the schemas inside it: `properties` and `items` are
        `{}`.
        """
        out = dict(self.rules)
        if self.node.items:
            out["items"] = {}
        if self.members:
            out["properties"] = {}
        required = [member.key for member in self.listed() if member.required]
        if required:
            out["required"] = required
        if self.extra and not self.hidden():
            out["additionalProperties"] = {}
        elif self.node.extra is True:
            out["additionalProperties"] = True
        elif self.is_closed():
            out["additionalProperties"] = False
        description = self.description()
        if description:
            out["description"] = description
        return out

    def description(self) -> str:
        """Return the text, and up to 1,700 characters of notes: on a name that is not ASCII,
        values, dependencies and unlisted properties.
        """
        together = texts.together_note(self.together)
        named = "" if self.name.isascii() else f"`{visible(self.name)[:40]}` in the API"
        notes = [named, self.note, self.meaning, together, self._names_note()]
        return texts.joined([self.text, shorten(texts.joined(notes), 1_700)])

    def _names_note(self) -> str:
        """Return the note on the unlisted properties; empty if there are none."""
        hidden = self.hidden()
        if not hidden:
            return ""
        named = [member for member in hidden if member.key in self.named]
        needed = [self.named[member.key] for member in named if member.required]
        names = [self.named[member.key] for member in named if not member.required]
        return texts.names_note(needed, names, len(hidden) - len(named), others=bool(self.members))

    def _union(self) -> Schema:
        options = self.options()
        out: Schema = {"anyOf": [schema for schema, _ in options]}
        if len(options) == 1:
            out = options[0][0]
        elif "default" in self.rules:
            out["default"] = self.rules["default"]
        description = self.description()
        return {**out, "description": description} if description else out

    def options(self) -> list[tuple[Schema, Place]]:
        """Return (schema, place) of each branch of a union, nested ones too; branches that differ
        in their text alone appear once.
        """
        options: list[tuple[Schema, Place]] = []
        known: set[Hashable] = set()
        for branch in self.branches:
            for schema, place in branch.alternatives():
                bare = frozen({**schema, "description": place.named})
                if bare not in known:
                    known.add(bare)
                    options.append((schema, place))
        return options

    def alternatives(self) -> list[tuple[Schema, Place]]:
        """Return the options of a union, or (schema, place) of the place itself."""
        return self.options() if self.branches else [(self.schema(), self)]

    def _items(self) -> Schema:
        schema = self.items.schema() if self.items else {}
        if schema.keys() & {"type", "anyOf", "enum"}:
            return schema
        return {**schema, "anyOf": list(map(dict, ANY_VALUE))}

    def needs(self) -> str:
        """Return `needs a, b` of the unlisted required properties, else the note."""
        return texts.needs_note([member.wire_name for member in self.demands()]) or self.note

    def parts(self) -> Iterator[Place]:
        """Yield the place itself, then its items and alternatives, at any depth: one value is at
        all of them, or its items are.
        """
        yield self
        if self.items:
            yield from self.items.parts()
        for branch in self.branches:
            yield from branch.parts()

    def inside(self, pointer: str) -> Iterator[tuple[str, Place]]:
        """Yield (pointer, place) of this place, at `pointer`, and of those inside, at any depth."""
        pending: list[tuple[str, Place]] = [(pointer, self)]
        while pending:
            at, place = pending.pop()
            yield at, place
            keys = ((f"/properties/{escape(key)}", one) for key, one in place.members.items())
            named = [*keys, ("/items", place.items), ("/additionalProperties", place.extra)]
            options = place.options()
            for index, (_, one) in enumerate(options):
                named.append((f"/anyOf/{index}" * (len(options) > 1), one))
            pending += [(at + key, one) for key, one in reversed(named) if one]


def _identity(node: Node) -> str | int:
    """Return the identity of a schema: its component, else that of the node itself."""
    return node.ref or id(node)


@dataclass(frozen=True, slots=True)
class Projection:
    """A listed schema and its hidden facts. Pointers are relative to `schema`.

    `nullable`: nullable positions inside, `accepts_null`: whether the root is one. `wire_names`:
    (pointer, wire name) of renamed keys. `is_whole`: whether the schema has every rule.
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
