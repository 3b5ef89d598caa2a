"""Set and remove one entry of a block mapping in a YAML file; all other lines stay as they are.

Python has no reader of YAML of its own. These two functions know block style, in which Goose
writes its settings, and raise ValueError for a file they do not understand.
"""

from __future__ import annotations

import json
import re
from typing import Any

_ENTRY = re.compile(r"( *)[^\s#]")
_TOP = re.compile(r"[^\s#]")


def put(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    """The text with the entry `name` in the mapping `key`."""
    lines = text.splitlines(keepends=True)
    if lines:
        lines[-1] = lines[-1].rstrip("\n") + "\n"
    head = _head(lines, key)
    if head is None:
        head = len(lines)
        lines.append("")
    if "{" in lines[head] or not lines[head]:
        lines[head] = f"{key}:\n"
    indent = _indent(lines, head)
    start, end = _span(lines, head, name)
    block = [f"{indent}{name}:\n"]
    block += [f"{indent * 2}{word}: {json.dumps(value)}\n" for word, value in entry.items()]
    return "".join([*lines[:start], *block, *lines[end:]])


def drop(text: str, key: str, name: str) -> str:
    """The text without the entry `name` of the mapping `key`."""
    lines = text.splitlines(keepends=True)
    head = _head(lines, key)
    if head is None:
        return text
    start, end = _span(lines, head, name)
    rest = lines[end:]
    is_only = start == head + 1 and not "".join(rest[:1]).startswith(" ")
    if is_only and start < end:
        lines[head] = f"{key}: {{}}\n"
    return "".join([*lines[:start], *rest])


def _head(lines: list[str], key: str) -> int | None:
    """The line that begins the mapping, or None. Raises ValueError for a mapping on one line."""
    for number, line in enumerate(lines):
        if re.fullmatch(rf"{key}:\s*(\{{\s*\}}\s*)?(#.*)?\s*", line):
            return number
        if re.match(rf"[\"']?{key}[\"']?\s*:", line):
            raise ValueError(f"`{key}` is not written in lines of its own")
    return None


def _indent(lines: list[str], head: int) -> str:
    """The spaces before the first entry of the mapping."""
    for line in lines[head + 1 :]:
        first = _ENTRY.match(line)
        if first is not None:
            return first[1] or "  "
    return "  "


def _span(lines: list[str], head: int, name: str) -> tuple[int, int]:
    """The lines of the entry; the line after the mapping's first, twice, where there is none."""
    indent = _indent(lines, head)
    own = re.compile(rf"{indent}[\"']?{re.escape(name)}[\"']?\s*:")
    for start in range(head + 1, len(lines)):
        if _TOP.match(lines[start]):
            break
        if own.match(lines[start]):
            end = start + 1
            while end < len(lines) and lines[end].startswith(f"{indent} "):
                end += 1
            return start, end
    return head + 1, head + 1
