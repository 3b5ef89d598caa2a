"""Projected schemas as the root of a tool's input or output, where clients take an object only."""

from __future__ import annotations

from ..ir import Schema
from ..load.values import as_list, picked
from ..runtime.pointer import escape
from .projection import Projection

ROOT_KEYWORDS = ("type", "properties", "required", "additionalProperties", "description")


class InputRoot:
    """An input schema as the model sees it, with argument names that Python takes.

    `nullable` and `wire_names` are those of the projection, with pointers into `schema`.
    """

    def __init__(self, projection: Projection, names: dict[str, str]) -> None:
        """Rename the arguments of a projection; `names`: argument of the document → name here."""
        root, prefixes = root_object(projection.schema)
        wire_names = dict(projection.wire_names)
        renamed: dict[str, str] = {}
        self._moved: dict[str, str] = {}
        properties: dict[str, Schema] = {}
        for key, child in root.get("properties", {}).items():
            pointer = f"{prefixes.get(key, '')}/properties/{escape(key)}"
            name = names.get(wire_names.get(pointer, key), key)
            properties[name] = child
            renamed[key] = name
            self._moved[pointer] = argument_pointer(name)
        self.schema = {**root, "properties": properties}
        if root.get("required"):
            self.schema["required"] = [renamed.get(key, key) for key in root["required"]]
        self.nullable = list(filter(None, map(self._place, projection.nullable)))
        self.wire_names = [
            (argument_pointer(name), wire_name)
            for wire_name, name in names.items()
            if name != wire_name and name in properties
        ]
        for pointer, wire_name in projection.wire_names:
            place = self._place(pointer)
            if is_nested(place):
                self.wire_names.append((place, wire_name))

    def _place(self, pointer: str) -> str:
        """Return a pointer into the projection as one into `schema`; empty if the argument is not
        listed.
        """
        for before, after in self._moved.items():
            if f"{pointer}/".startswith(f"{before}/"):
                return after + pointer[len(before) :]
        return ""

    def takes_null(self, name: str) -> bool:
        """Return whether null is a value of an argument."""
        return argument_pointer(name) in self.nullable


def argument_pointer(name: str) -> str:
    """Return the pointer of an argument in an input schema."""
    return f"/properties/{escape(name)}"


def is_nested(pointer: str) -> bool:
    """Return whether a pointer leads inside an argument, and not to the argument itself."""
    return pointer.count("/") > 2


def root_object(projected: Schema) -> tuple[Schema, dict[str, str]]:
    """Return a listed schema with a root of the type object, as clients want it, and argument →
    pointer of the first branch that has it, for a union at the root.

    The properties of all branches are arguments; those that every branch requires are required.
    """
    branches = projected.get("anyOf")
    if isinstance(branches, list):
        return _joined_branches(branches)
    root: Schema = {"type": "object", "properties": {}}
    if projected.get("type") == "object":
        root |= picked(projected, ROOT_KEYWORDS)
    return root, {}


def _joined_branches(branches: list[Schema]) -> tuple[Schema, dict[str, str]]:
    properties: dict[str, Schema] = {}
    prefixes: dict[str, str] = {}
    for index, branch in enumerate(branches):
        for key, child in branch.get("properties", {}).items():
            if key not in properties:
                properties[key], prefixes[key] = child, f"/anyOf/{index}"
            elif properties[key] != child:
                properties[key] = _either(properties[key], child)
    root: Schema = {"type": "object", "properties": properties}
    lists = [branch.get("required", ()) for branch in branches]
    required = [key for key in properties if all(key in keys for keys in lists)]
    if required:
        root["required"] = required
    return root, prefixes


def _either(schema: Schema, other: Schema) -> Schema:
    options = as_list(schema.get("anyOf")) or [schema]
    if other in options:
        return {"anyOf": list(options)}
    return {"anyOf": [*options, other]}


def loosened(schema: Schema) -> Schema:
    """Return an output schema with the names and descriptions of its fields, of any type."""
    properties: dict[str, Schema] = {}
    for key, child in schema.get("properties", {}).items():
        properties[key] = {}
        if "description" in child:
            properties[key] = {"description": child["description"]}
    return {"type": "object", "properties": properties}
