"""Choosing operations: by tag, path, method, operationId, deprecation, and what the document itself
says.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from ..config import ApiConfig, Config, Selection
from ..ir import Origin, within
from ..load.methods import METHODS
from ..load.values import texts_in
from ..problems import Problem, UsageError
from ..text import visible
from ..workflows.model import KIND as WORKFLOW

Choice = tuple[Origin, dict[str, Any]]
"""An operation's origin, and its object in the document."""
KINDS = ("tag", "path", "method", "operation")
"""Criteria by which operations are chosen."""
NOT_INCLUDED = "no included"
"""Beginning of the reason why an operation is left out that no filter names."""
SUGGESTED = 8
"""Words of the document that a message lists."""

TRUTHS = dict.fromkeys("true 1 yes on".split(), True)
TRUTHS |= dict.fromkeys("false 0 no off".split(), False)
EXTENSIONS = ("x-mcp", "x-mcp-tool", "x-speakeasy-mcp")


def extension(node: dict[str, Any]) -> dict[str, Any]:
    """Return the `x-mcp` extension of an operation, a path or a document, with `enabled` as true,
    false or None; of a truth value, also as text, `{"enabled": …}`; `{}` without one.
    """
    for key in EXTENSIONS:
        value = node.get(key)
        if isinstance(value, dict):
            enabled = _truth(value.get("enabled"))
            disabled = _truth(value.get("disabled"))
            if disabled is not None:
                enabled = not disabled
            return {**value, "enabled": enabled}
        if _truth(value) is not None:
            return {"enabled": _truth(value)}
    return {}


def _truth(value: Any) -> bool | None:
    """Return a truth value, also from a text (`"false"`); None for any other value."""
    return TRUTHS.get(str(value).strip().lower())


def inherited(*nodes: dict[str, Any]) -> dict[str, Any]:
    """Return the first of `nodes` (operation, path, document) with the `enabled` of the nearest
    `x-mcp` that has it; unchanged if none has.
    """
    inner = nodes[0]
    says = (extension(node).get("enabled") for node in nodes)
    enabled = next((one for one in says if one is not None), None)
    return (
        inner if enabled is None else {**inner, "x-mcp": {**extension(inner), "enabled": enabled}}
    )


def left_out(config: Config, origin: Origin, operation: dict[str, Any]) -> str | None:
    """Explain why an operation is left out; return None if it is selected."""
    own = config.apis.get(origin.api, ApiConfig()).selection
    for selection, where in ((config.selection, origin), (own, _alone(origin))):
        reason = _left_out(selection, where, operation)
        if reason is not None:
            return reason
    return None


def _alone(origin: Origin) -> Origin:
    """Return the origin of a further API's operation as its own document has it."""
    return replace(origin, api="", operation_id=origin.own_id)


def _left_out(selection: Selection, origin: Origin, operation: dict[str, Any]) -> str | None:
    if extension(operation).get("enabled") is False:
        return "the document says so (`x-mcp`)"
    if not selection.deprecated and operation.get("deprecated") is True:
        return "deprecated"
    words = words_of(origin, operation)
    for kind in KINDS:
        include = patterns(selection, "include", kind)
        if origin.method == WORKFLOW:
            include = ()  # Its file asks for it.
        exclude = patterns(selection, "exclude", kind)
        if include and not matches(words[kind], include):
            return f"{NOT_INCLUDED} {kind} matches"
        pattern = matches(words[kind], exclude)
        if pattern:
            return f"excluded {kind} `{pattern}`"
    return None


def words_of(origin: Origin, operation: dict[str, Any]) -> dict[str, list[str]]:
    """Return each of `KINDS` → the words that choose an operation by it."""
    names = [origin.operation]
    if origin.operation_id:
        names.insert(0, origin.operation_id)
    return {
        "tag": [within(origin.api, tag) for tag in texts_in(operation.get("tags"))],
        "path": [origin.place],
        "method": [origin.method],
        "operation": names,
    }


def patterns(selection: Selection, action: str, kind: str) -> tuple[str, ...]:
    """Return a selection's patterns in `include_tags` and the like; methods in upper case."""
    chosen: tuple[str, ...] = getattr(selection, f"{action}_{kind}s")
    return tuple(map(str.upper, chosen)) if kind == "method" else chosen


def refuse_unknown(config: Config, choices: Iterable[Choice]) -> None:
    """Raise UsageError for filters that match no operation, as misspelt ones do. A method of HTTP
    may be excluded before an operation has it.
    """
    listed = list(choices)
    problems = _unknown_words(config.selection, listed)
    for name, api in config.apis.items():
        own = [(_alone(origin), operation) for origin, operation in listed if origin.api == name]
        problems += _unknown_words(api.selection, own, name)
    if problems:
        raise UsageError(*problems)


def _unknown_words(selection: Selection, choices: list[Choice], api: str = "") -> list[Problem]:
    words: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for origin, operation in choices:
        for kind, values in words_of(origin, operation).items():
            words[kind].update(values)
    if not words["operation"]:
        return []
    problems: list[Problem] = []
    for kind in KINDS:
        for action in ("include", "exclude"):
            allowed = words[kind]
            if (action, kind) == ("exclude", "method"):
                allowed = allowed | METHODS
            problems += [
                _unknown(f"{action}_{kind}s", kind, pattern, sorted(allowed), api)
                for pattern in patterns(selection, action, kind)
                if not matches(sorted(allowed), (pattern,))
            ]
    return problems


def _unknown(key: str, kind: str, pattern: str, words: list[str], api: str) -> Problem:
    option = f"--{key.removesuffix('s').replace('_', '-')}"
    where = f"(`{option}`, `{key}` in `mcpgen.toml`)"
    if api:
        where = f"of `{api}` (`{key}` in `[apis.{api}.select]`)"
    return Problem(
        code="E1121",
        severity="error",
        message=f"`{visible(pattern)}` matches no {kind} of the document {where}",
        hint=_suggestion(kind, pattern, words),
    )


def _suggestion(kind: str, pattern: str, words: list[str]) -> str:
    """Return a hint: to give the words of a comma list one by one, or up to three words like a
    pattern, else the first words that there are.
    """
    if all(part in words for part in pattern.split(",")):
        option = f"--include-{kind}"
        return f"one word each: `{' '.join(f'{option} {part}' for part in pattern.split(','))}`"
    folded = {word.lower(): word for word in words}
    close = difflib.get_close_matches(pattern.lower(), folded, n=3, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(_quoted(folded[word]) for word in close)}?"
    if not words:
        return f"no operation of the document has a {kind}"
    listed = ", ".join(map(_quoted, words[:SUGGESTED]))
    more = f" and {len(words) - SUGGESTED} more" if len(words) > SUGGESTED else ""
    return f"the document has {listed}{more}"


def _quoted(word: str) -> str:
    return f"`{visible(word)}`"


def matches(values: list[str], patterns: tuple[str, ...]) -> str | None:
    """Return the first pattern (shell-style: `*`, `?`) that matches any of the values, or None."""
    for pattern in patterns:
        if any(fnmatchcase(value, pattern) for value in values):
            return pattern
    return None
