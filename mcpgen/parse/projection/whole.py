"""The full schema of a tool's input, as calls are checked: every rule of every schema, no texts.

Each component is in the server's definitions once, for all tools that refer to it (JSON Schema
2020-12 core §8.2.4).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...load.values import as_text
from ...runtime.pointer import escape
from ..contract import copied
from ..naming import definition_name, digest
from ..schema import component_name
from .node import rules_of

if TYPE_CHECKING:
    from ...ir import Schema
    from .node import Node
    from .reading import Nodes

DEEPEST = 24
"""Deepest nesting of schemas without a reference between; a deeper schema accepts any value."""
MOST = 5_000
"""Most components with sibling rules expanded in one schema; beyond, any value is accepted."""
NULL = {"type": "null"}


class Whole:
    """The whole schemas of one document.

    `definitions`: name → schema. `names`: pointer of a property in the definitions → its name on
    the wire, where that is not its key.
    """

    def __init__(self, nodes: Nodes, beside: Whole | None = None) -> None:
        """Join the definitions to `beside`, those of another API."""
        self.nodes = nodes
        self.definitions: dict[str, Schema] = beside.definitions if beside else {}
        self.names: dict[str, str] = beside.names if beside else {}
        self._by_key: dict[str, str] = {}
        self._inside: set[int] = set()
        """The nodes of components and more that are written out in what is being made."""
        self._unfinished: list[Callable[[], None]] = []
        """Writers of definitions that are referred to and not written yet: they are deferred,
        because definitions may refer to each other in a chain of any length.
        """

    def schema(self, node: Node, pointer: str, names: dict[str, str]) -> Schema:
        """Return the whole schema of a node at `pointer`. Pointers of renamed properties are added
        to `names`, with their wire names.
        """
        self._inside = set()
        schema = self._schema(node, pointer, names, 0)
        while self._unfinished:
            self._unfinished.pop()()
        return schema

    def _schema(self, node: Node, pointer: str, names: dict[str, str], depth: int) -> Schema:
        if depth > DEEPEST or len(self._inside) > MOST:
            return {}
        if not _is_large(node):
            return self._inline(node, pointer, names, depth)
        if node.ref:
            target = self.nodes.node({"$ref": node.ref})
            name = definition_name(component_name(node.ref))
            out = self._define(node.ref, name, target)
            return {"anyOf": [out, NULL]} if node.null and not target.null else out
        if id(node) in self._inside:  # it stands twice, or inside itself
            name = _merged_name(node)
            return self._define(name, name, node)
        if "$name" in node.base:
            self._inside.add(id(node))
        return self._inline(node, pointer, names, depth)

    def _define(self, key: str, name: str, target: Node) -> Schema:
        """Return a reference to a schema, and add the schema to the definitions."""

        def write(name: str) -> None:
            self._inside = {id(target)}
            self.definitions[name] = self._inline(target, f"/$defs/{name}", self.names, 0)

        return {"$ref": self._reference(key, name, write)}

    def _as_written(self, ref: str) -> str:
        """Return the reference to a definition that copies a component exactly as the document has
        it.
        """

        def write(name: str) -> None:
            target, _ = self.nodes.reader.resolve(ref)
            self.definitions[name] = copied(target, self._as_written)

        name = f"{definition_name(component_name(ref))}_as_written"
        return self._reference(f"{ref} as written", name, write)

    def _reference(self, key: str, name: str, write: Callable[[str], None]) -> str:
        """Return the reference to the definition of a key; a new one is written later, by `write`
        with its name.
        """
        if key not in self._by_key:
            if name in self.definitions:
                name = f"{name}_{digest(key)}"
            self._by_key[key] = name
            self.definitions[name] = {}
            self._unfinished.append(partial(write, name))
        return f"#/$defs/{self._by_key[key]}"

    def _inline(self, node: Node, pointer: str, names: dict[str, str], depth: int) -> Schema:
        out = node.rules | node.rules_of_names()
        for text in node.meanings_told()[:1]:
            out["$comment"] = text
        if node.conditions:
            out["allOf"] = [copied(condition, self._as_written) for condition in node.conditions]
        if node.branches:
            out["anyOf"] = [
                self._schema(branch, f"{pointer}/anyOf/{index}", names, depth + 1)
                for index, branch in enumerate(node.branches)
            ]
        if node.items and not any("prefixItems" in each for each in node.conditions):
            items = self.nodes.node(node.items[0])
            out["items"] = self._schema(items, f"{pointer}/items", names, depth + 1)
        properties = self._properties(node, pointer, names, depth)
        if node.extra is not False:
            properties = dict.fromkeys(node.barred, False) | properties
        if properties:
            out["properties"] = properties
        required = [member.key for member in node.members if member.required]
        if required:
            out["required"] = required
        if isinstance(node.extra, bool):
            out["additionalProperties"] = node.extra
        elif node.extra is not None:
            extra = self.nodes.node(node.extra)
            at = f"{pointer}/additionalProperties"
            out["additionalProperties"] = self._schema(extra, at, names, depth + 1)
        return _with_null(out) if node.null else out

    def _properties(
        self, node: Node, pointer: str, names: dict[str, str], depth: int
    ) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for member in node.members:
            at = f"{pointer}/properties/{escape(member.key)}"
            if member.key != member.wire_name:
                names[at] = member.wire_name
            properties[member.key] = self._schema(
                self.nodes.node(member.schema), at, names, depth + 1
            )
        return properties


def _merged_name(node: Node) -> str:
    """Return the name of a component merged with the rules beside it, of which it has a hash."""
    component = definition_name(as_text(node.base.get("$name")))
    return f"{component}_{digest(json.dumps([rules_of(node.base), node.null], default=str))}"


def _is_large(node: Node) -> bool:
    """Return whether a schema is worth a definition: it contains schemas, or many values."""
    if any((node.members, node.items, node.branches, node.extra)):
        return True
    return len(node.rules.get("enum", ())) > 8


def _with_null(schema: Schema) -> Schema:
    """Return a schema that takes null as well."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], NULL]}
    out = dict(schema)
    if "type" in out:
        out["type"] = [out["type"], "null"]
    if "enum" in out:
        out["enum"] = [*out["enum"], None]
    return out
