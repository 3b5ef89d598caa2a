"""Tool definitions as people write them: their places in a document, dialects and recognition.

Dialects: MCP (`inputSchema`; a list, under `tools`, or a captured answer to `tools/list`),
Anthropic (`input_schema`), OpenAI in both API shapes (`function: {parameters}`, `parameters`),
Gemini (`functionDeclarations`, as JSON or as its Python SDK writes it), Bedrock (`toolSpec`, and
action groups), LangChain (`args_schema`, `args`), Vercel's AI SDK (tools by their names), UTCP and
smolagents (`inputs`), Cohere's first API (`parameter_definitions`) and Docker's MCP registry
(`arguments`, a list).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..runtime.pointer import escape
from .values import as_object, as_text

SOURCES = "mcpgen-sources"
"""Root key of the list of references to the files read beside a document."""

SCHEMA_KEYS = (
    "inputSchema",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "args_schema",
)
"""Keys of the schema of a tool's arguments."""
INPUT_KEYS = (
    *SCHEMA_KEYS,
    "inputs",
    "args",
    "parameter_definitions",
    "parameterDefinitions",
    "arguments",
)
"""Keys of the arguments of a tool, as a schema or otherwise."""
OUTPUT_KEYS = (
    "outputSchema",
    "output_schema",
    "responseJsonSchema",
    "response_json_schema",
    "outputs",
)
WRAPPERS = ("function", "toolSpec", "custom")
"""Keys under which a dialect has the tool itself."""
DECLARATIONS = ("functionDeclarations", "function_declarations")
"""Keys under which Gemini has several functions."""
ENVELOPES = ("json", "jsonSchema")
"""The only key of an object that holds a schema: Bedrock's, and the AI SDK's."""
DRAFTS = {
    "4": "http://json-schema.org/draft-04/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}
"""Draft of JSON Schema → the URI in `$schema`."""
_LISTS: tuple[tuple[str, ...], ...] = (
    ("tools",),
    ("result", "tools"),
    ("data", "result", "tools"),
    ("toolConfig", "tools"),
    ("session", "tools"),
    ("functions",),
    ("functionSchema", "functions"),
    *((key,) for key in DECLARATIONS),
)
"""Places of the list of tools in a document: by itself, in an answer to `tools/list`, in the
event that carried the answer (HTML, section 9.2), and in requests to models.
"""


def unwrapped(entry: Any, pointer: str) -> tuple[dict[str, Any], str]:
    """Return the object that has a tool's name and schema (the entry, or a member of it, as
    `function`), and its pointer; an empty object for an entry that is no object.
    """
    if type(entry) is not dict:
        return {}, pointer
    for key in WRAPPERS:
        if type(as_object(entry.get(key)).get("name")) is str:
            return entry[key], f"{pointer}/{key}"
    return entry, pointer


def schema_of(tool: dict[str, Any], pointer: str, keys: tuple[str, ...]) -> tuple[Any, str]:
    """Return the schema of an unwrapped entry under the first key it has, without an envelope, and
    its pointer; `(None, "")` without any.
    """
    for key in keys:
        if key not in tool:
            continue
        schema, at = tool[key], f"{pointer}/{key}"
        for envelope in ENVELOPES:
            if as_object(schema).keys() == {envelope}:
                return schema[envelope], f"{at}/{envelope}"
        return schema, at
    return None, ""


def is_definition(node: Any) -> bool:
    """Return whether a value defines one tool, in any dialect. A function without parameters may be
    a name alone beside its `type`; with an `id`, or with `arguments` that are no list, it is a
    call.
    """
    tool, _ = unwrapped(node, "")
    if type(tool.get("name")) is not str:
        return False
    if type(tool.get("arguments")) is list:
        return True
    if any(key in tool for key in (*SCHEMA_KEYS, "description")):
        return True
    if "arguments" in tool:
        return False
    if tool is node:
        return bool(node.get("type") == "function")
    if "id" in node:
        return False
    return any(["toolSpec" in node, node.get("type") in ("function", "custom")])


def holds_definitions(node: Any) -> bool:
    """Return whether a value, such as a member of a list, is a tool, or holds a list with a tool,
    at any depth.
    """
    if is_definition(node):
        return True
    return any(is_definition(entry) for entry, _ in _within(node, "") or ())


def tool_list(root: Any) -> tuple[list[Any], str] | None:
    """Return the list of tools of a document and its pointer, or None if it has no such list."""
    if type(root) is list:
        return root, ""
    for path in _LISTS:
        node = member(root, path)
        if type(node) is not list:
            continue
        if node == [] or any(type(item) is dict for item in node):
            return node, "/" + "/".join(path)
    return None


def member(root: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys, or None."""
    node = root
    for key in path:
        if type(node) is not dict:
            return None
        node = node.get(key)
    return node


def tools_by_name(root: Any) -> dict[str, Any]:
    """Return name → tool of a document in the form of Vercel's AI SDK; empty for any other."""
    tools = member(root, ("tools",))
    if type(tools) is not dict:
        return {}
    if all(schema_of(as_object(tool), "", SCHEMA_KEYS)[1] for tool in tools.values()):
        return tools
    return {}


def with_names(root: dict[str, Any]) -> dict[str, Any]:
    """Copy the key of each tool in the AI SDK's form into its `name`, in place, unless it has one.
    Return the document.
    """
    for name, tool in tools_by_name(root).items():
        tool.setdefault("name", name)
    return root


def is_tools(root: Any) -> bool:
    """Return whether a document is a list of tools, or one tool (without a `version`)."""
    if tool_list(root) is not None:
        return True
    if tools_by_name(root):
        return True
    return is_definition(root) and "version" not in root


def says_arguments(root: Any) -> bool:
    """Return whether any tool of a document has one of `INPUT_KEYS`."""
    tools = (unwrapped(entry, "")[0] for entry, _ in entries(root) or ())
    return any(schema_of(tool, "", INPUT_KEYS)[1] for tool in tools)


def is_schema(root: dict[str, Any]) -> bool:
    """Return whether a document is a JSON Schema: by `$schema`, `$id` or definitions, or by
    `properties` of an object.
    """
    if "json-schema.org" in as_text(root.get("$schema")):
        return True
    if "$id" in root:
        return True
    if "paths" not in root and any(type(root.get(key)) is dict for key in _DEFINITIONS):
        return True
    if type(root.get("properties")) is not dict:
        return False
    return bool(root.get("type", "object") == "object")


_DEFINITIONS = ("$defs", "definitions")


def with_draft(root: Any, draft: str | None) -> Any:
    """Return a document with the `$schema` of a draft (a key of `DRAFTS`); unchanged without a
    draft, with a `$schema`, and unless it may be a JSON Schema.
    """
    if draft is None:
        return root
    if type(root) is not dict:
        return root
    if not root.keys().isdisjoint(("openapi", "swagger", "$schema")):
        return root
    if is_tools(root):
        return root
    return {"$schema": DRAFTS[draft], **root}


def entries(root: Any, pointer: str = "") -> list[tuple[Any, str]] | None:
    """Return each entry of a list of tools with its pointer, well formed or not; a single tool is a
    list too. None for any other document.
    """
    by_name = tools_by_name(root)
    if by_name:
        return [(tool, f"{pointer}/tools/{escape(name)}") for name, tool in by_name.items()]
    listed = tool_list(root)
    if listed is None:
        if is_tools(root):
            return [(root, pointer)]
        return None
    tools, list_pointer = listed
    result: list[tuple[Any, str]] = []
    for index, entry in enumerate(tools):
        at = f"{pointer}{list_pointer}/{index}"
        inner = _within(entry, at)
        result += [(entry, at)] if inner is None else inner
    return result


def cursors(root: Any) -> list[Any]:
    """Return the `nextCursor` of each page of a captured list, None for a page without one (MCP
    2025-11-25, section "Pagination"); empty for a document without a list.
    """
    for path in _LISTS:
        tools = member(root, path)
        if type(tools) is not list:
            continue
        pages = [cursor for entry in tools if not is_definition(entry) for cursor in cursors(entry)]
        return pages or [as_object(member(root, path[:-1])).get("nextCursor")]
    return []


def _within(entry: Any, pointer: str) -> list[tuple[Any, str]] | None:
    """Return the tools, with pointers, of an entry that is no tool but holds a list of them:
    Gemini's functions, a namespace of OpenAI's, one of several answers to `tools/list`. None for
    any other entry.
    """
    if type(entry) is not dict:
        return None
    if schema_of(entry, "", SCHEMA_KEYS)[1]:
        return None
    if tool_list(entry) is None:
        return None
    return entries(entry, pointer)


def schemas(root: Any, pointer: str) -> Iterator[tuple[Any, str, str]]:
    """Yield (schema, its pointer, pointer of the tool's entry) for each input and output schema of
    a document's tools; for any other document, its root, with `pointer` twice.
    """
    tools = entries(root, pointer)
    if tools is None:
        yield root, pointer, pointer
        return
    for entry, entry_pointer in tools:
        tool, at = unwrapped(entry, entry_pointer)
        for keys in (INPUT_KEYS, OUTPUT_KEYS):
            schema, schema_pointer = schema_of(tool, at, keys)
            if type(schema) is dict:
                yield schema, schema_pointer, entry_pointer
