"""Names of form fields with brackets, `line_items[0][price]`, as the lists and objects they mean.

Documents write them as they stand in the request. The operation describes the same form by nested
values, and says how they are written (OpenAPI 3.1 §4.8.15, Encoding Object).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ..ir import Argument
from .model import Array, Object, Value

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\]){1,20})")
_KEY = re.compile(r"\[([^\[\]]*)\]")
_INDEX = re.compile(r"[0-9]{0,9}")
"""A number, or nothing: one more item."""
_NESTED_KINDS = ("list", "dict", "union", "any")

_Part: TypeAlias = tuple[Sequence[str], Value]
"""A value with the keys that lead to it."""


def nested(payload: Object, arguments: Iterable[Argument]) -> Object:
    """The payload of a form without names with brackets: the field that a name begins with holds
    the value. Names that fit no field stay as they are.
    """
    kinds = {argument.wire_name: argument.annotation.kind for argument in arguments}
    parts: dict[str, list[_Part]] = {}
    for name, value in payload.members:
        field, keys = _split(name, kinds)
        parts.setdefault(field, []).append((keys, value))
    whole = {field: _assembled(each, kinds.get(field, "")) for field, each in parts.items()}
    members: dict[str, Value] = {}
    for name, value in payload.members:
        field, _ = _split(name, kinds)
        assembled = whole[field]
        if assembled is None:
            members[name] = value
        else:
            members[field] = assembled
    return Object(tuple(members.items()))


def _split(name: str, kinds: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """The field and the keys of a name; no keys where the name has no brackets, or is a field."""
    match = _NAME.fullmatch(name)
    if match is None or name in kinds:
        return name, ()
    return match[1], _KEY.findall(match[2])


def _assembled(parts: list[_Part], kind: str) -> Value | None:
    """The value that is made of parts; None where they contradict each other, or the kind of their
    field (see `Annotation.kind`).
    """
    keys, value = parts[0]
    if len(parts) == 1 and not keys:
        return value
    if kind not in _NESTED_KINDS or not all(keys for keys, _ in parts):
        return None
    below: dict[str, list[_Part]] = {}
    for (key, *rest), value in parts:
        below.setdefault(key, []).append((rest, value))
    members: dict[str, Value] = {}
    for key, inner in below.items():
        member = _assembled(inner, "any")
        if member is None:
            return None
        members[key] = member
    is_list = kind != "dict" and all(map(_INDEX.fullmatch, members))
    if is_list:
        return _listed(members)
    if kind == "list" or "" in members:
        return None
    return Object(tuple(members.items()))


def _listed(members: Mapping[str, Value]) -> Array:
    """Items in the order of their indexes; a list under `[]` is several items, as in a form."""
    items = [members[index] for index in sorted(filter(None, members), key=int)]
    match members.get(""):
        case Array(more):
            items += more
        case None:
            pass
        case item:
            items.append(item)
    return Array(tuple(items))
