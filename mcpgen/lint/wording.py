"""Validation errors in the user's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .alternatives import Peers

SHOWN = 60
"""Characters of a value or a name that are shown."""
_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
_ARTICLES = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "integer": "an integer",
}
_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "greater than",
    "exclusiveMaximum": "less than",
}
_ALTERNATIVES = ("oneOf", "anyOf", "oneOfNotValid", "falseSchema")


def wording(peers: Peers) -> str:
    """A validation error in the user's words, or what several expect at one place."""
    error = peers[0]
    say = _WORDINGS.get(error.kind.name)
    if say is None:
        return str(error.message)[:200]
    return say(peers)


def _type(peers: Peers) -> str:
    kind = _kind_of(peers[0].instance)
    return f"{_subject(peers[0])}must be {any_of(types_of(peers))}, not {kind}"


def _enum(peers: Peers) -> str:
    options = peers[0].kind.as_dict().get("options")
    if isinstance(options, list) and len(options) == len(peers) == 1:
        return f"{_subject(peers[0])}must be {_short(options[0])}, not {_short(peers[0].instance)}"
    return f"{_short(peers[0].instance)} is not {_one_of(peers)}"


def _const(peers: Peers) -> str:
    expected = peers[0].kind.as_dict().get("expected_value")
    return f"{_subject(peers[0])}must be {_short(expected)}, not {_short(peers[0].instance)}"


def _pattern(peers: Peers) -> str:
    pattern = str(peers[0].kind.as_dict().get("pattern", ""))
    return f"{_short(peers[0].instance)} does not match `{pattern[:SHOWN]}`"


def _format(peers: Peers) -> str:
    return f"{_short(peers[0].instance)} is not a valid `{peers[0].kind.as_dict().get('format')}`"


def _bound(peers: Peers) -> str:
    error = peers[0]
    limit = error.kind.as_dict().get("limit")
    comparison = _BOUNDS[error.kind.name]
    return f"{_subject(error)}must be {comparison} {json.dumps(limit)}, not {error.instance}"


def _least(peers: Peers) -> str:
    if peers[0].instance:
        return str(peers[0].message)[:200]
    return f"{_subject(peers[0])}must not be empty"


def _twins(peers: Peers) -> str:
    return f"{_subject(peers[0])}must not have an item twice"


def _excluded(peers: Peers) -> str:
    schema = peers[0].kind.as_dict().get("schema")
    if isinstance(schema, dict) and list(schema) == ["required"]:
        names = " and ".join(f"`{name}`" for name in schema["required"])
        return f"{names} exclude each other"
    return _alternatives(peers)


def _several(peers: Peers) -> str:
    return f"{_subject(peers[0])}matches several forms of which one is allowed"


def _alternatives(peers: Peers) -> str:
    return f"{_subject(peers[0])}matches none of the allowed forms"


def _missing(peers: Peers) -> str:
    return f"{_subject(peers[0])}lacks `{str(peers[0].kind.as_dict().get('property'))[:SHOWN]}`"


def _unexpected(peers: Peers) -> str:
    names = peers[0].kind.as_dict().get("unexpected", ())
    shown = ", ".join(f"`{str(name)[:SHOWN]}`" for name in names[:3])
    return f"{_subject(peers[0])}must not have {shown}"


_WORDINGS: dict[str, Callable[[Peers], str]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "format": _format,
    "minItems": _least,
    "minProperties": _least,
    "uniqueItems": _twins,
    "not": _excluded,
    "required": _missing,
    "additionalProperties": _unexpected,
    "unevaluatedProperties": _unexpected,
    "oneOfMultipleValid": _several,
    **dict.fromkeys(_BOUNDS, _bound),
    **dict.fromkeys(_ALTERNATIVES, _alternatives),
}


def types_of(peers: Peers) -> list[str]:
    """The types that are allowed, for errors of the keyword `type` and one of two booleans."""
    types: list[str] = []
    for error in peers:
        detail = error.kind.as_dict()
        if error.kind.name == "type":
            names = detail.get("types", [])
            types += [names] if isinstance(names, str) else names
        elif detail.get("options") in ([True], [False]):
            types.append("boolean")
    return list(dict.fromkeys(types))


def _one_of(peers: Peers) -> str:
    """The values that are expected at one place."""
    lists = [error.kind.as_dict().get("options") for error in peers]
    options = [item for each in lists if isinstance(each, list) for item in each]
    if not options:
        return "allowed"
    names = [item if isinstance(item, str) else json.dumps(item) for item in options[:10]]
    return f"one of {', '.join(f'`{name}`' for name in dict.fromkeys(names))}"


def any_of(names: list[str]) -> str:
    """Types of JSON Schema as a reader says them: `an object or null`."""
    return " or ".join(_ARTICLES.get(name, f"a {name}") for name in names)


def _kind_of(value: Any) -> str:
    return _KINDS.get(type(value), "a number")


def _subject(error: Any) -> str:
    """The key or the item that has the wrong value; empty for the whole value."""
    if not error.instance_path:
        return ""
    last = error.instance_path[-1]
    if isinstance(last, str):
        return f"`{last[:SHOWN]}` "
    return f"item {last} "


def _short(value: Any) -> str:
    if type(value) in (dict, list):
        return _KINDS[type(value)]
    return f"`{json.dumps(value, ensure_ascii=False)[:SHOWN]}`"
