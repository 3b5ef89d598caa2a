"""JSONPath (RFC 9535) in the conditions of workflows."""

from __future__ import annotations

from typing import Any

import jsonpath

from ..client.scalars import OMIT


def exists(path: str, data: Any) -> bool:
    """Whether a path selects anything."""
    return bool(_selected(path, data))


def first(path: str, data: Any) -> Any:
    """The first value that a path selects; `OMIT` where there is none."""
    for value in _selected(path, data):
        return value
    return OMIT


def _selected(path: str, data: Any) -> list[Any]:
    if not isinstance(data, dict | list):
        return []
    try:
        return jsonpath.findall(path, data)
    except jsonpath.JSONPathError:
        return []
