"""Apply `[answers]` and `[tools."…".answer]` to what a server says of its answers."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..config import AnswerConfig, Config
from ..ir import Schema, Server, Tool
from ..runtime.results.pages import fold
from ..runtime.results.shorten import Shaping


def shaping_of(answer: AnswerConfig) -> Shaping:
    """What the runtime has to know of a `[tools."…".answer]` table."""
    return Shaping(**{each.name: getattr(answer, each.name) for each in fields(Shaping)})


def with_answers(server: Server, config: Config) -> Server:
    """The server with `[answers]` applied to every tool."""
    if not config.full_answers and not config.redact:
        return server
    answer = AnswerConfig(full=config.full_answers, redact=config.redact)
    toolsets = tuple(
        replace(toolset, tools=tuple(with_answer(tool, answer) for tool in toolset.tools))
        for toolset in server.toolsets
    )
    return replace(server, toolsets=toolsets, redact=config.redact)


def with_answer(tool: Tool, answer: AnswerConfig) -> Tool:
    """The tool with what the table means for its schemas: no argument that chooses fields where
    items are whole, no output fields that are never shown.
    """
    if answer.full:
        tool = _without_choice(tool)
    if answer.redact:
        tool = replace(tool, output_schema=_without_fields(tool.output_schema, answer.redact))
    return tool


def _without_choice(tool: Tool) -> Tool:
    name = tool.listing.fields
    if not name:
        return tool
    properties = dict(tool.input_schema["properties"])
    properties.pop(name, None)
    return replace(
        tool,
        input_schema={**tool.input_schema, "properties": properties},
        listing=replace(tool.listing, fields=""),
    )


def _without_fields(schema: Any, names: tuple[str, ...]) -> Schema | None:
    """An output schema without properties of these names, at any depth."""
    withheld = {fold(name) for name in names}

    def cleaned(node: Any) -> Any:
        if isinstance(node, list):
            return [cleaned(item) for item in node]
        if not isinstance(node, dict):
            return node
        result = {key: cleaned(item) for key, item in node.items()}
        properties = node.get("properties")
        if isinstance(properties, dict):
            kept = {
                key: item for key, item in result["properties"].items() if fold(key) not in withheld
            }
            result["properties"] = kept
        return result

    found: Schema | None = cleaned(schema)
    return found
