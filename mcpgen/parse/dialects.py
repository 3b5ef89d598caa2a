"""Dialects of documents of definitions, for the summary of a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..load.definitions import DECLARATIONS, SOURCES, entries, is_definition
from ..text import visible

if TYPE_CHECKING:
    from ..load import Document


def describe_document(document: Document) -> str:
    """Return the dialect of a document of definitions; for several documents the dialects, sorted,
    with their number: `LangChain tools, 2 × MCP tools list`.
    """
    beside = document.root.get(SOURCES)
    if not isinstance(beside, list):
        return visible(dialect_of(document.root))
    roots = [document.deref(entry, "")[0] for entry in beside]
    count = Counter(map(dialect_of, roots))
    names = []
    for name, number in sorted(count.items()):
        names.append(name if number == 1 else f"{number} × {name}")
    return ", ".join(names)


def dialect_of(root: Any) -> str:
    """Return the dialect of one document, by its first definition: `JSON Schema` without a list,
    `list of tools` for a definition without a known key.
    """
    listed = entries(root)
    if listed is None:
        return "JSON Schema"
    definitions = [(entry, at) for entry, at in listed if is_definition(entry)]
    nothing: tuple[dict[str, Any], str] = ({}, "")
    entry, pointer = next(iter(definitions), nothing)
    if any(key in pointer for key in DECLARATIONS):
        return "Gemini function declarations"
    if "/functionSchema/" in pointer:
        return "Bedrock action group"
    for key, name in _BY_KEY.items():
        if key in entry:
            return name
    if entry.get("type") == "custom" and not entry.keys() & {"parameters"}:
        return "OpenAI custom tools (Responses)"
    if "inputSchema" in entry:
        is_answer = "/result/" in pointer
        return "captured answer to tools/list" if is_answer else "MCP tools list"
    if "parameters" not in entry:
        return "list of tools"
    if entry.get("type") == "function":
        return "OpenAI function definitions (Responses)"
    return "OpenAI function definitions"


_BY_KEY = {
    "function": "OpenAI function definitions (Chat Completions)",
    "custom": "OpenAI custom tools (Chat Completions)",
    "toolSpec": "Bedrock tools",
    "input_schema": "Anthropic tools",
    "args_schema": "LangChain tools",
    "args": "LangChain tools",
    "tool_call_template": "UTCP manual",
    "tool_provider": "UTCP manual",
    "inputs": "smolagents tools",
    "parameter_definitions": "Cohere tools",
    "parameterDefinitions": "Cohere tools",
    "arguments": "list of tools of Docker's MCP registry",
}
"""Key of a definition → the only dialect that has it."""
