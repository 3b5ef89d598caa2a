"""What decides between two engines whose requests differ: the section of a specification.

Each reason is read off the two lists of requests and off what the other engine says about its own
steps; it is about the requests alone, and holds for whichever document.
"""

from __future__ import annotations

import contextlib
import json
import operator
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mcpgen.load.values import as_object

_EMPTY = re.compile(r"\{[^/{}]+\}|None")
"""A part of a path that the other engine has no value for."""
Request = tuple[str, str, tuple[tuple[str, str], ...], Any]
"""Method, path, query and body."""

WHY = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))[
    "workflow_differences"
]
"""The reasons, by name."""


def reason(
    ours: list[Request], theirs: list[Request], errors: list[str], refused: bool,
    branch: int | None = None,
) -> str:  # fmt: skip
    """The section that decides, or nothing. `errors` are what the other engine says of its steps,
    `refused` is whether our server refused arguments of a step, `branch` how many steps there are
    up to the first with an action whose criteria read its answer.
    """
    decided = ""
    if len(ours) == len(theirs):
        decided = _joined(ours, theirs)
    if refused and len(ours) < len(theirs):
        decided = _joined(ours, theirs, WHY["CHECKED"])
    if branch is not None and len(ours[:branch]) == len(theirs[:branch]):
        decided = decided or _joined(ours[:branch], theirs[:branch], WHY["BRANCHED"])
    if decided:
        return decided
    if errors and _is_part(theirs, ours):
        return f"{WHY['CRASH']}: {errors[0][:160]}"
    return ""


def _joined(ours: list[Request], theirs: list[Request], last: str = "") -> str:
    """The sections that decide between requests, each once; nothing where one has none."""
    sections = [_section(*pair) for pair in zip(ours, theirs, strict=False)]
    if not all(sections):
        return ""
    return "; and ".join(
        dict.fromkeys(each for each in (*sections, last) if each not in ("", SAME))
    )


def _section(ours: Request, theirs: Request) -> str:
    """The section that decides between two requests, or nothing; with texts read as JSON where that
    is needed.
    """
    for section, holds in OF_REQUESTS:
        if holds(ours, theirs):
            return section
    for section, holds in OF_REQUESTS:
        if holds(_read(ours), _read(theirs)):
            return WHY["JSON_TEXT"] if section == SAME else f"{WHY['JSON_TEXT']}; and {section}"
    if {name for name, _ in theirs[2]} < {name for name, _ in ours[2]}:
        section = _section(_with_query_of(ours, theirs), theirs)
        return f"{WHY['REUSED']}; and {section}" if section else ""
    return ""


def _with_query_of(ours: Request, theirs: Request) -> Request:
    """A request without the parameters of its query that the other one does not have."""
    names = {name for name, _ in theirs[2]}
    return ours[0], ours[1], tuple(field for field in ours[2] if field[0] in names), ours[3]


def _read(request: Request) -> Request:
    """A request with what its texts stand for that are objects or lists in JSON."""
    method, path, query, body = request
    fields = [field for name, text in query for field in _items(name, _data(text))]
    return method, path, tuple(sorted(fields)), _data(body)


def _data(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            return json.loads(value)
    return value


def _items(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The fields of a query that say a value: a list several times, an object by its members."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _items(f"{name}[{key}]", item)
    elif isinstance(value, list):
        for item in value:
            yield from _items(name, item)
    else:
        yield name, value if isinstance(value, str) else json.dumps(value)


def _differ_by_null(ours: Request, theirs: Request) -> bool:
    return _without_null(ours, theirs) == _without_null(theirs, theirs)


def _has_an_empty_body(ours: Request, theirs: Request) -> bool:
    """Whether a request has an object without members where the other one has no body."""
    return ours[:3] == theirs[:3] and (ours[3], theirs[3]) == ({}, None)


def _has_fewer_fields(ours: Request, theirs: Request) -> bool:
    """Whether a request is the other one, or that with fewer fields of its body."""
    first, second = _without_null(ours, theirs), _without_null(theirs, theirs)
    if first[:3] != second[:3]:
        return False
    if first[3] is None and isinstance(second[3], dict):
        return bool(second[3])
    if isinstance(first[3], dict) and isinstance(second[3], dict):
        return all(second[3].get(key) == value for key, value in first[3].items())
    if isinstance(first[3], list) and isinstance(second[3], list):
        return all(field in second[3] for field in first[3])
    return bool(first[3] == second[3])


def _has_null_for_a_value(ours: Request, theirs: Request) -> bool:
    """Whether the other request is this one with members of its body that are null."""
    if not isinstance(ours[3], dict) or not isinstance(theirs[3], dict):
        return False
    kept = {key: value for key, value in ours[3].items() if theirs[3].get(key, key) is not None}
    return (*ours[:3], kept) == (*theirs[:3], _pruned(theirs[3]))


def _has_own_expression(ours: Request, theirs: Request) -> bool:
    """Whether a request is ours, or one to the same place that has other texts where ours has some
    that only look like expressions.
    """
    texts = re.sub(r'"\$[A-Za-z]\w*\.[^"]*"', '"-"', json.dumps(_sorted(ours)))
    pattern = re.escape(texts).replace('"\\-"', '("[^"]*"|null)')
    return re.fullmatch(pattern, json.dumps(_sorted(theirs))) is not None


def _sorted(request: Request) -> Any:
    return json.loads(json.dumps(request, sort_keys=True))


def _is_part(part: list[Request], whole: list[Request]) -> bool:
    """Whether requests stand in a list in the same order; others may stand between them."""
    remaining = iter(whole)
    return all(any(_section(ours, each) for ours in remaining) for each in part)


def _without_null(request: Request, theirs: Request) -> Request:
    """A request without null, and without what the path of the other one has no value for."""
    method, path, query, body = request
    parts, others = unquote(path).split("/"), unquote(theirs[1]).split("/")
    if len(parts) == len(others):
        pairs = zip(parts, others, strict=True)
        parts = ["-" if _EMPTY.fullmatch(other) else part for part, other in pairs]
    pruned = _pruned(body)
    if body and not pruned:
        pruned = None
    return method, "/".join(parts), query, pruned


def _lost_members(ours: Request, theirs: Request) -> bool:
    """Whether a request is ours, or that with the names of members in place of objects."""
    if ours[:2] != theirs[:2] or not _are_names(ours[2], theirs[2]):
        return False
    if _is_form(ours[3]) and _is_form(theirs[3]):
        return _are_names(ours[3], theirs[3])
    return bool(_pruned(ours[3]) == _pruned(theirs[3]))


def _is_form(body: Any) -> bool:
    return isinstance(body, list) and all(isinstance(each, tuple) for each in body)


def _are_names(ours: Iterable[tuple[str, str]], theirs: Iterable[tuple[str, str]]) -> bool:
    """Whether the fields of a form or a query are ours, or the names of the members of ours."""
    common = set(ours) & set(theirs)
    names = {name for field in set(ours) - common for name in _names_alone(*field)}
    return names == set(theirs) - common


def _names_alone(name: str, value: str) -> Iterator[tuple[str, str]]:
    """What the other engine makes of a field: `items=price` of `items[0][price]=5` and of
    `items={"price":5}`. An item of a list that is no object keeps its value.
    """
    field, *keys = name.replace("]", "").split("[")
    members = [key for key in keys if key and not key.isdigit()][:1]
    with contextlib.suppress(ValueError):
        members += as_object(json.loads(value))
    for member in members or [value]:
        yield field, member


def _lacks_parameters(ours: Request, theirs: Request) -> bool:
    """Whether a request is ours, or that with fewer parameters of its query."""
    first, second = _without_null(ours, theirs), _without_null(theirs, theirs)
    return set(second[2]) <= set(first[2]) and (*first[:2], first[3]) == (*second[:2], second[3])


def _pruned(body: Any) -> Any:
    """A body without the members that are null."""
    if isinstance(body, dict):
        return {key: _pruned(value) for key, value in body.items() if value is not None}
    if isinstance(body, list):
        return [_pruned(value) for value in body]
    return body


SAME = "same"
OF_REQUESTS: tuple[tuple[str, Callable[[Request, Request], bool]], ...] = (
    (SAME, operator.eq),
    (WHY["ABSENT"], _differ_by_null),
    (WHY["EMPTY_BODY"], _has_an_empty_body),
    (WHY["FORM"], _lost_members),
    (WHY["REUSED"], _lacks_parameters),
    (WHY["UNKNOWN_FIELD"], _has_fewer_fields),
    (WHY["LITERAL"], _has_own_expression),
    (WHY["LOST_OUTPUT"], _has_null_for_a_value),
)
"""What two requests can differ by, and the section that decides."""
