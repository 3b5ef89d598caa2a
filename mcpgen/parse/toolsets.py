"""Toolsets: the tools of one tag each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..ir import Tool, Toolset
from ..load.values import as_object
from ..text import plain, shorten
from .naming import toolset_names


def toolsets(
    tools: list[tuple[str, Tool]], declarations: Mapping[str, Any], last: Mapping[str, str]
) -> tuple[Toolset, ...]:
    """Tools, each with its tag, as toolsets. Both are sorted by name, so that a list does not
    depend on the document's order.

    `declarations` are the Tag Objects of the document, by name, and `last` maps operations to their
    toolsets of the last run, which keep their names.
    """
    members: dict[str, list[Tool]] = {}
    for tag, tool in tools:
        members.setdefault(tag, []).append(tool)
    counts = {tag: _last_names(tagged, last) for tag, tagged in members.items()}
    names = toolset_names(sorted(members), counts)
    out = []
    for tag, tagged in members.items():
        description = plain(as_object(declarations.get(tag)).get("description"))
        toolset = Toolset(
            name=names[tag],
            title=shorten(plain(tag), 80) or "General",
            description=shorten(description.split("\n")[0], 200),
            tools=tuple(sorted(tagged, key=lambda tool: tool.name)),
        )
        out.append(toolset)
    return tuple(sorted(out, key=lambda toolset: toolset.name))


def _last_names(tools: list[Tool], last: Mapping[str, str]) -> Counter[str]:
    """Count the toolsets that tools were in at the last run."""
    return Counter(last.get(tool.origin.operation, "") for tool in tools)
