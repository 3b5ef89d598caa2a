"""Choosing operations: by tag, path, method, operationId, deprecation, and what the document itself
says.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from ..config import Selection
from ..ir import Origin
from ..load.values import texts_in

EXTENSIONS = ("x-mcp", "x-mcp-tool", "x-speakeasy-mcp")


def extension(operation: dict[str, Any]) -> dict[str, Any]:
    """What an operation says of itself as a tool: `x-mcp: {name, title, enabled, readOnly…}`, or a
    boolean.
    """
    for key in EXTENSIONS:
        value = operation.get(key)
        if isinstance(value, bool):
            return {"enabled": value}
        if isinstance(value, dict):
            disabled = value.get("disabled")
            return {**value, "enabled": not disabled} if isinstance(disabled, bool) else value
    return {}


def left_out(selection: Selection, origin: Origin, operation: dict[str, Any]) -> str | None:
    """Why an operation is left out, or None when it is selected."""
    if extension(operation).get("enabled") is False:
        return "the document says so (`x-mcp`)"
    if not selection.deprecated and operation.get("deprecated") is True:
        return "deprecated"
    names = [f"{origin.method} {origin.path}"]
    if origin.operation_id:
        names.insert(0, origin.operation_id)
    tags = texts_in(operation.get("tags"))
    include_methods = tuple(map(str.upper, selection.include_methods))
    exclude_methods = tuple(map(str.upper, selection.exclude_methods))
    criteria = (
        ("tag", tags, selection.include_tags, selection.exclude_tags),
        ("path", [origin.path], selection.include_paths, selection.exclude_paths),
        ("method", [origin.method], include_methods, exclude_methods),
        ("operation", names, selection.include_operations, selection.exclude_operations),
    )
    for criterion, values, include, exclude in criteria:
        if include and not matches(values, include):
            return f"no included {criterion} matches"
        pattern = matches(values, exclude)
        if pattern:
            return f"excluded {criterion} `{pattern}`"
    return None


def matches(values: list[str], patterns: tuple[str, ...]) -> str | None:
    """The first pattern (shell-style: `*`, `?`) that matches any of the values."""
    for pattern in patterns:
        if any(fnmatchcase(value, pattern) for value in values):
            return pattern
    return None
