"""What the portable profile knows of a schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...ir import Schema
from ...load.values import as_text

TEXTS = frozenset(
    "description title default example examples deprecated externalDocs xml summary".split()
)
"""Keywords beside a reference that leave its target the same schema."""


TOGETHER = "dependentRequired"
"""The keyword that says which properties are not given without others."""


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
    they say nothing to a caller or clients do not know them. `exclusive`: a value fits no more than
    one of the branches.
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

    @property
    def kind(self) -> str:
        """The type; empty for any type and for a union."""
        return as_text(self.rules.get("type"))

    def accepts_as(self, other: Node) -> bool:
        """Whether both accept the same values."""
        if self.ref and self.ref == other.ref:
            return True
        if self.rules != other.rules or len(self.members) != len(other.members):
            return False
        mine = (self.members, self.items, self.extra, self.branches)
        return mine == (other.members, other.items, other.extra, other.branches)


def rules_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a schema that say what it accepts: no texts, no extensions."""
    return {
        key: value for key, value in schema.items() if key not in TEXTS and not key.startswith("x-")
    }
