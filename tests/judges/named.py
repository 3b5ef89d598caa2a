"""Whether a tool names every field of its JSON body: at the top level, those of every alternative
included.

Written apart from mcpgen's own reading of schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mcpgen.ir import Server, Tool

from .portable import walk

DEEPEST = 12
JSON = re.compile(r"[/+.-]json\s*(;|$)", re.I)
"""A media type of one JSON value: lines of JSON (`application/x-ndjson`) are text."""


def bodies(server: Server, root: dict[str, Any]) -> tuple[int, list[tuple[str, list[str]]]]:
    """How many tools send a JSON body with fields, and those that do not name all of them.

    `root` is the document as OpenAPI 3.1.
    """
    tools = [tool for tool in server.tools if tool.request is not None]
    count = 0
    unnamed: list[tuple[str, list[str]]] = []
    for tool in tools:
        declared = list(_fields(root, _body(root, tool)))
        names = {name for name, _ in declared}
        names -= {name for name, can_be_sent in declared if not can_be_sent}
        if not names:
            continue
        count += 1
        words = set(_words(tool))
        missing = sorted(name for name in names if name not in words)
        if missing:
            unnamed.append((tool.name, missing))
    return count, unnamed


def _words(tool: Tool) -> Iterator[str]:
    """Every word of a tool's input that can be the name of a field, as the API writes it."""
    for schema, _, _ in walk(tool.input_schema):
        yield from schema.get("properties", ())
        yield from re.split(r"[,;:()` ]+", schema.get("description", ""))
    for argument in tool.arguments:
        yield argument.wire_name
    for _, name in tool.wire_names:
        yield name


def _body(root: dict[str, Any], tool: Tool) -> Any:
    """The schema of a tool's JSON body; None where it has none."""
    operation = _target(root, {"$ref": f"#{tool.origin.pointer}"})
    body = _target(root, operation.get("requestBody"))
    content = body.get("content")
    for media_type, media in content.items() if isinstance(content, dict) else ():
        if JSON.search(media_type) and isinstance(media, dict):
            return media.get("schema")
    return None


def _fields(root: dict[str, Any], schema: Any, depth: int = 0) -> Iterator[tuple[str, bool]]:
    """The fields of a schema, and whether a client may send them as far as one part of it says.

    `properties` say nothing of an array (JSON Schema 2020-12 core §10.3.2).
    """
    schema = _target(root, schema)
    if depth > DEEPEST or schema.get("type", "object") in ("array", "string"):
        return
    properties = schema.get("properties")
    for name, child in properties.items() if isinstance(properties, dict) else ():
        if isinstance(child, dict | bool):
            yield name, child is not False and not _is_read_only(root, child)
    for keyword in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(keyword)
        for part in parts if isinstance(parts, list) else ():
            yield from _fields(root, part, depth + 1)


def _is_read_only(root: dict[str, Any], schema: Any) -> bool:
    schema = _target(root, schema)
    if schema.get("readOnly") is True or schema.get("type") == "null":
        return True
    return any(_is_read_only(root, part) for part in schema.get("allOf") or ())


def _target(root: dict[str, Any], node: Any) -> dict[str, Any]:
    """A node with its references followed; empty where it is no object."""
    for _ in range(DEEPEST):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            break
        here: Any = root
        for token in node["$ref"].partition("#")[2].split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if isinstance(here, list) and key.isdigit():
                here = here[int(key)]
            else:
                here = here.get(key) if isinstance(here, dict) else None
        node = here
    return node if isinstance(node, dict) else {}
