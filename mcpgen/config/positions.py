"""Positions of keys in `mcpgen.toml`. `tomllib` gives values without their lines, so headers
and assignments are found again in the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, TypeAlias

from ..problems import Place

KeyPath: TypeAlias = tuple[str, ...]
"""The names on the way to a key: `("tools", "listBooks", "enabled")`."""

_WORD = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\]|\\.)*\"|'[^']*')"
_SECRET = re.compile(
    r"""(^\s*(?:["'{]?headers|scheme|auth|\S*(?:authorization|cookie|key|token|secret|password)\S*)
          \s*=\s*).+
      | (^\s*["'][\w-]+\s*:\s*)(?!env:).+
      | (://)[^/@\s"']+(?=@)""",
    re.I | re.X,
)
"""A credential that was written into the file by mistake, in a line of it."""
_KEY = re.compile(rf"\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*=")


def place_of(text: str, file: str, path: KeyPath) -> Place:
    """Return the place of a key, else of the nearest table above it in the text, else of the whole
    file.
    """
    best_depth, best_line, best_column = 0, 0, 1
    for line, column, key in key_positions(text):
        depth = _common_length(path, key)
        if depth > best_depth:
            best_depth, best_line, best_column = depth, line, column
    return place_at(text, file, best_line, best_column)


def _common_length(first: KeyPath, second: KeyPath) -> int:
    """Return the length of the longest common prefix of two paths."""
    length = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        length += 1
    return length


def key_positions(text: str) -> Iterator[tuple[int, int, KeyPath]]:
    """Yield (line, column, full path) of every header and assignment, in order. The lines of
    multi-line texts are skipped.
    """
    table: KeyPath = ()
    closing = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if closing:
            if closing in line:
                closing = ""
            continue
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                closing = quotes
        stripped = line.strip()
        if stripped.startswith("["):
            table = _header(stripped) or table
            yield number, line.index("[") + 1, table
            continue
        assignment = _KEY.match(line)
        if assignment:
            yield number, line.index(assignment[1]) + 1, (*table, *_dotted(assignment[1]))


def place_at(text: str, file: str, line: int, column: int) -> Place:
    """Return a place with its line and the lines before and after, secrets cut. Line 0: the whole
    file.
    """
    if not line:
        return Place(file=file, line=line, column=column)
    lines = text.splitlines()
    last = min(len(lines), line + 1)
    numbers = range(max(1, line - 1), last + 1)
    excerpt = tuple((number, without_secrets(lines[number - 1])) for number in numbers)
    return Place(file=file, line=line, column=column, excerpt=excerpt)


def without_secrets(line: str) -> str:
    """Return a line of the file with `…` for a credential in it."""
    return _SECRET.sub(lambda found: f"{found[1] or found[2] or found[3]}…", line)


def _header(line: str) -> KeyPath:
    if line.startswith("[["):
        line = line.split("]]")[0] + "]]"
    try:
        return spine(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return ()


def _dotted(key: str) -> KeyPath:
    try:
        return spine(tomllib.loads(f"{key} = {{}}"))
    except tomllib.TOMLDecodeError:
        return (key,)


def spine(data: Any) -> KeyPath:
    """Return the first key of a table, the first key of its value, and so on."""
    path: list[str] = []
    while isinstance(data, dict) and data:
        name = next(iter(data))
        path.append(name)
        data = data[name]
    return tuple(path)
