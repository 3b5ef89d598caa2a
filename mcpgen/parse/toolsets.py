"""Toolsets: the tools of one tag each; those of operations without a tag have paths that begin with
the same word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..ir import Tool, Toolset
from ..load.values import as_object
from ..text import plain, shorten
from .naming import toolset_names
from .naming.server import GENERAL, GENERAL_TOOLS, toolset_name
from .naming.verb import is_noise, literals

MANY = 40
"""Most untagged operations in one toolset; more are split by their paths."""
LEAST = 3
"""Operations that make a toolset; fewer stay in the general one."""


def toolsets(
    tools: list[tuple[str, Tool]], declarations: Mapping[str, Any], last: Mapping[str, str]
) -> tuple[Toolset, ...]:
    """Return the toolsets of (tag, tool) pairs, both sorted by name.

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


def areas(
    untagged: Mapping[str, str], tags: Iterable[str], last: Mapping[str, str]
) -> dict[str, str]:
    """Return operation → tag by the first word of its path, if over `MANY` operations are untagged
    and `LEAST` share the word; the others stay in the general toolset.

    `untagged` maps operations (`METHOD /path`) to their paths, `last` operations to their toolsets
    of the last run, which are kept. `tags` are the document's tags.
    """
    members: dict[str, list[str]] = {}
    for operation, path in untagged.items():
        members.setdefault(_first_word(path), []).append(operation)
    members.pop("", None)
    tag_of = {toolset_name(tag): tag for tag in sorted(tags)}
    out: dict[str, str] = {}
    for area, operations in members.items():
        name = toolset_name(area)
        before = {last[operation] for operation in operations if operation in last}
        is_large = len(untagged) > MANY and len(operations) >= LEAST
        if not before.isdisjoint((GENERAL, GENERAL_TOOLS)):
            is_large = False
        if is_large or name in before:
            out.update(dict.fromkeys(operations, tag_of.get(name, area)))
    return out


def _first_word(path: str) -> str:
    """Return the first literal of a path that names something, as words; empty where none does."""
    for literal in literals(path):
        if not is_noise(literal):
            return " ".join(literal.words).capitalize()
    return ""
