"""Set and remove one member of a JSON file in place: comments, order and layout of the rest stay.

Clients take JSON with comments and trailing commas, so both are understood here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_SPACE = re.compile(r"\s*")
_COMMA = re.compile(r"\s*,")
_INDENT = re.compile(r'\n([ \t]+)"')
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member of an object is: its key begins at `start`, its value at `value`."""

    start: int
    value: int
    end: int


def load(text: str) -> dict[str, Any]:
    """The object of a file; an empty file is an empty one. Raises ValueError for anything else."""
    if not text.strip():
        return {}
    data = json.loads(_strict(text))
    if not isinstance(data, dict):
        raise ValueError("the file does not hold an object")
    return data


def put(text: str, key: str, name: str, entry: dict[str, Any]) -> str:
    """The text with `entry` as the member `name` of the object `key`."""
    if not text.strip():
        return json.dumps({key: {name: entry}}, indent=2, ensure_ascii=False) + "\n"
    strict = _strict(text)
    root = _after_space(strict, 0)
    top = _members(strict, root)
    if key not in top:
        return _insert(text, strict, root, 1, key, {name: entry})
    container = top[key].value
    if strict[container] != "{":
        raise ValueError(f"`{key}` is not an object")
    servers = _members(strict, container)
    if name not in servers:
        return _insert(text, strict, container, 2, name, entry)
    member = servers[name]
    return text[: member.value] + _dump(text, entry, 2) + text[member.end :]


def drop(text: str, key: str, name: str) -> str:
    """The text without the member `name` of the object `key`, and without that object when it was
    the last one in it.
    """
    strict = _strict(text)
    top = _members(strict, _after_space(strict, 0))
    servers = _members(strict, top[key].value)
    if len(servers) > 1:
        return _cut(text, strict, servers, name)
    return _cut(text, strict, top, key)


def _strict(text: str) -> str:
    """Strict JSON of the same length: spaces in place of comments and of commas at an end."""
    without_comments = _COMMENT.sub(_blank, text)
    return _LAST_COMMA.sub(_blank, without_comments)


def _blank(match: re.Match[str]) -> str:
    token = match[0]
    if token.startswith('"'):
        return token
    return re.sub(r"[^\n]", " ", token)


def _members(strict: str, start: int) -> dict[str, _Member]:
    """The members of the object that begins at `start`, by key."""
    members = {}
    index = _after_space(strict, start + 1)
    while strict[index] != "}":
        key, colon = _DECODER.raw_decode(strict, index)
        value = _after_space(strict, _after_space(strict, colon) + 1)
        _, end = _DECODER.raw_decode(strict, value)
        members[key] = _Member(index, value, end)
        index = _after_space(strict, end)
        if strict[index] == ",":
            index = _after_space(strict, index + 1)
    return members


def _after_space(text: str, index: int) -> int:
    match = _SPACE.match(text, index)
    assert match is not None
    return match.end()


def _insert(text: str, strict: str, start: int, depth: int, key: str, value: Any) -> str:
    """The text with one more member at the end of the object that begins at `start`."""
    member = f"{_newline(text, depth)}{json.dumps(key)}: {_dump(text, value, depth)}"
    members = _members(strict, start)
    if members:
        end = max(other.end for other in members.values())
        return f"{text[:end]},{member}{text[end:]}"
    rest = text[start + 1 :].lstrip()
    return f"{text[: start + 1]}{member}{_newline(text, depth - 1)}{rest}"


def _cut(text: str, strict: str, members: dict[str, _Member], key: str) -> str:
    """The text without a member, the space before it, and one comma."""
    member = members[key]
    start = len(text[: member.start].rstrip())
    before = [other.end for other in members.values() if other.end <= member.start]
    if before:
        comma = strict.index(",", max(before))
        return text[:comma] + text[comma + 1 : start] + text[member.end :]
    comma_after = _COMMA.match(text, member.end)
    rest = text[comma_after.end() if comma_after else member.end :]
    if not rest.strip().startswith("}"):
        return text[:start] + rest
    return text[:start] + rest.lstrip()


def _newline(text: str, depth: int) -> str:
    """A line's end as in the text, and the indentation of that depth."""
    indent = _INDENT.search(text)
    unit = indent[1] if indent else "  "
    end = "\r\n" if "\r\n" in text else "\n"
    return end + unit * depth


def _dump(text: str, value: Any, depth: int) -> str:
    """A value as it is written at that depth of the text."""
    unit = _newline(text, 1).lstrip("\r\n")
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", _newline(text, depth))
