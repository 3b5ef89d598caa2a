"""Choosing operations: by tag, path, method, operationId, deprecation, and what the document itself
says.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from ..config import Selection
from ..ir import Origin
from ..problems import Problem, UsageError
from ..text import visible

KINDS = ("tag", "path", "method", "operation")
"""What operations are chosen by."""
HTTP_METHODS = frozenset("GET PUT POST DELETE OPTIONS HEAD PATCH TRACE QUERY".split())
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
    words = words_of(origin, operation)
    for kind in KINDS:
        include, exclude = patterns(selection, "include", kind), patterns(
            selection, "exclude", kind
        )
        if include and not matches(words[kind], include):
            return f"no included {kind} matches"
        pattern = matches(words[kind], exclude)
        if pattern:
            return f"excluded {kind} `{pattern}`"
    return None


def words_of(origin: Origin, operation: dict[str, Any]) -> dict[str, list[str]]:
    """By each of `KINDS`, the words that choose an operation."""
    tags = operation.get("tags")
    names = [f"{origin.method} {origin.path}"]
    if origin.operation_id:
        names.insert(0, origin.operation_id)
    return {
        "tag": [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
        "path": [origin.path],
        "method": [origin.method],
        "operation": names,
    }


def patterns(selection: Selection, action: str, kind: str) -> tuple[str, ...]:
    """What a selection says under `include_tags` and the like; methods in upper case."""
    chosen: tuple[str, ...] = getattr(selection, f"{action}_{kind}s")
    return tuple(method.upper() for method in chosen) if kind == "method" else chosen


def refuse_unknown(
    selection: Selection, operations: Iterable[tuple[Origin, dict[str, Any]]]
) -> None:
    """Raise UsageError where a filter matches no operation: a word that is misspelt would leave out
    everything, or let through what should have been left out.

    A method of HTTP may be excluded before an operation has it.
    """
    known: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for origin, operation in operations:
        for kind, words in words_of(origin, operation).items():
            known[kind].update(words)
    if not known["operation"]:
        return
    problems = []
    for kind in KINDS:
        for action in ("include", "exclude"):
            allowed = known[kind]
            if (action, kind) == ("exclude", "method"):
                allowed = allowed | HTTP_METHODS
            problems += [
                _unknown(f"{action}_{kind}s", kind, pattern, sorted(allowed))
                for pattern in patterns(selection, action, kind)
                if not matches(sorted(allowed), (pattern,))
            ]
    if problems:
        raise UsageError(*problems)


def _unknown(key: str, kind: str, pattern: str, known: list[str]) -> Problem:
    folded = {word.lower(): word for word in known}
    near = difflib.get_close_matches(pattern.lower(), folded, n=3, cutoff=0.6)
    option = f"--{key.removesuffix('s').replace('_', '-')}"
    if near:
        hint = f"did you mean {' or '.join(f'`{visible(folded[word])}`' for word in near)}?"
    elif known:
        more = f" and {len(known) - 8} more" if len(known) > 8 else ""
        hint = f"the document has {', '.join(f'`{visible(word)}`' for word in known[:8])}{more}"
    else:
        hint = f"no operation of the document has a {kind}"
    return Problem(
        code="E1121",
        severity="error",
        message=(
            f"`{visible(pattern)}` matches no {kind} of the document (`{option}`, `{key}` in"
            " `mcpgen.toml`)"
        ),
        hint=hint,
    )


def matches(values: list[str], patterns: tuple[str, ...]) -> str | None:
    """The first pattern (shell-style: `*`, `?`) that matches any of the values."""
    return next(
        (pattern for pattern in patterns if any(fnmatchcase(value, pattern) for value in values)),
        None,
    )
