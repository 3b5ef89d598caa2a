"""Answers that are written as tables."""

from __future__ import annotations

from typing import Any

from . import compact
from .lists import items_of, names_in, replaced


def with_rest(data: Any, path: tuple[str, ...] | None) -> str:
    """Return the items of the list at a path as a table, with the rest of the data below."""
    items, rest = items_of(data, path), replaced(data, path, [])
    return f"{table(items)}\n{compact(rest)}" if rest else table(items)


def table(items: list[Any]) -> str:
    """Return items as tab-separated values, the names of the columns first. A missing field and
    null are empty, and what else is no text is JSON; in a text with line breaks or tabs white space
    is single spaces. What is no object has a line of its own.
    """
    columns = names_in(items)
    lines = ["\t".join(map(_cell, columns))]
    for item in items:
        cells = [item]
        if isinstance(item, dict):
            cells = [item.get(name) for name in columns]
        lines.append("\t".join(map(_cell, cells)))
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return compact(value)
    return value if value.isprintable() else " ".join(value.split())
