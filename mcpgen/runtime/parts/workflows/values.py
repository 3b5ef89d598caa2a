"""Values of a workflow's expressions, and how its conditions compare them (Arazzo 1.1, section
*Criterion Object*).

A value that is not there is `OMIT`. No comparison raises: what cannot be compared is not equal.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs

from ...arguments.checker import compiled
from ...client.wire import OMIT
from ...pointer import child, split
from ...results.answer import Answer

_NUMBER = re.compile(r"[-+]?[0-9]{0,400}\.?[0-9]{1,400}([eE][-+]?[0-9]{1,400})?")


def at(data: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer (RFC 6901) in data; `OMIT` if there is none."""
    for token in split(pointer):
        try:
            data = child(data, token)
        except LookupError:
            return OMIT
    return data


def header(fields: Any, name: str) -> Any:
    """Return the value of a header field by its lower-case name; `OMIT` if there is none."""
    return fields.get(name, OMIT)


def body(answer: Answer[Any]) -> Any:
    """Return an answer's body: its data if it is JSON (`null`: None), else its text or `OMIT`."""
    if answer.data is not None:
        return answer.data
    if all((answer.is_json, answer.content.strip() == b"null")):
        return None
    return OMIT if answer.text is None else answer.text


def count(data: Any, field: str | None = None) -> Any:
    """Return the number of items of a list, members or characters; `OMIT` for any other value. An
    object with a member `field` gives that.
    """
    if isinstance(data, dict) and field in data:
        return data[field]
    return len(data) if isinstance(data, list | dict | str) else OMIT


def text(*parts: Any) -> str:
    """Return the parts as one text: JSON for what is no text, nothing for null and `OMIT`."""
    return "".join(map(_as_text, parts))


def _as_text(value: Any) -> str:
    if is_null(value):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def scalar(value: Any) -> Any:
    """Return the number or the boolean in a text; any other value unchanged."""
    if not isinstance(value, str):
        return value
    try:
        data = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(data, float) and not math.isfinite(data):
        return value
    return data if isinstance(data, int | float) else value


def written(value: Any) -> Any:
    """Return the JSON text of a number or a boolean (`true`); any other value unchanged."""
    return json.dumps(value) if isinstance(value, int | float) else value


def listed(value: Any) -> Any:
    """Return a text, a number or a flag as the only item of a list; any other value unchanged, also
    a text that begins with `[`.
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        return value  # the check of the arguments reads it
    return [value] if isinstance(value, str | int | float) else value


def octets(value: Any) -> Any:
    """Return a text in base64, as an argument takes bytes; any other value unchanged."""
    if not isinstance(value, str):
        return value
    return base64.b64encode(value.encode("utf-8", "replace")).decode()


def several(data: Any) -> list[Any]:
    """Return a list unchanged, any other value as the only item of a list, and `[]` for `OMIT`."""
    if isinstance(data, list):
        return data
    return [] if data is OMIT else [data]


def same(first: Any, second: Any) -> bool:
    """Return whether two values are equal; so are `"A"` and `"a"`, `"5"` and 5, null and `OMIT`."""
    pair = first, second
    if any(map(is_null, pair)):
        return all(map(is_null, pair))
    if all(isinstance(value, str) for value in pair):
        return bool(first.casefold() == second.casefold())
    if any(isinstance(value, bool) for value in pair):
        return first is second
    if all(isinstance(value, str | int | float) for value in pair):
        return number(first) == number(second)
    return bool(first == second)


def is_null(value: Any) -> bool:
    """Return whether a value is null, or not there (`OMIT`)."""
    return value in (OMIT, None)


def number(value: Any) -> float:
    """Return a number, also from a text; NaN for any other value, so that every comparison is
    false. A whole number is exact, whatever its size.
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value) if set(".eE") & set(value) else int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return value


def holds(value: Any) -> bool:
    """Return whether a value by itself is a condition that is met: 0 and "" are; false, null and
    `OMIT` are not.
    """
    return not is_null(value) and value is not False


def matches(pattern: str, value: Any) -> bool:
    """Return whether a regular expression matches somewhere in the text of a value, in linear time;
    false for null and `OMIT`.
    """
    if is_null(value):
        return False
    return bool(compiled({"pattern": pattern}).is_valid(text(value)))


def replaced(data: Any, values: dict[str, Any]) -> Any:
    """Return a copy of data with new values at JSON Pointers (pointer -> value): a member is set,
    an item replaced; a pointer without a place is ignored.
    """
    data = json.loads(json.dumps(_pruned(data)))
    for pointer, value in values.items():
        parent, _, key = pointer.rpartition("/")
        owner = at(data, parent)
        if isinstance(owner, dict):
            owner[split(f"/{key}")[0]] = value
        elif isinstance(owner, list) and at(owner, f"/{key}") is not OMIT:
            owner[int(key)] = value
    return data


def members(data: Any, names: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """Return the members of an object as arguments; `names` maps keys to arguments of another name.
    A text is parsed as a JSON object or else a form. Any other value: `{}`.
    """
    if isinstance(data, str):
        data = _of_text(data)
    if not isinstance(data, dict):
        return {}
    return {names.get(key, key): value for key, value in data.items()}


def _of_text(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return OMIT
    form = parse_qs(text, keep_blank_values=True)
    return {name: values if len(values) > 1 else values[0] for name, values in form.items()}


def pruned(data: dict[str, Any]) -> dict[str, Any]:
    """Return an object without members and items, at any depth, that are `OMIT`."""
    pruned_data: dict[str, Any] = _pruned(data)
    return pruned_data


def _pruned(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _pruned(value) for key, value in data.items() if value is not OMIT}
    if isinstance(data, list):
        return [_pruned(value) for value in data if value is not OMIT]
    return data
