"""Part `describe`: `describe_tool` gives the full schema of a tool that is listed with less."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import Part

if TYPE_CHECKING:
    from ...catalog import Catalog
    from ...package import Entry

_SHOWN = ("name", "description", "inputSchema", "wholeInputSchema")
"""Members of a tool that it shows."""


def _beside(catalog: Catalog) -> list[Entry]:
    """Return the tool that describes the others; none if another tool has its name."""
    from ...catalog import DESCRIBE
    from ...package import Entry
    from ...results.content import Context, ToolError

    def describe(context: Context, name: str) -> str:
        entry = catalog.find(name)
        if entry is None or not context.offers(entry):
            raise ToolError(f"There is no tool `{name[:128]}`{catalog.near(name)}")
        return contract(entry)

    if catalog.find(DESCRIBE) is not None:
        return []
    tool = describing("the list shows too little of what it takes")
    return [Entry(catalog.package, tool, "", "", generated=False, own=describe)]


def contract(entry: Entry) -> str:
    """Return a tool's name, description, input schemas and names of its answer as a JSON text."""
    tool = entry.described()
    shown = {key: tool[key] for key in _SHOWN if key in tool}
    answers = list(tool.get("outputSchema", {}).get("properties", ()))
    if answers:
        shown["answersWith"] = answers
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def describing(reason: str) -> dict[str, Any]:
    """Return the Tool object of `describe_tool`; `reason` says when a model should call it."""
    name = {"type": "string", "description": "The tool's name"}
    description = f"Return a tool's full contract, where {reason}."
    return tool_of("describe_tool", "Describe a tool", description, {"name": name}, ["name"])


def tool_of(
    name: str, title: str, description: str, properties: dict[str, Any], required: list[str]
) -> dict[str, Any]:
    """Return a Tool object that changes nothing and stays within this server."""
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        "annotations": hints(title, read_only=True, open_world=False),
    }


def hints(title: str, *, read_only: bool, open_world: bool) -> dict[str, Any]:
    """Return the annotations of a Tool object; it is destructive unless `read_only`."""
    return {
        "title": title,
        "readOnlyHint": read_only,
        "destructiveHint": not read_only,
        "idempotentHint": read_only,
        "openWorldHint": open_world,
    }


PART = Part(beside=_beside)
