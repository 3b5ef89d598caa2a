"""Names of form fields with brackets, `line_items[0][price]`, as the lists and objects they mean.

Documents write such names; the operation describes nested values, with their encoding (OpenAPI 3.1
§4.8.15, Encoding Object).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ..ir import Argument
from .model import Array, Constant, Interpolation, Object, Several, Value

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\]){1,20})")
_KEY = re.compile(r"\[([^\[\]]*)\]")
_INDEX = re.compile(r"[0-9]{0,9}")
"""A number, or nothing: one more item."""
_NESTED_KINDS = ("list", "dict", "union", "any")

_Part: TypeAlias = tuple[Sequence[str], Value]
"""A value with the path of keys to it."""


class _Unfit(Exception):
    """Raised for parts that do not form one value."""


def nested(payload: Object, arguments: Iterable[Argument]) -> Object:
    """Return the payload of a form with names such as `items[0][price]` combined into a value of
    the field `items`. Names that fit no field, or contradict each other, keep their brackets.
    """
    kinds = {argument.wire_name: argument.annotation.kind for argument in arguments}
    parts: dict[str, list[_Part]] = {}
    for name, value in payload.members:
        field, keys = _split(name, kinds)
        parts.setdefault(field, []).append((keys, value))
    whole: dict[str, Value] = {}
    for field, values in parts.items():
        with contextlib.suppress(_Unfit):
            whole[field] = _assembled(values, kinds.get(field, ""))
    members: dict[str, Value] = {}
    for name, value in payload.members:
        field, _ = _split(name, kinds)
        if field in whole:
            members[field] = whole[field]
        else:
            members[name] = value
    return Object(tuple(members.items()))


def _split(name: str, kinds: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """Return field and keys of a name: `a[0][b]` → `a`, `["0", "b"]`; no keys for a name without
    brackets, and for a field.
    """
    match = _NAME.fullmatch(name)
    if match is None or name in kinds:
        return name, ()
    return match[1], _KEY.findall(match[2])


def _assembled(parts: list[_Part], kind: str) -> Value:
    """Combine parts into one value. Raises _Unfit if they contradict each other, or the kind of
    their field (see `Annotation.kind`).
    """
    keys, value = parts[0]
    if len(parts) == 1 and not keys:
        return value
    if kind not in _NESTED_KINDS:
        raise _Unfit
    members = {key: _assembled(inner, "any") for key, inner in _by_key(parts).items()}
    if kind != "dict" and all(map(_INDEX.fullmatch, members)):
        return _listed(members)
    if kind == "list" or "" in members:
        raise _Unfit
    return Object(tuple(members.items()))


def _by_key(parts: list[_Part]) -> dict[str, list[_Part]]:
    """Return first key → the parts with their further keys. Raises _Unfit for a part without
    keys.
    """
    below: dict[str, list[_Part]] = {}
    for keys, value in parts:
        if not keys:
            raise _Unfit
        below.setdefault(keys[0], []).append((keys[1:], value))
    return below


def _listed(members: Mapping[str, Value]) -> Array:
    """Return a list of the members in the order of their indexes, then of those under `[]`, which
    may be a list.
    """
    items = [members[index] for index in sorted(filter(None, members), key=int)]
    match members.get(""):
        case Array(more):
            items += more
        case None:
            pass
        case Constant() | Interpolation() | Object() as item:
            items.append(item)
        case list_or_item:
            items.append(Several(list_or_item))
    return Array(tuple(items))
