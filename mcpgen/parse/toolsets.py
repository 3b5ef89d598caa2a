"""Toolsets: the tools of one tag each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir import Tool, Toolset
from ..load.values import as_object
from ..text import plain, shorten
from .naming import toolset_names

GENERAL = "general"
"""The toolset of tools without a tag."""
GENERAL_TOOLS = "general_tools"
"""Its name where a tag has the other one."""


def toolsets(tools: list[tuple[str, Tool]], declarations: Mapping[str, Any]) -> tuple[Toolset, ...]:
    """Tools, each with its tag, as toolsets. Both are sorted by name, so that a list does not
    depend on the document's order.

    `declarations` are the Tag Objects of the document, by name.
    """
    names = toolset_names(sorted({tag for tag, _ in tools if tag}))
    general = GENERAL if GENERAL not in names.values() else GENERAL_TOOLS
    members: dict[str, list[Tool]] = {}
    for tag, tool in tools:
        members.setdefault(tag, []).append(tool)
    out = []
    for tag, tagged in members.items():
        description = plain(as_object(declarations.get(tag)).get("description"))
        toolset = Toolset(
            name=names.get(tag, general),
            title=shorten(plain(tag), 80) if tag else "General",
            description=shorten(description.split("\n")[0], 200),
            tools=tuple(sorted(tagged, key=lambda tool: tool.name)),
        )
        out.append(toolset)
    return tuple(sorted(out, key=lambda toolset: toolset.name))
