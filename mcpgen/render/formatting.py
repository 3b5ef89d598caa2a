"""The finishing of generated Python: black for what the layout cannot place, then the gate.

Templates and `layout` write what black would, with one exception: a line that stays too long and
is more than one text or name. The function or class it stands in goes through black, which is
imported only then: black takes a second of CPU for a module of 3,000 lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Final

from .gate import check, parsed
from .literal import WIDTH

_INDIVISIBLE: Final = re.compile(r'\s*(?:"[^"]*": )?(?:"[^"]*"|\w+),')
"""A line that black cannot make shorter: a text or a name, alone or with its key."""


def finish(modules: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The modules of every kind (`{"tools": {path: text}}`), formatted and checked, by path.

    Raises GateError.
    """
    finished: dict[str, str] = {}
    for kind, files in modules.items():
        for path, text in files.items():
            finished[path] = _formatted(text, path)
            check(kind, finished[path], path)
    return finished


def _formatted(text: str, path: str) -> str:
    """A module in which every statement with a line that is too long stands as black formats it."""
    lines = text.splitlines(keepends=True)
    if not _has_long_line(lines):
        return text
    for node in reversed(parsed(text, path).body):
        start, end = _lines_of(node)
        if _has_long_line(lines[start:end]):
            lines[start:end] = _blackened("".join(lines[start:end])).splitlines(keepends=True)
    return "".join(lines)


def _has_long_line(lines: list[str]) -> bool:
    long_lines = (line.rstrip("\n") for line in lines if len(line) > WIDTH + 1)
    return any(not _INDIVISIBLE.fullmatch(line) for line in long_lines)


def _lines_of(node: ast.stmt) -> tuple[int, int]:
    """The first line of a statement, decorators included, and the one after its last; from 0."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first - 1, node.end_lineno or node.lineno


def _blackened(text: str) -> str:
    """A statement as black formats it; one that black cannot read stays as it is."""
    from black import format_str
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput

    try:
        return format_str(text, mode=Mode(line_length=WIDTH, target_versions={TargetVersion.PY311}))
    except (InvalidInput, ValueError, RecursionError):
        return text
