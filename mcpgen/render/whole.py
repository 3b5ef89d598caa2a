"""Contracts that check calls of generated tools, if the listed schema is not complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir import Schema, Server, Tool
from ..load.values import as_object, texts_in
from ..runtime.pointer import referred_to, unescape


def whole_schemas(server: Server) -> dict[str, Any]:
    """Return the content of `schemas.json`; empty if every tool is listed whole.

    `tools`: tool → its whole input schema; `$defs`: what these refer to; `names`: pointer of a
    property in `$defs` → its name on the wire.
    """
    tools = {tool.name: tool.contract for tool in with_contract(server)}
    if not tools:
        return {}
    definitions = referred_to(list(tools.values()), server.definitions)
    return {"$defs": definitions, "names": _names(server, definitions), "tools": tools}


def whole_input(server: Server, tool: Tool) -> tuple[Schema, dict[str, str]]:
    """Return the self-contained schema that checks calls of a generated tool; and pointer of a
    property in it → its name on the wire.
    """
    names = dict(tool.wire_names)
    if tool.contract is None:
        return tool.input_schema, names
    definitions = referred_to(tool.contract, server.definitions)
    return {**tool.contract, "$defs": definitions}, {**_names(server, definitions), **names}


def leave_out(server: Server) -> bool:
    """Return whether a tool takes a property or a text of an enum that its listed schema lacks."""
    for tool in with_contract(server):
        if not _is_listed(tool.contract, server.definitions, _properties(tool.input_schema)):
            return True
    return False


def with_contract(server: Server) -> list[Tool]:
    """Return the generated tools with a contract: it says more than their listed input schema."""
    requests = [tool for tool in server.tools if tool.request is not None]
    return [tool for tool in requests if tool.contract is not None]


def _is_listed(schema: Any, definitions: Mapping[str, Schema], listed: set[str]) -> bool:
    """Return whether the names in a schema, and in what it refers to, are listed."""
    seen: set[str] = set()
    pending = [schema]
    for part in _parts(pending):
        if not listed.issuperset(_named(part)):
            return False
        name = str(part.get("$ref", "")).removeprefix("#/$defs/")
        if name in definitions and name not in seen:
            seen.add(name)
            pending.append(definitions[name])
    return True


def _properties(schema: Schema) -> set[str]:
    """Return the names of all properties in a schema, and the texts of its enums, at any depth."""
    return set().union(*map(_named, _parts([schema])))


def _parts(pending: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects in what is pending, to which more may be added meanwhile."""
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            pending += part.values()
            yield part


def _named(part: dict[str, Any]) -> list[str]:
    return [*as_object(part.get("properties")), *texts_in(part.get("enum"))]


def _names(server: Server, definitions: dict[str, Schema]) -> dict[str, str]:
    """Return pointer → name on the wire, of the properties in these definitions."""
    return {
        pointer: name
        for pointer, name in server.definition_names
        if unescape(pointer.split("/")[2]) in definitions
    }
