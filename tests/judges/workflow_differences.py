"""What decides between two engines whose requests differ: the section of a specification.

Each reason is read off the two lists of requests and off what the other engine says about its own
steps; it is about the requests alone, and holds for whichever document.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

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
CHECKED = (
    "our server refuses a value that the API's schema does not take before it is sent, the other"
    " engine sends it (Arazzo 1.1, Step Object: parameters are those of the operation; OpenAPI 3.1"
    " §4.8.12, `schema`)"
)


def reason(ours: list[Request], theirs: list[Request], errors: list[str], refused: bool) -> str:
    """The section that decides, or nothing. `errors` are what the other engine says of its steps,
    `refused` is whether our server refused arguments of a step.
    """
    if _same(ours, theirs, _without_null):
        return ABSENT
    if _same(ours, theirs, _names_alone):
        return FORM
    if _same(ours, theirs, _without_query):
        return REUSED
    if len(ours) == len(theirs) and all(map(_has_fewer_fields, ours, theirs)):
        return UNKNOWN_FIELD
    if refused and ours == theirs[: len(ours)]:
        return CHECKED
    if errors and _is_part(theirs, ours):
        return f"{CRASH}: {errors[0][:160]}"
    return ""


def _same(ours: list[Request], theirs: list[Request], normal: Any) -> bool:
    return [normal(each) for each in ours] == [normal(each) for each in theirs]


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


def _is_part(part: list[Request], whole: list[Request]) -> bool:
    """Whether requests stand in a list in the same order; others may stand between them."""
    remaining = iter([_names_alone(each) for each in whole])
    return all(_names_alone(each) in remaining for each in part)


def _without_null(request: Request) -> Request:
    method, path, query, body = request
    return method, re.sub(r"/(\{[^/{}]+\}|None)(?=/|$)", "/-", _filled(path)), query, _pruned(body)


def _filled(path: str) -> str:
    """A path whose numbers cannot be told from parameters that were not filled in."""
    return re.sub(r"/\d+(?=/|$)", "/-", unquote(path))


def _names_alone(request: Request) -> Request:
    """A request in which only the first part of each name of a form or of a query counts."""
    method, path, query, body = request
    if isinstance(body, list) and all(isinstance(each, tuple) for each in body):
        body = sorted({str(name).partition("[")[0] for name, _ in body})
    names = tuple(sorted({name.partition("[")[0] for name, _ in query}))
    return method, path, tuple((name, "") for name in names), _pruned(body)


def _without_query(request: Request) -> Request:
    method, path, _, body = request
    return method, path, (), _pruned(body)


def _pruned(body: Any) -> Any:
    """A body without the members that are null."""
    if isinstance(body, dict):
        return {key: _pruned(value) for key, value in body.items() if value is not None}
    if isinstance(body, list):
        return [_pruned(value) for value in body]
    return body
