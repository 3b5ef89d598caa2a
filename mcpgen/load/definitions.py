"""Tool definitions as people write them: where a document holds them, in which dialect, and what
counts as one.

Dialects: MCP (`inputSchema`; a list, under `tools`, or a captured answer to `tools/list`),
Anthropic (`input_schema`), OpenAI in both API shapes (`function: {parameters}`, `parameters`) and
Gemini (`functionDeclarations`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SOURCES = "mcpgen-sources"
"""Root key under which the files stand that are read beside a document: a list of references."""

SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")
DRAFTS = {
    "4": "http://json-schema.org/draft-04/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
"""Draft of JSON Schema → what `$schema` says for it."""
_LISTS = (("tools",), ("result", "tools"), ("functions",), ("functionDeclarations",))


def is_definition(node: Any) -> bool:
    """Whether a value defines one tool, in any dialect."""
    if type(node) is not dict:
        return False
    inner = node
    if type(node.get("function")) is dict:
        inner = node["function"]
    has_key = any(key in inner for key in (*SCHEMA_KEYS, "description"))
    return has_key and type(inner.get("name")) is str


def tool_list(root: Any) -> tuple[list[Any], str] | None:
    """The list of tools of a document and its pointer, or None if it has no such list."""
    if type(root) is list:
        return root, ""
    for path in _LISTS:
        node = _member(root, path)
        if type(node) is not list:
            continue
        if node == [] or any(type(item) is dict for item in node):
            return node, "/" + "/".join(path)
    return None


def _member(root: Any, path: tuple[str, ...]) -> Any:
    """The value at a path of keys, or None."""
    node = root
    for key in path:
        if type(node) is not dict:
            return None
        node = node.get(key)
    return node


def is_tools(root: Any) -> bool:
    """Whether a document is a list of tools or one tool."""
    if tool_list(root) is not None:
        return True
    return is_definition(root) and "version" not in root


def is_schema(root: dict[str, Any]) -> bool:
    """Whether a document is a JSON Schema: by its `$schema`, or by keywords that only a schema has
    together.
    """
    dialect = root.get("$schema")
    if type(dialect) is str and "json-schema.org" in dialect:
        return True
    has_definitions = any(type(root.get(key)) is dict for key in ("$defs", "definitions"))
    if has_definitions and "paths" not in root:
        return True
    if "$id" in root:
        return True
    return type(root.get("properties")) is dict and root.get("type", "object") == "object"


def with_draft(root: Any, draft: str | None) -> Any:
    """A document with the `$schema` of a draft, if it may be a JSON Schema and has none."""
    if draft is None or type(root) is not dict:
        return root
    if is_tools(root) or not root.keys().isdisjoint(("openapi", "swagger", "$schema")):
        return root
    return {"$schema": DRAFTS[draft], **root}


def entries(root: Any, pointer: str = "") -> list[tuple[Any, str]] | None:
    """Every entry of a list of tools with its pointer, well formed or not; None for a document
    without such a list.
    """
    listed = tool_list(root)
    if listed is None:
        if is_tools(root):
            return [(root, pointer)]
        return None
    tools, list_pointer = listed
    result: list[tuple[Any, str]] = []
    for index, entry in enumerate(tools):
        result += _declarations(entry, f"{pointer}{list_pointer}/{index}")
    return result


def _declarations(entry: Any, pointer: str) -> list[tuple[Any, str]]:
    """One entry, or the functions of one of Gemini's, which declares several."""
    if type(entry) is not dict:
        return [(entry, pointer)]
    functions = entry.get("functionDeclarations")
    if type(functions) is not list:
        return [(entry, pointer)]
    return [
        (function, f"{pointer}/functionDeclarations/{index}")
        for index, function in enumerate(functions)
    ]


def schemas(root: Any, pointer: str = "") -> Iterator[tuple[Any, str]]:
    """Every JSON Schema of a document of definitions, with its pointer."""
    tools = entries(root, pointer)
    if tools is None:
        yield root, pointer
        return
    for entry, at in tools:
        if type(entry) is not dict:
            continue
        inner = entry
        if type(entry.get("function")) is dict:
            inner, at = entry["function"], f"{at}/function"
        for key in (*SCHEMA_KEYS, "outputSchema", "output_schema"):
            if type(inner.get(key)) is dict:
                yield inner[key], f"{at}/{key}"
