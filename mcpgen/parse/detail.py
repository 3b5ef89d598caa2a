"""How much of an operation a tool says: levels of detail from the richest to the briefest, and the
budget that decides between them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..ir import Tool


@dataclass(frozen=True, slots=True)
class Detail:
    """One level of detail, with a knob for everything that can be said at more or less length.

    `depth`: levels of optional properties. `text`, `nested_text`: characters of a description of
    an argument, and of what is inside one. `enum`: values of an enum. `nodes`: schemas in all.
    `examples`: whether examples are given. `long_limits`: whether a `maxLength` of 256 and more is
    worth its bytes. `union`, `inner_union`: objects that a union may have, and one inside another,
    before they are said as one. `patterns`: whether a long enum may become a pattern. `tool_text`:
    characters of the document's text about the operation. `answer_fields`: fields of the answer
    that are listed.
    """

    depth: int
    text: int
    nested_text: int
    enum: int = 1000
    nodes: int = 600
    examples: bool = True
    long_limits: bool = True
    union: int = 1000
    inner_union: int = 1000
    patterns: bool = True
    tool_text: int = 0
    answer_fields: int = 0


class TooLarge(Exception):
    """A schema has more nodes than a level of detail allows."""


FOUR_LEVELS = Detail(
    depth=4, text=300, nested_text=120, patterns=False, tool_text=900, answer_fields=40
)
"""The richest level of the portable profile."""
EIGHT_LEVELS = Detail(
    depth=8,
    text=600,
    nested_text=300,
    nodes=4000,
    patterns=False,
    tool_text=1500,
    answer_fields=60,
)
"""What the rich profile tries first."""

_STEPS: dict[str, dict[str, Any]] = {
    "three levels": {
        "depth": 3,
        "text": 200,
        "nested_text": 60,
        "enum": 300,
        "patterns": True,
        "tool_text": 600,
        "answer_fields": 30,
    },
    "two levels": {
        "depth": 2,
        "text": 140,
        "nested_text": 40,
        "examples": False,
        "tool_text": 400,
        "answer_fields": 20,
    },
    "two levels, short texts": {
        "text": 60,
        "long_limits": False,
        "tool_text": 200,
        "answer_fields": 12,
    },
    "two levels, short enums": {"enum": 60},
    "one level": {
        "depth": 1,
        "text": 100,
        "nested_text": 0,
        "enum": 300,
        "long_limits": True,
        "tool_text": 300,
    },
    "one level, short texts": {
        "text": 60,
        "long_limits": False,
        "tool_text": 200,
        "answer_fields": 8,
    },
    "one level, short enums": {"enum": 60},
    "required properties": {"depth": 0, "enum": 300, "tool_text": 160, "answer_fields": 6},
    "a phrase each": {"text": 32, "tool_text": 80, "answer_fields": 0},
    "a phrase each, shorter enums": {"enum": 120},
    "no texts": {"text": 0, "enum": 300, "tool_text": 40},
    "no texts, short enums": {"enum": 60},
    "no texts, a few values": {"enum": 20, "tool_text": 0},
    "inner unions as one object": {"enum": 1000, "inner_union": 1},
    "unions as one object": {"enum": 12, "inner_union": 1000, "union": 2, "nodes": 50_000},
}
"""What each level changes of the one before it. Within a depth texts are shortened before enums,
because the values an argument takes matter more than a long text about it.
"""


def _levels() -> tuple[Detail, ...]:
    levels = [FOUR_LEVELS]
    for changes in _STEPS.values():
        levels.append(replace(levels[-1], **changes))
    return tuple(levels)


PORTABLE_LEVELS = _levels()
LEVELS = {"portable": PORTABLE_LEVELS, "rich": (EIGHT_LEVELS, *PORTABLE_LEVELS)}
"""Profile → its levels of detail, the richest first."""

LARGEST = 65_536
"""Bytes of the largest tool there is: a larger one would fill the context of every conversation."""
BUDGET = {"portable": 4096, "rich": LARGEST}
"""Profile → the bytes that a tool should have at most."""


def fit(build: Callable[[Detail], Tool], levels: Iterable[Detail], budget: int) -> Tool | None:
    """The tool in the first level of detail that fits `budget` bytes, else the briefest.

    `build` makes the tool in one level and may raise `TooLarge`; None where every level is too
    large. Levels are tried one by one because sizes do not fall strictly: a binary search misses
    richer levels that fit, and saves little, as the first fits 96 of 100 tools of GitHub's API.
    """
    tool: Tool | None = None
    for detail in levels:
        try:
            tool = build(detail)
        except TooLarge:
            continue
        if size(tool) <= budget:
            break
    return tool


def size(tool: Tool) -> int:
    """The bytes of a tool in a list, as compact JSON."""
    entry = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
    }
    # 150: the annotations, which are nearly the same for every tool.
    return len(json.dumps(entry, separators=(",", ":"))) + 150 + len(tool.title)
