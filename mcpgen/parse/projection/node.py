"""The portable profile's view of a schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ...ir import Schema
from ...load.values import as_object, as_text, keywords, texts_in
from ..schema import conditions

if TYPE_CHECKING:
    from ..schema import Reader

TEXTS = frozenset(
    "description title default example examples deprecated externalDocs xml summary".split()
)
"""Keywords beside a reference that leave its target the same schema."""


NAME_RULES = {"pattern": str, "minLength": int, "maxLength": int, "enum": list}
"""Rules about the name of a property that are checked, with the types of their values."""


@dataclass(frozen=True, slots=True)
class Member:
    """A property: its key for clients, its name on the wire, its schema in the document."""

    key: str
    wire_name: str
    schema: Any
    required: bool


@dataclass(frozen=True, slots=True)
class Node:
    """One schema.

    `base`: the merged schema of the document, for its texts. `rules`: the portable keywords of the
    schema itself. `members`: the properties of an object. `items`: the schema of an array's items,
    in a tuple that is empty for another type. `extra`: `additionalProperties`, None where it says
    nothing. `branches`: the alternatives of a union. `ref`: the component that this schema is.
    `note`: what the reading itself has to say. `unlisted`: the rules that no list shows, because
    they say nothing to a caller. `exclusive`: a value fits no more than one of the branches.
    `barred`: the names of properties that an object has and that cannot be sent (`readOnly`).
    `conditions`: schemas of the document that a value fits as well.
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
    unlisted: frozenset[str] = frozenset()
    exclusive: bool = False
    barred: tuple[str, ...] = ()
    conditions: tuple[Schema, ...] = ()

    @property
    def kind(self) -> str:
        """The type; empty for any type and for a union."""
        return as_text(self.rules.get("type"))

    def rules_of_names(self) -> Schema:
        """The rules about the names of an object's properties. No list shows them, because clients
        refuse them; a call is checked against them.
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
        keys = {member.wire_name: member.key for member in self.members}
        dependent = {}
        for name, needed in self._dependent().items():
            if keys.keys() >= {name, *texts_in(needed)}:
                dependent[keys[name]] = [keys[other] for other in texts_in(needed)]
        if dependent:
            rules["dependentRequired"] = dependent
        return rules

    def _dependent(self) -> dict[str, Any]:
        """Name of a property → the names of those that it is not given without."""
        dependent = {
            name: as_object(schema).get("required")
            for condition in conditions(self.base)
            for name, schema in as_object(condition.get("dependentSchemas")).items()
        }
        return dependent | as_object(self.base.get("dependentRequired"))

    def together_with(self, member: Member) -> tuple[str, ...]:
        """The keys of the optional properties that a property is not given without."""
        if not self._dependent():
            return ()
        keys = self.rules_of_names().get("dependentRequired", {}).get(member.key, ())
        optional = [other.key for other in self.members if not other.required]
        return tuple(key for key in optional if key in keys)

    def accepts_as(self, other: Node) -> bool:
        """Return whether both accept the same values."""
        if self.ref and self.ref == other.ref:
            return True
        if self.rules != other.rules:
            return False
        if len(self.members) != len(other.members):
            return False
        mine = (self.members, self.items, self.extra, self.branches)
        return mine == (other.members, other.items, other.extra, other.branches)


def rules_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a schema that say what it accepts: no texts, no extensions."""
    return {key: schema[key] for key in keywords(schema, TEXTS)}


class Reading(Protocol):
    """The schemas of a document, each read once: see `reading.Nodes`."""

    reader: Reader

    def node(self, schema: Any) -> Node:
        """Return a schema of the document, read."""
