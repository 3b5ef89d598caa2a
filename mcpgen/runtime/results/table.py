"""A list of objects as a table: tab-separated values with the names of the columns first."""

from __future__ import annotations

from typing import Any

from .lists import names_in
from .shorten import compact


def table(items: list[Any]) -> str:
    """The items as lines of tab-separated values; a missing field is empty, and what is no text,
    number or flag is JSON. An item that is no object stands alone on its line.
    """
    columns = names_in(items)
    lines = ["\t".join(_cell(name) for name in columns)]
    for item in items:
        if isinstance(item, dict):
            lines.append("\t".join(_cell(item.get(name, "")) for name in columns))
        else:
            lines.append(_cell(item))
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return compact(value)
    if value.isprintable():
        return value
    return " ".join(value.split())
