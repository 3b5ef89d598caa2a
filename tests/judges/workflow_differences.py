"""What decides between two engines whose requests differ: the section of a specification.

Each reason is read off the two lists of requests and off what the other engine says about its own
steps; it is about the requests alone, and holds for whichever document.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from mcpgen.load.values import as_object

Request = tuple[str, str, tuple[tuple[str, str], ...], Any]
"""Method, path, query and body."""

ABSENT = (
    "the other engine sends null, or a path without its value, for an input that the caller did not"
    " give; a value that is not there is not null, and the API's schema does not take null (Arazzo"
    " 1.1, Criterion Object: `null` or undefined; OpenAPI 3.1 §4.8.12, Parameter Object)"
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
REUSED = (
    "the other engine does not send a parameter that is a Reusable Object (Arazzo 1.1, Reusable"
    " Object: a `reference` stands for the object in the components)"
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
    ours: list[Request],
    theirs: list[Request],
    errors: list[str],
    refused: bool,
    branch: int | None = None,
) -> str:
    """The section that decides, or nothing. `errors` are what the other engine says of its steps,
    `refused` is whether our server refused arguments of a step, `branch` how many steps there are
    up to the first with an action whose criteria read its answer.
    """
    if [_without_null(each) for each in ours] == [_without_null(each) for each in theirs]:
        return ABSENT
    if _pairwise(_lost_members, ours, theirs):
        return FORM
    if _pairwise(_lacks_parameters, ours, theirs):
        return REUSED
    if _pairwise(_has_fewer_fields, ours, theirs):
        return UNKNOWN_FIELD
    if _pairwise(_has_own_expression, ours, theirs):
        return LITERAL
    if refused and ours == theirs[: len(ours)]:
        return CHECKED
    if branch is not None and ours[:branch] == theirs[:branch]:
        return BRANCHED
    if errors and _is_part(theirs, ours):
        return f"{CRASH}: {errors[0][:160]}"
    return ""


def _pairwise(
    holds: Callable[[Request, Request], bool], ours: list[Request], theirs: list[Request]
) -> bool:
    return len(ours) == len(theirs) and all(map(holds, ours, theirs))


def _has_fewer_fields(ours: Request, theirs: Request) -> bool:
    """Whether a request is the other one, or that with fewer fields of its body."""
    first, second = _without_null(ours), _without_null(theirs)
    if first[:3] != second[:3]:
        return False
    if isinstance(first[3], dict) and isinstance(second[3], dict):
        return all(second[3].get(key) == value for key, value in first[3].items())
    if isinstance(first[3], list) and isinstance(second[3], list):
        return all(field in second[3] for field in first[3])
    return bool(first[3] == second[3])


def _has_own_expression(ours: Request, theirs: Request) -> bool:
    """Whether a request is ours, or one to the same place that has other texts where ours has some
    that only look like expressions.
    """
    texts = re.sub(r'"\$[A-Za-z]\w*\.[^"]*"', '"-"', json.dumps(_sorted(ours)))
    pattern = re.escape(texts).replace('"\\-"', '"[^"]*"')
    return re.fullmatch(pattern, json.dumps(_sorted(theirs))) is not None


def _sorted(request: Request) -> Any:
    return json.loads(json.dumps(request, sort_keys=True))


def _is_part(part: list[Request], whole: list[Request]) -> bool:
    """Whether requests stand in a list in the same order; others may stand between them."""
    remaining = iter(whole)
    return all(any(_lost_members(ours, each) for ours in remaining) for each in part)


def _without_null(request: Request) -> Request:
    method, path, query, body = request
    return method, re.sub(r"/(\{[^/{}]+\}|None)(?=/|$)", "/-", _filled(path)), query, _pruned(body)


def _filled(path: str) -> str:
    """A path whose numbers cannot be told from parameters that were not filled in."""
    return re.sub(r"/\d+(?=/|$)", "/-", unquote(path))


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
    first, second = _without_null(ours), _without_null(theirs)
    return set(second[2]) <= set(first[2]) and (*first[:2], first[3]) == (*second[:2], second[3])


def _pruned(body: Any) -> Any:
    """A body without the members that are null."""
    if isinstance(body, dict):
        return {key: _pruned(value) for key, value in body.items() if value is not None}
    if isinstance(body, list):
        return [_pruned(value) for value in body]
    return body
