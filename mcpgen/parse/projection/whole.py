"""The whole of what a tool takes, as calls are checked: every rule of every schema, no texts.

Components stand once in the definitions of the server, whatever number of tools refers to them
(JSON Schema 2020-12 core §8.2.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...runtime.pointer import escape, unescape
from ..naming import definition_name, digest

if TYPE_CHECKING:
    from ...ir import Schema
    from .node import Node
    from .reading import Nodes

DEEPEST = 24
"""Schemas inside each other without a reference between them; a deeper one takes any value."""
NULL = {"type": "null"}


class Whole:
    """The whole schemas of one document.

    `definitions`: name → schema. `names`: pointer of a property in the definitions → its name on
    the wire, where that is not its key.
    """

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.definitions: dict[str, Schema] = {}
        self.names: dict[str, str] = {}
        self._by_ref: dict[str, str] = {}

    def schema(self, node: Node, pointer: str, names: dict[str, str], depth: int = 0) -> Schema:
        """The whole schema of a node at `pointer`; `names` is completed."""
        if depth > DEEPEST:
            return {}
        if node.ref and _is_large(node):
            target = self.nodes.node({"$ref": node.ref})
            out: Schema = {"$ref": f"#/$defs/{self._define(node.ref, target)}"}
            if node.null and not target.null:
                out = {"anyOf": [out, NULL]}
            return out
        return self._inline(node, pointer, names, depth)

    def _define(self, ref: str, target: Node) -> str:
        """The name of a component in the definitions."""
        if ref not in self._by_ref:
            name = definition_name(unescape(ref.rsplit("/", 1)[-1]))
            if name in self.definitions:
                name = f"{name}_{digest(ref)}"
            self._by_ref[ref] = name
            self.definitions[name] = {}
            schema = self._inline(target, f"/$defs/{name}", self.names, 0)
            self.definitions[name] = schema
        return self._by_ref[ref]

    def _inline(self, node: Node, pointer: str, names: dict[str, str], depth: int) -> Schema:
        out = dict(node.rules)
        if node.branches:
            out["anyOf"] = [
                self.schema(branch, f"{pointer}/anyOf/{index}", names, depth + 1)
                for index, branch in enumerate(node.branches)
            ]
        if node.items:
            items = self.nodes.node(node.items[0])
            out["items"] = self.schema(items, f"{pointer}/items", names, depth + 1)
        if node.members:
            out["properties"] = self._properties(node, pointer, names, depth)
        required = [member.key for member in node.members if member.required]
        if required:
            out["required"] = required
        if node.extra is False:
            out["additionalProperties"] = False
        elif node.extra is not None:
            extra = self.nodes.node(node.extra)
            at = f"{pointer}/additionalProperties"
            out["additionalProperties"] = self.schema(extra, at, names, depth + 1)
        return _with_null(out) if node.null else out

    def _properties(
        self, node: Node, pointer: str, names: dict[str, str], depth: int
    ) -> dict[str, Schema]:
        properties = {}
        for member in node.members:
            at = f"{pointer}/properties/{escape(member.key)}"
            if member.key != member.wire_name:
                names[at] = member.wire_name
            properties[member.key] = self.schema(
                self.nodes.node(member.schema), at, names, depth + 1
            )
        return properties


def _is_large(node: Node) -> bool:
    """Whether a component is worth a definition: it has schemas inside it, or many values."""
    if any((node.members, node.items, node.branches, node.extra)):
        return True
    return len(node.rules.get("enum", ())) > 8


def _with_null(schema: Schema) -> Schema:
    """A schema that takes null as well."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], NULL]}
    out = dict(schema)
    if "type" in out:
        out["type"] = [out["type"], "null"]
    if "enum" in out:
        out["enum"] = [*out["enum"], None]
    return out
