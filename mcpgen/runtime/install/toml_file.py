"""Set and remove one table of a TOML file in place; all other lines stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any


def load(text: str) -> dict[str, Any]:
    """The content of a file. Raises ValueError for what is not TOML."""
    return tomllib.loads(text)


def put(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    """The text with the table `key.name`."""
    table = f"[{key}.{name}]\n"
    table += "".join(f"{word} = {_value(value)}\n" for word, value in entry.items())
    start, end = _span(text, key, name)
    if start < end:
        return text[:start] + table + text[end:]
    if not text.strip():
        return table
    gap = "\n" if text.endswith("\n") else "\n\n"
    return text + gap + table


def drop(text: str, key: str, name: str) -> str:
    """The text without the table `key.name`, its subtables and the empty line before it."""
    start, end = _span(text, key, name)
    before = text[:start]
    return (
        before.removesuffix("\n") + text[end:] if before.endswith("\n\n") else before + text[end:]
    )


def _value(value: Any) -> str:
    """A string, an array of strings, or an inline table of strings."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{json.dumps(word)} = {_value(item)}" for word, item in value.items())
        return f"{{ {pairs} }}"
    return json.dumps(value, ensure_ascii=False)


def _says_something(line: str) -> bool:
    return re.match(r"\s*[^\s#]", line) is not None


def _span(text: str, key: str, name: str) -> tuple[int, int]:
    """Where the table and its subtables begin and end; twice the same where there is none."""
    own = re.compile(rf'\s*\[\s*{re.escape(key)}\s*\.\s*"?{re.escape(name)}"?\s*[.\]]')
    start = end = position = 0
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            if own.match(line) and start == end:
                start = position
            inside = own.match(line) is not None
        position += len(line)
        if inside and _says_something(line):
            end = position
    return start, max(start, end)
