"""The portable profile's view of a schema, with names of properties that every client takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ...ir import Schema
from ...load.values import as_object, as_text, frozen, keywords, picked
from ...text import ascii_of
from ..meanings import Meaning, told
from ..naming import digest

if TYPE_CHECKING:
    from ..schema import Reader

KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""A property name that every client takes."""
TEXTS = frozenset(
    "description title default example examples deprecated externalDocs xml summary".split()
)
"""Keywords beside a reference that leave its target the same schema."""
NAME_RULES = {"pattern": str, "minLength": int, "maxLength": int, "enum": list}
"""Rules about the name of a property that are checked, with the types of their values."""


@dataclass(frozen=True, slots=True)
class Member:
    """A property: its key for clients, its name on the wire, its schema in the document, and the
    keys of the properties that it `needs`: it is not given without them.
    """

    key: str
    wire_name: str
    schema: Any
    required: bool
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One schema.

    * `base`: the merged schema of the document, for its texts. `rules`: the portable keywords of
      the schema itself.
    * `members`: the properties of an object. `items`: the schema of an array's items, as a tuple,
      empty for other types.
    * `extra`: `additionalProperties`, None if absent, True if any property beside the `members` is
      permitted.
    * `branches`: the alternatives of a union. `ref`: the component of this schema.
    * `note`: a remark made by the reading itself.
    * `vacuous`: bounds left out of lists but checked in calls.
    * `barred`: names of properties that cannot be sent (`readOnly`).
    * `conditions`: further schemas of the document that a value must match.
    * `meanings`: the meaning of each value of the enum, empty if the document has none.
    """

    base: dict[str, Any]
    rules: Schema
    members: tuple[Member, ...] = ()
    items: tuple[Any, ...] = ()
    extra: Any = None
    branches: tuple[Node, ...] = ()
    null: bool = False
    ref: str = ""
    note: str = ""
    vacuous: frozenset[str] = frozenset()
    barred: tuple[str, ...] = ()
    conditions: tuple[Schema, ...] = ()
    meanings: tuple[Meaning, ...] = ()

    def meanings_told(self) -> list[str]:
        """Return the meanings of the values in words, the longest text first."""
        if not self.meanings:
            return []
        return told(self.rules["enum"], self.meanings, as_text(self.base.get("description")))

    @property
    def kind(self) -> str:
        """The type; empty for any type and for a union."""
        return as_text(self.rules.get("type"))

    def rules_of_names(self) -> Schema:
        """Return the rules about the names of an object's properties. They are left out of lists,
        because clients refuse them, but checked in calls.
        """
        if self.kind != "object":
            return {}
        rules: Schema = {}
        names = as_object(self.base.get("propertyNames"))
        name_rules = {
            key: names[key] for key, kind in NAME_RULES.items() if type(names.get(key)) is kind
        }
        if name_rules:
            rules["propertyNames"] = name_rules
        dependent = {member.key: list(member.needs) for member in self.members if member.needs}
        if dependent:
            rules["dependentRequired"] = dependent
        return rules

    def together_with(self, member: Member) -> tuple[str, ...]:
        """Return the keys of the optional properties that a property is not given without."""
        if not member.needs:
            return ()
        optional = [other.key for other in self.members if not other.required]
        return tuple(key for key in optional if key in member.needs)

    def accepted(self) -> Hashable:
        """Return its rules, members, items, `extra` and `conditions` as a key, equal where these
        are equal; null and branches do not count.
        """
        members = [
            (each.key, each.wire_name, each.schema, each.required, each.needs)
            for each in self.members
        ]
        return frozen([self.rules, members, self.items, self.extra, self.conditions])


def rules_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the validating keywords of a schema: no texts, no extensions."""
    return picked(schema, keywords(schema, TEXTS))


class Reading(Protocol):
    """The schemas of a document, each read once: see `reading.Nodes`."""

    reader: Reader

    def node(self, schema: Any) -> Node:
        """Return the node of a schema of the document."""


def safe_key(wire_name: str, used: Collection[str]) -> str:
    """Return a property key that every client accepts: the wire name, or a readable unique
    replacement.
    """
    if KEY.fullmatch(wire_name) and wire_name not in used:
        return wire_name
    stem = re.sub(r"[^a-zA-Z0-9_.-]+", "_", ascii_of(wire_name)).strip("_")[:50] or "key"
    key = stem
    if len(wire_name) > 64:
        key = f"{stem}_{digest(wire_name)}"
    attempt = 0
    while key in used:
        suffix = f"#{attempt}" if attempt else ""
        key = f"{stem}_{digest(wire_name + suffix)}"
        attempt += 1
    return key


def in_order(properties: dict[str, Any], required: set[str]) -> list[tuple[str, Any]]:
    """Return (name, schema) of properties: the required ones first, else in the order of the
    document.
    """
    return sorted(properties.items(), key=lambda item: item[0] not in required)
