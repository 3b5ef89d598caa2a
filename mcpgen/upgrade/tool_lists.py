"""Tool definitions whose arguments are no JSON Schema → definitions with an `inputSchema`."""

from __future__ import annotations

from typing import Any

from ..load.definitions import SCHEMA_KEYS, entries, schema_of, unwrapped
from ..load.document import Document
from ..load.values import as_object
from ..runtime.pointer import escape
from .walk import definition_roots

Moves = list[tuple[str, str]]


def convert(document: Document) -> None:
    """Every list of tools of a document, in place."""
    for root, pointer in definition_roots(document):
        for entry, entry_pointer in entries(root, pointer) or ():
            tool, at = unwrapped(entry, entry_pointer)
            if schema_of(tool, at, SCHEMA_KEYS)[1]:
                continue
            if type(tool.get("arguments")) is list:
                tool["inputSchema"] = _input_schema(tool["arguments"], at, document.moved)


def _input_schema(arguments: list[Any], pointer: str, moved: Moves) -> dict[str, Any]:
    """The schema of arguments as Docker's MCP registry lists them: `{name, type, desc}`, required
    unless `optional` is true.
    """
    properties: dict[str, Any] = {}
    required: list[str] = []
    for index, argument in enumerate(arguments):
        name = as_object(argument).get("name")
        if type(name) is not str:
            continue
        schema = {key: argument[key] for key in _KEYWORDS if key in argument}
        if type(argument.get("desc")) is str:
            schema["description"] = argument["desc"]
        properties[name] = schema
        if argument.get("optional") is not True:
            required.append(name)
        here = f"{pointer}/inputSchema/properties/{escape(name)}"
        moved.append((here, f"{pointer}/arguments/{index}"))
    return {"type": "object", "properties": properties, "required": required}


_KEYWORDS = ("type", "items", "properties", "enum", "default", "description")
"""Keywords of JSON Schema that such an argument may have."""
