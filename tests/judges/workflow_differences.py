"""What decides between two engines whose requests differ: the section of a specification.

Each reason is read off the two lists of requests and off what the other engine says about its own
steps; it is about the requests alone, and holds for whichever document.
"""

from __future__ import annotations

import contextlib
import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from mcpgen.load.values import as_object

_EMPTY = re.compile(r"\{[^/{}]+\}|None")
"""A part of a path that the other engine has no value for."""
Request = tuple[str, str, tuple[tuple[str, str], ...], Any]
"""Method, path, query and body."""

ABSENT = (
    "the other engine sends null, or a path without its value, for an input that the caller did not"
    " give; a value that is not there is not null, and the API's schema does not take null (Arazzo"
    " 1.1, Criterion Object: `null` or undefined; OpenAPI 3.1 §4.8.12, Parameter Object)"
)
EMPTY_BODY = (
    "the other engine sends no body where no member of it has a value, and the operation needs one:"
    " our server sends an object without members (OpenAPI 3.1 §4.8.13, Request Body Object,"
    " `required`; RFC 9110 §6.4)"
)
FORM = (
    "the other engine writes an object in a form or a query by the names of its members alone, so"
    " that the values are lost (Arazzo 1.1, Request Body Object: the operation says how a payload"
    " is serialised; OpenAPI 3.1 §4.8.15, Encoding Object)"
)
CRASH = (
    "the other engine ends with an error of its own before the request is made (Arazzo 1.1, Step"
    " Object: a step calls its operation, and the next one follows where the criteria are met)"
)
UNKNOWN_FIELD = (
    "our server does not send a field of a body that the operation's schema does not name, and says"
    " so when it is generated (E1541); a schema allows such a field (JSON Schema 2020-12 §10.3.2.3)"
)
LOST_OUTPUT = (
    "the other engine sends null for an expression that has a value, such as an output of a workflow"
    " that `dependsOn` names (Arazzo 1.1, Runtime Expressions: `$workflows.NAME.outputs`)"
)
REUSED = (
    "the other engine does not send a parameter that is a Reusable Object, or whose expression names"
    " an input by other characters than letters (Arazzo 1.1, Reusable Object: a `reference` stands"
    " for the object in the components; Runtime Expressions: `name = *( CHAR )`)"
)
JSON_TEXT = (
    "an input that is a text holds JSON where the API's schema takes an object or a list: our server"
    " sends what the text stands for, the other engine the text, which the schema does not take"
    " (JSON Schema Validation 2020-12 §6.1.1, `type`)"
)
UNKNOWN_PARAMETER = (
    "our server does not send a parameter or a body that the operation does not have, and says so"
    " when it is generated (E1541; OpenAPI 3.1 §4.8.10, Operation Object: `parameters` is the list"
    " of those that are applicable)"
)
BRANCHED = (
    "the other engine reads the criteria of an action without the answer of its step, so that it"
    " does not take the action (Arazzo 1.1, Success Action Object: `criteria` are assertions on the"
    " step's answer)"
)
LITERAL = (
    "the other engine has expressions of its own, which our server sends as the texts they are, and"
    " says so when it is generated (E1590; Arazzo 1.1, Runtime Expressions: the grammar)"
)
CHECKED = (
    "our server refuses a value that the API's schema does not take before it is sent, the other"
    " engine sends it (Arazzo 1.1, Step Object: parameters are those of the operation; OpenAPI 3.1"
    " §4.8.12, `schema`)"
)


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
        decided = _joined(ours, theirs, CHECKED)
    if branch is not None and len(ours[:branch]) == len(theirs[:branch]):
        decided = decided or _joined(ours[:branch], theirs[:branch], BRANCHED)
    if decided:
        return decided
    if errors and _is_part(theirs, ours):
        return f"{CRASH}: {errors[0][:160]}"
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
            return JSON_TEXT if section == SAME else f"{JSON_TEXT}; and {section}"
    if {name for name, _ in theirs[2]} < {name for name, _ in ours[2]}:
        section = _section(_with_query_of(ours, theirs), theirs)
        return f"{REUSED}; and {section}" if section else ""
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
    (ABSENT, _differ_by_null),
    (EMPTY_BODY, _has_an_empty_body),
    (FORM, _lost_members),
    (REUSED, _lacks_parameters),
    (UNKNOWN_FIELD, _has_fewer_fields),
    (LITERAL, _has_own_expression),
    (LOST_OUTPUT, _has_null_for_a_value),
)
"""What two requests can differ by, and the section that decides."""
