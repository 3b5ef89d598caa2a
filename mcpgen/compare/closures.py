"""Closures of definitions: each definition is walked once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ..ir import Schema
from ..load.values import objects_in


class Closures:
    """The definitions that schemas refer to, directly or indirectly.

    Definitions that refer to each other in a circle share a set, and schemas with the same
    definitions share a dictionary.
    """

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self._definitions = definitions
        self._reached: dict[str, frozenset[str]] = {}
        self._made: dict[frozenset[str], dict[str, Schema]] = {}

    def of(self, schema: Schema) -> dict[str, Schema]:
        """Return name → definition, sorted by name: all that a schema refers to, directly or
        through other definitions.
        """
        names = frozenset[str]().union(*map(self._reached_from, self._links(schema)))
        if names not in self._made:
            self._made[names] = {name: self._definitions[name] for name in sorted(names)}
        return self._made[names]

    def _reached_from(self, name: str) -> frozenset[str]:
        """Return the names of a definition and of all it refers to, and remember them. Definitions
        of one circle have the same names.
        """
        if name in self._reached:
            return self._reached[name]
        around: defaultdict[str, list[str]] = defaultdict(list)
        reached, pending = {name}, [name]
        while pending:
            outer = pending.pop()
            for inner in self._links(self._definitions[outer]):
                around[inner].append(outer)
                if inner in self._reached:
                    reached |= self._reached[inner]
                elif inner not in reached:
                    reached.add(inner)
                    pending.append(inner)
        found = self._reached[name] = frozenset(reached)
        circle = around[name]
        while circle:
            outer = circle.pop()
            if outer not in self._reached:
                self._reached[outer] = found
                circle += around[outer]
        return found

    def _links(self, schema: Schema) -> set[str]:
        """Return the names of the definitions that a schema itself refers to, at any depth."""
        references = (str(part["$ref"]) for part in objects_in(schema) if "$ref" in part)
        return {name.removeprefix("#/$defs/") for name in references} & self._definitions.keys()
