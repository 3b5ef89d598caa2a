"""Toolsets of operations without a tag: those whose paths begin with the same word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .naming.server import GENERAL, GENERAL_TOOLS, toolset_name
from .naming.verb import is_noise, literals

MANY = 40
"""Operations without a tag that are one toolset; more are told apart by their paths."""
LEAST = 3
"""Operations that make a toolset; fewer stay in the general one."""


def areas(
    untagged: Mapping[str, str], tags: Iterable[str], last: Mapping[str, str]
) -> dict[str, str]:
    """Operation → the tag it has by its path; no entry where it stays in the general toolset.

    `untagged` maps operations (`METHOD /path`) to their paths, `last` operations to their toolsets
    of the last run, in which they stay. `tags` are those of the document.
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
    """The first literal of a path that names something, as words; empty where none does."""
    for literal in literals(path):
        if not is_noise(literal):
            return " ".join(literal.words).capitalize()
    return ""
