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
    inner = node["function"] if type(node.get("function")) is dict else node
    return type(inner.get("name")) is str and any(
        key in inner for key in (*SCHEMA_KEYS, "description")
    )


def tool_list(root: Any) -> tuple[list[Any], str] | None:
    """The list of tools of a document and its pointer, or None where it has none."""
    if type(root) is list:
        return root, ""
    for path in _LISTS:
        node = root
        for key in path:
            node = node.get(key) if type(node) is dict else None
        if type(node) is list and (not node or any(type(item) is dict for item in node)):
            return node, "/" + "/".join(path)
    return None


def is_tools(root: Any) -> bool:
    """Whether a document is a list of tools or one tool."""
    return tool_list(root) is not None or (is_definition(root) and "version" not in root)


def is_schema(root: dict[str, Any]) -> bool:
    """Whether a document is a JSON Schema: by its `$schema`, or by keywords that nothing else has
    together.
    """
    if type(root.get("$schema")) is str and "json-schema.org" in root["$schema"]:
        return True
    if any(type(root.get(key)) is dict for key in ("$defs", "definitions")) and "paths" not in root:
        return True
    return "$id" in root or (
        type(root.get("properties")) is dict and root.get("type", "object") == "object"
    )


def with_draft(root: Any, draft: str | None) -> Any:
    """A document that is to be read as a JSON Schema of a draft says so itself, unless it is
    something else.
    """
    if (
        draft is None
        or type(root) is not dict
        or is_tools(root)
        or {"openapi", "swagger", "$schema"} & root.keys()
    ):
        return root
    return {"$schema": DRAFTS[draft], **root}


def entries(root: Any, pointer: str = "") -> list[tuple[Any, str]] | None:
    """Every entry of a list of tools with its pointer, well formed or not; None where the document
    is no such list.
    """
    found = tool_list(root)
    if found is None:
        return [(root, pointer)] if is_tools(root) else None
    out: list[tuple[Any, str]] = []
    for index, entry in enumerate(found[0]):
        at = f"{pointer}{found[1]}/{index}"
        inner = entry.get("functionDeclarations") if type(entry) is dict else None
        if type(inner) is list:
            out += [
                (child, f"{at}/functionDeclarations/{number}") for number, child in enumerate(inner)
            ]
        else:
            out.append((entry, at))
    return out


def schemas(root: Any, pointer: str = "") -> Iterator[tuple[Any, str]]:
    """Every JSON Schema of a document of definitions with its pointer: for `upgrade`, which knows
    no tools.
    """
    found = entries(root, pointer)
    if found is None:
        yield root, pointer
        return
    for entry, at in found:
        if type(entry) is not dict:
            continue
        inner, where = (
            (entry["function"], f"{at}/function")
            if type(entry.get("function")) is dict
            else (entry, at)
        )
        for key in (*SCHEMA_KEYS, "outputSchema", "output_schema"):
            if type(inner.get(key)) is dict:
                yield inner[key], f"{where}/{key}"
