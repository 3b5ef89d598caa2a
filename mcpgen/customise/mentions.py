"""Replace operationIds in texts by the names of their tools.

A text says `call listBooks first`; the model knows that tool as `list_books`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..ir import Server, Tool, Toolset
from ..parse.describe import with_fitting_headline

_IDENTIFIER = re.compile(r"[A-Za-z_][\w/.-]*[A-Za-z0-9_]")
# What can only be an identifier, and no word of a sentence: `listBooks`, `books/list`. Every
# operationId that is replaced holds it.
_UNLIKE_A_WORD = re.compile(r"[a-z0-9][A-Z]|_|\w/\w|-\w+-")
VALUES = frozenset(["const", "default", "enum", "examples"])
"""Keywords of JSON Schema whose values are data, and no schemas."""


def with_tool_names(server: Server) -> Server:
    """Return the server with operationIds in its texts replaced by the names of their tools. An
    operationId stays if it looks like a word of a sentence (`list`), or is the name of a tool or of
    a field of the tool that has the text. A text speaks of its own API, the instructions of all.
    """
    names: dict[str, dict[str, str]] = {}
    listed = {tool.name for tool in server.tools}
    for tool in server.tools:
        identity = tool.origin.own_id
        if identity and identity not in listed and _UNLIKE_A_WORD.search(identity):
            names.setdefault(tool.origin.api, {})[identity] = tool.name
    if not names:
        return server
    toolsets = tuple(_toolset(toolset, names) for toolset in server.toolsets)
    count = Counter(identity for own in names.values() for identity in own)
    every = {key: own[key] for own in names.values() for key in own if count[key] == 1}
    instructions = named(server.instructions, every)
    return replace(server, toolsets=toolsets, instructions=instructions)


def named(text: str, names: Mapping[str, str]) -> str:
    """Return a text with operationIds, as whole words, replaced by names: `names` maps them."""
    if names.keys().isdisjoint(_IDENTIFIER.findall(text)):
        return text
    return _IDENTIFIER.sub(lambda match: names.get(match.group(), match.group()), text)


def _toolset(toolset: Toolset, names: Mapping[str, dict[str, str]]) -> Toolset:
    tools = tuple(_tool(tool, names.get(tool.origin.api, {})) for tool in toolset.tools)
    own = names.get(toolset.tools[0].origin.api, {})
    return replace(toolset, description=named(toolset.description, own), tools=tools)


def _tool(tool: Tool, names: Mapping[str, str]) -> Tool:
    """Return the tool with operationIds in its texts replaced, except those that are also a field
    of its schemas.
    """
    fields = {*_fields(tool.input_schema), *_fields(tool.output_schema)}
    others = names
    if not names.keys().isdisjoint(fields):  # looks up the fewer: a set would look up all names
        others = {identity: name for identity, name in names.items() if identity not in fields}
    description = named(tool.description, others)
    if tool.request is not None:
        description = with_fitting_headline(description, tool.description)
    return replace(
        tool,
        description=description,
        input_schema=_schema(tool.input_schema, others),
        output_schema=_schema(tool.output_schema, others),
        docstring=named(tool.docstring, others),
    )


def _fields(value: Any) -> set[str]:
    """Return the names of all properties in a schema, at any depth."""
    names: set[str] = set()
    if isinstance(value, dict):
        names.update(value.get("properties", ()))
        for item in value.values():
            names |= _fields(item)
    elif isinstance(value, list):
        for item in value:
            names |= _fields(item)
    return names


def _schema(value: Any, names: Mapping[str, str]) -> Any:
    """Return a schema with operationIds in its descriptions replaced; its data (`VALUES`) stays."""
    if isinstance(value, list):
        return [_schema(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    schema = {}
    for key, item in value.items():
        if key in VALUES:
            schema[key] = item
        elif key == "description" and isinstance(item, str):
            schema[key] = named(item, names)
        else:
            schema[key] = _schema(item, names)
    return schema
