"""What is wrong with the arguments of a call, in words a model can act on.

Each line names the argument, the rule, and the value that was given, with the allowed values where
there are some.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

MAX_LINES = 5
MAX_CHOICES = 40
MAX_VALUE = 100

_NAMES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


def explain(heading: str, schema: Mapping[str, Any], errors: Iterable[Any]) -> str:
    """The text of a refused call. `errors` are `jsonschema_rs.ValidationError`s in the validator's
    order.
    """
    lines: dict[str, None] = {}
    missing = False
    more = 0
    for error in errors:
        missing = missing or (error.kind.name == "required" and not list(error.instance_path))
        for line in _lines(error):
            if line in lines:
                continue
            if len(lines) == MAX_LINES:
                more += 1  # a line that is not shown is not written either
                break
            lines[line] = None
    if more:
        lines[f"and {more} more"] = None
    text = "\n- ".join([f"{heading}:", *lines])
    required = schema.get("required", ())
    if missing:
        text += "\nRequired arguments: " + ", ".join(f"`{name}`" for name in required[:MAX_CHOICES])
    return text


def suggest(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` where a known name is close (case and punctuation aside), or
    nothing.
    """
    candidates = list(known)
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(_fold(candidate), candidate)
    if _fold(name) in folded:
        return f"; did you mean `{folded[_fold(name)]}`?"
    close = difflib.get_close_matches(name[:100], candidates, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""


def show(value: Any) -> str:
    """A value as JSON, cut to a length worth reading."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}... ({len(text):,} characters)"


def _fold(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _lines(error: Any) -> Iterator[str]:
    """One line per fault; a union is told by the branch that comes nearest."""
    kind = error.kind.name
    path = list(error.instance_path)
    if kind in ("anyOf", "oneOf") and getattr(error.kind, "context", None):
        yield from _union(error)
    elif kind == "required":
        yield f"{place([*path, error.kind.property])} is required"
    elif kind in ("additionalProperties", "unevaluatedProperties"):
        for name in list(error.kind.unexpected)[:MAX_LINES]:
            yield f"{place([*path, name])} is not known"
    else:
        say = _RULES.get(kind, _plain)
        yield f"{place(path)} {say(error)}"


def _union(error: Any) -> Iterator[str]:
    branches = [list(branch) for branch in error.kind.context if branch]
    if not branches:
        yield f"{place(error.instance_path)} does not fit: {_plain(error)}"
        return
    path = list(error.instance_path)
    wrong_kind = [branch for branch in branches if _is_kind(branch, path)]
    if len(wrong_kind) == len(branches):
        types: list[str] = []
        for branch in branches:
            types.extend(kind for kind in _kinds(branch[0]) if kind not in types)
        yield f"{place(path)} must be {_either(types)}, got {show(error.instance)}"
        return
    inside = [branch for branch in branches if branch not in wrong_kind]
    nearest = min(inside, key=len)
    for fault in nearest:
        yield from _lines(fault)


def _is_kind(branch: list[Any], path: list[Any]) -> bool:
    return branch[0].kind.name == "type" and list(branch[0].instance_path) == path


def _kinds(error: Any) -> list[str]:
    types = error.kind.types
    return [types] if isinstance(types, str) else list(types)


def _either(types: Iterable[str]) -> str:
    return " or ".join(_NAMES.get(kind, kind) for kind in types)


def place(path: Iterable[Any]) -> str:
    """`author.names[2]`, as a reader would write it."""
    text = ""
    for token in path:
        if isinstance(token, int):
            text += f"[{token}]"
        else:
            text += f".{token}" if text else str(token)
    return f"`{text[:200]}`" if text else "the arguments"


def _choices(error: Any) -> str:
    options = list(error.kind.options)
    shown = ", ".join(show(option) for option in options[:MAX_CHOICES])
    if len(options) > MAX_CHOICES:
        shown += f" and {len(options) - MAX_CHOICES} more"
    near = ""
    if isinstance(error.instance, str):
        near = suggest(error.instance, [option for option in options if isinstance(option, str)])
    return f"must be one of {shown}; got {show(error.instance)}{near.replace('`', chr(34))}"


def _count(error: Any) -> int:
    return len(error.instance)


def _plain(error: Any) -> str:
    message = str(error.message)
    return message if len(message) <= 300 else f"{message[:300]}..."


_RULES: dict[str, Callable[[Any], str]] = {
    "type": lambda error: f"must be {_either(_kinds(error))}, got {show(error.instance)}",
    "enum": _choices,
    "const": lambda error: f"must be {show(error.kind.expected_value)}, got {show(error.instance)}",
    "minimum": lambda error: f"must be at least {error.kind.limit}, got {show(error.instance)}",
    "maximum": lambda error: f"must be at most {error.kind.limit}, got {show(error.instance)}",
    "exclusiveMinimum": lambda error: (
        f"must be more than {error.kind.limit}, got {show(error.instance)}"
    ),
    "exclusiveMaximum": lambda error: (
        f"must be less than {error.kind.limit}, got {show(error.instance)}"
    ),
    "multipleOf": lambda error: (
        f"must be a multiple of {error.kind.multiple_of}, got {show(error.instance)}"
    ),
    "minLength": lambda error: (
        f"must have at least {error.kind.limit} characters, got {_count(error)}"
    ),
    "maxLength": lambda error: (
        f"must have at most {error.kind.limit} characters, got {_count(error)}"
    ),
    "minItems": lambda error: f"must have at least {error.kind.limit} items, got {_count(error)}",
    "maxItems": lambda error: f"must have at most {error.kind.limit} items, got {_count(error)}",
    "minProperties": lambda error: (
        f"must have at least {error.kind.limit} fields, got {_count(error)}"
    ),
    "maxProperties": lambda error: (
        f"must have at most {error.kind.limit} fields, got {_count(error)}"
    ),
    "uniqueItems": lambda error: "must not have the same item twice",
    "pattern": lambda error: (
        f"must match the pattern {show(error.kind.pattern)}, got {show(error.instance)}"
    ),
}
