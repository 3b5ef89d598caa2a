"""Summarize the arguments of a tool in a few lines, enough for a model to call the tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST_TEXT = 90
MOST_VALUES = 8
MOST_KEYS = 10


def argument_summary(schema: Mapping[str, Any], room: int, told: set[str]) -> str:
    """Return the arguments of an input schema as text: required ones on a line each, with type and
    meaning; optional ones on one line, those past `room` characters just counted.

    `told` are the texts that the reader has seen, which are not repeated; new ones are added.
    """
    required = schema.get("required", ())
    lines: list[str] = []
    optional: list[str] = []
    for name, inner in schema.get("properties", {}).items():
        head = f"{name} ({_type(inner)})"
        if name not in required:
            optional.append(head)
            continue
        text = _short(str(inner.get("description", ""))) if isinstance(inner, dict) else ""
        if text in told:
            text = ""
        told.add(text)
        lines.append(f"  {head}: {text}".rstrip(": "))
    if optional:
        room = max(room - sum(map(len, lines)), 0)
        lines.append("  optional: " + _fitted(optional, room))
    return "\n".join(lines)


def _short(text: str) -> str:
    """Return a text on one line; a long text is cut at a word, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= LONGEST_TEXT:
        return line
    return line[:LONGEST_TEXT].rsplit(" ", 1)[0] + "\u2026"


def _fitted(texts: list[str], room: int) -> str:
    """Join the first texts, one at least, up to `room` characters: `a, b and 3 more`."""
    kept: list[str] = []
    for text in texts:
        room -= len(text) + 2
        if kept and room < 0:
            return f"{', '.join(kept)} and {len(texts) - len(kept)} more"
        kept.append(text)
    return ", ".join(kept)


def _type(schema: Any) -> str:
    """Return a value's type: `string`, `"asc" | "desc"`, `[integer]`, `{name, email?}`, `any`."""
    if not isinstance(schema, dict):
        return "any"
    if isinstance(schema.get("enum"), list):
        return _values(schema["enum"])
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list):
        return " | ".join(dict.fromkeys(map(_type, branches)))
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if kind == "array":
        return f"[{_type(schema.get('items'))}]"
    if kind == "object":
        return _object(schema)
    return " ".join([str(kind), *_bounds(schema)])


def _values(values: list[Any]) -> str:
    texts = [json.dumps(value, ensure_ascii=False) for value in values[:MOST_VALUES]]
    if len(values) > MOST_VALUES:
        texts.append("\u2026")
    return " | ".join(texts)


def _object(schema: Mapping[str, Any]) -> str:
    properties = schema.get("properties", {})
    if not properties:
        return "object"
    required = schema.get("required", ())
    names = [name if name in required else f"{name}?" for name in properties]
    if len(names) > MOST_KEYS:
        names = [*names[:MOST_KEYS], "\u2026"]
    return "{" + ", ".join(names) + "}"


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the range of a number if it has both bounds, then the format, if any."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        yield f"{low}\u2013{high}"
    if isinstance(schema.get("format"), str):
        yield schema["format"]
