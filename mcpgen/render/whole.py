"""What calls of generated tools are checked against, where the list leaves something out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ir import Schema, Server, Tool
from ..runtime.pointer import unescape


def whole_schemas(server: Server) -> dict[str, Any]:
    """The content of `schemas.json`; empty where every tool is listed whole.

    `tools`: tool → its whole input schema; `$defs`: what these refer to; `names`: pointer of a
    property in `$defs` → its name on the wire.
    """
    tools = {
        tool.name: tool.contract
        for tool in server.tools
        if tool.request is not None and tool.contract is not None
    }
    if not tools:
        return {}
    definitions = _reachable(tools.values(), server.definitions)
    return {"$defs": definitions, "names": _names(server, definitions), "tools": tools}


def whole_input(server: Server, tool: Tool) -> tuple[Schema, dict[str, str]]:
    """What a call of a generated tool is checked against, standing alone; and pointer of a property
    in it → its name on the wire.
    """
    names = dict(tool.wire_names)
    if tool.contract is None:
        return tool.input_schema, names
    definitions = _reachable([tool.contract], server.definitions)
    return {**tool.contract, "$defs": definitions}, {**_names(server, definitions), **names}


def _names(server: Server, definitions: dict[str, Schema]) -> dict[str, str]:
    """Of the properties in these definitions: pointer → name on the wire."""
    return {
        pointer: name
        for pointer, name in server.definition_names
        if unescape(pointer.split("/")[2]) in definitions
    }


def _reachable(schemas: Iterable[Schema], definitions: dict[str, Schema]) -> dict[str, Schema]:
    """The definitions that schemas refer to, directly or through others."""
    names: set[str] = set()
    pending: list[Any] = list(schemas)
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            pending += part.values()
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions and name not in names:
                names.add(name)
                pending.append(definitions[name])
    return {name: definitions[name] for name in sorted(names)}
