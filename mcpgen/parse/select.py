"""Choosing operations: by tag, path, method, operationId, deprecation, and what the document itself
says.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from ..config import Selection
from ..ir import Origin

EXTENSIONS = ("x-mcp", "x-mcp-tool", "x-speakeasy-mcp")


def extension(operation: dict[str, Any]) -> dict[str, Any]:
    """What an operation says of itself as a tool: `x-mcp: {name, title, enabled, readOnly…}`, or a
    boolean.
    """
    for key in EXTENSIONS:
        given = operation.get(key)
        if isinstance(given, bool):
            return {"enabled": given}
        if isinstance(given, dict):
            disabled = given.get("disabled")
            return {**given, **({"enabled": not disabled} if isinstance(disabled, bool) else {})}
    return {}


def left_out(
    selection: Selection, origin: Origin, operation: dict[str, Any], *, hidden: bool = False
) -> str | None:
    """Why an operation is filtered, or None when it is wanted."""
    if hidden or extension(operation).get("enabled") is False:
        return "the document says so (`x-mcp`)"
    if not selection.deprecated and operation.get("deprecated") is True:
        return "deprecated"
    given = operation.get("tags")
    tags = [tag for tag in given if isinstance(tag, str)] if isinstance(given, list) else []
    operation_id = [origin.operation_id] if origin.operation_id else []
    checks = (
        ("tag", tags, selection.include_tags, selection.exclude_tags),
        ("path", [origin.path], selection.include_paths, selection.exclude_paths),
        (
            "method",
            [origin.method],
            _upper(selection.include_methods),
            _upper(selection.exclude_methods),
        ),
        (
            "operation",
            [*operation_id, f"{origin.method} {origin.path}"],
            selection.include_operations,
            selection.exclude_operations,
        ),
    )
    for what, values, include, exclude in checks:
        if include and not matches(values, include):
            return f"no included {what} matches"
        pattern = matches(values, exclude)
        if pattern:
            return f"excluded {what} `{pattern}`"
    return None


def matches(values: list[str], patterns: tuple[str, ...]) -> str | None:
    """The first pattern (shell-style: `*`, `?`) that matches any of the values."""
    return next(
        (pattern for pattern in patterns if any(fnmatchcase(value, pattern) for value in values)),
        None,
    )


def _upper(methods: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(method.upper() for method in methods)
