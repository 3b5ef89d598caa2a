"""Repairs of a document as an OpenAPI Overlay, for the author to review: of what `lint` reports,
and of what a server needs besides.

What follows from the document itself is written as an action. What only its author can know, such
as what an operation does, is a comment to fill in. No guess changes what a request means.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from ..load.document import UnresolvedReference
from ..load.methods import CALLABLE
from ..load.text import Limits
from ..load.values import as_list, as_object, as_text
from ..load.yaml import scalar
from ..parse.naming import verb_and_resource
from ..parse.servers import parameter_names
from ..runtime.pointer import child, split, unescape
from ..text import plain, visible, words
from ..upgrade.schema import MISSPELT_TYPES
from .structure import SchemaViolation, findings

if TYPE_CHECKING:
    from ..load import Document


MISSING: dict[str, Any] = {
    "description": "Not described.",
    "paths": {},
    "required": True,
    "responses": {"default": {"description": "Not described."}},
    "title": "API",
    "version": "0",
}
"""Key that a document must have → a value that changes no request."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One action of an overlay: its target (JSONPath, RFC 9535), the `update` merged into it, and
    why.

    * Without an `update` the target is removed.
    * `known` is False if only the author can complete the action.
    * `place` is the path of the faulty node, for a target that is a query.
    * `code` is the code of the problems mended: any if None, none if empty.
    """

    target: str
    update: dict[str, Any] | None
    why: str
    known: bool = True
    place: str = ""
    code: str | None = None


def path(*keys: str) -> str:
    """Return a JSONPath of member names, each quoted (RFC 9535 §2.3.1)."""
    return "$" + "".join(f"[{_quoted(key)}]" for key in keys)


def _quoted(key: str) -> str:
    inner = json.dumps(key)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


def repairs(document: Document) -> list[Repair]:
    """Return each repair of a document before `upgrade`: servers, operations, schema, defaults."""
    return [*_servers(document), *_operations(document), *_findings(document), *_defaults(document)]


def _findings(document: Document) -> Iterator[Repair]:
    """Yield repairs for violations of the official schema: an unexpected key is removed, a value is
    written if it is known, and anything else is left to the author.
    """
    if not document.describes_api:
        return
    for finding in findings(document):
        target = json_path(document, finding.pointer)
        why = f"{finding.pointer or 'the document'}: {finding.message}"
        if finding.fault == "unexpected" and finding.key != "$ref":
            yield Repair(target, None, why)
            continue
        update = _update(document, finding)
        if not update:
            yield Repair(target, {"...": "..."}, why, known=False)
            continue
        place = target
        if finding.fault != "missing":
            target = json_path(document, finding.pointer.rpartition("/")[0])
        yield Repair(target, update, why, place=place)


def _defaults(document: Document) -> Iterator[Repair]:
    """Yield removals of the defaults that are invalid for their schema; fewer if the check takes
    too many steps.
    """
    from .rules import TooManySteps, violations

    if document.describes_api:
        with suppress(TooManySteps):
            for pointer, message, _ in violations(document):
                if pointer.endswith("/default"):
                    yield Repair(json_path(document, pointer), None, f"{pointer}: {message}")


def _update(document: Document, finding: SchemaViolation) -> dict[str, Any]:
    """Return the keys to merge for a finding, empty if unknown: a required key that is missing,
    empty or false, a number as the text it is written with or the reverse, or a type's right name.
    """
    if finding.fault == "missing":
        return {key: MISSING[key] for key in MISSING if key == finding.key}
    above, _, token = finding.pointer.rpartition("/")
    key = unescape(token)
    holder = document.at(above)
    if type(holder) is not dict:
        return {}
    value = holder.get(key)
    if finding.fault == "number":
        text = _as_written(document, finding.pointer)
        return {key: text} if scalar(text, Limits()) == value else {}
    if value in ({}, False) and MISSING.get(key):
        return {key: MISSING[key]}
    if finding.fault == "text":
        return {key: json.loads(as_text(value))}
    if key != "type":
        return {}
    right = MISSPELT_TYPES.get(as_text(value))
    if right is None:
        return {}
    return {key: right}


def _as_written(document: Document, pointer: str) -> str:
    """Return the last word of a scalar in its file: a number without anchor and tag; any text for a
    node that the file does not have.
    """
    place = document.place(pointer)
    line = dict(place.excerpt).get(place.line, "")[place.column - 1 :]
    return "".join(line[: place.width].split()[-1:])


def json_path(document: Document, pointer: str) -> str:
    """Return the JSONPath of a pointer into the main file; empty if there is no such place."""
    target = "$"
    node: Any = document.root
    for token in split(pointer):
        if isinstance(node, list):
            target += f"[{token}]"
        else:
            target += f"[{_quoted(token)}]"
        try:
            node = child(node, token)
        except LookupError:
            return ""
    return target


def _servers(document: Document) -> Iterator[Repair]:
    root = document.root
    if root.get("servers") or root.get("host"):
        return
    update: dict[str, Any] = {"servers": [{"url": "https://api.example.com"}]}
    if "swagger" in root:
        update = {"host": "api.example.com", "schemes": ["https"]}
    yield Repair("$", update, "no server: which address does the API have?", known=False)


def _operations(document: Document) -> Iterator[Repair]:
    paths = as_object(document.root.get("paths"))
    items = {route: as_object(item) for route, item in paths.items() if route.startswith("/")}
    callable_ones = {route: _callable(item) for route, item in items.items()}
    names = {_name_of(operation) for each in callable_ones.values() for operation in each.values()}
    for route, operations in callable_ones.items():
        shared = _path_parameters(document, items[route].get("parameters"))
        for method, operation in operations.items():
            name = _name_of(operation)
            if not name:
                name = _operation_id(route, method, names)
                names.add(name)
                why = f"{method.upper()} {visible(route)} has no operationId"
                yield Repair(path("paths", route, method), {"operationId": name}, why, code="E0404")
            yield from _operation(document, route, method, operation, name, shared)


def _callable(item: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the operations of a path that can be called, by method."""
    return {method: item[method] for method in CALLABLE if type(item.get(method)) is dict}


def _name_of(operation: dict[str, Any]) -> str:
    return as_text(operation.get("operationId")).strip()


def _operation_id(route: str, method: str, names: set[str]) -> str:
    """Return an operationId that is not in `names` (OpenAPI 3.1, section 4.8.10): if needed with
    the path's parameters, and then with a number.
    """
    first, *rest = verb_and_resource(method, route)
    name = first + "".join(word.capitalize() for word in rest)
    if name not in names:
        return name
    parameters = ["".join(map(str.capitalize, words(each))) for each in parameter_names(route)]
    if parameters:
        name += "By" + "And".join(parameters)
    numbered = (f"{name}{number}" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in names)


def _operation(
    document: Document,
    route: str,
    method: str,
    operation: dict[str, Any],
    name: str,
    shared: set[str],
) -> Iterator[Repair]:
    """Yield the repairs of one operation, its name aside; `shared` are the parameters of its
    path.
    """
    label = f"{method.upper()} {visible(route)}"
    declared = shared | _path_parameters(document, operation.get("parameters"))
    # What stands behind the `?` of a path is read as a query parameter
    for parameter in dict.fromkeys(parameter_names(route.partition("?")[0])):
        if parameter not in declared:
            why = f"{label} does not declare {parameter}"
            repair = _declaration(document, route, operation, name, parameter, why)
            yield replace(repair, place=path("paths", route, method), code="E0404")
    if not any(plain(operation.get(key)) for key in ("summary", "description")):
        why = f"what does {label} do? One sentence that starts with a verb"
        update = {"summary": "..."}
        yield Repair(path("paths", route, method), update, why, known=False, code="")


def _declaration(
    document: Document, route: str, operation: dict[str, Any], name: str, parameter: str, why: str
) -> Repair:
    """Return the repair that adds a path parameter to the operation of that name. Its target is
    only an operation without the parameter: applied again, it changes nothing.
    """
    is_declared = f"@['parameters'][?@['name']=={_quoted(parameter)} && @['in']=='path']"
    target = f"{path('paths', route)}[?@['operationId']=={_quoted(name)} && !{is_declared}]"
    update = _text_parameter(document, parameter)
    if isinstance(operation.get("parameters"), list):
        return Repair(f"{target}['parameters']", update, why)
    return Repair(target, {"parameters": [update]}, why)


def _text_parameter(document: Document, name: str) -> dict[str, Any]:
    """Return a path parameter of type string, in the words of the document's version."""
    parameter: dict[str, Any] = {"name": name, "in": "path", "required": True}
    if "swagger" in document.root:
        parameter["type"] = "string"
    else:
        parameter["schema"] = {"type": "string"}
    return parameter


def _path_parameters(document: Document, parameters: Any) -> set[str]:
    """Return the names of the path parameters in a list, references followed."""
    names = set()
    for index, entry in enumerate(as_list(parameters)):
        try:
            parameter = as_object(document.deref(entry, str(index))[0])
        except UnresolvedReference:
            continue
        name = parameter.get("name")
        if parameter.get("in") == "path" and isinstance(name, str):
            names.add(name)
    return names


def overlay(document: Document, actions: list[Repair]) -> str:
    """Return the repairs as an Overlay 1.0 document in YAML, each with its reason as a comment;
    empty if none is known, as an overlay needs an action (Overlay 1.0, section 4.4.1).
    """
    if not any(repair.known for repair in actions):
        return ""
    title = plain(as_object(document.root.get("info")).get("title")) or document.source.name
    lines = [
        "overlay: 1.0.0",
        "info:",
        f"  title: {json.dumps('Repairs for ' + title)}",
        '  version: "1"',
        "actions:",
    ]
    return "\n".join(lines) + "\n" + action_text(actions)


def action_text(actions: Iterable[Repair]) -> str:
    """Return repairs as items of an overlay's `actions`; those that are not known are comments."""
    lines = []
    for repair in actions:
        indent = "  "
        if not repair.known:
            indent = "  # "
        change = "remove: true"
        if repair.update is not None:
            change = f"update: {json.dumps(repair.update)}"
        lines += [
            f"  # {' '.join(visible(repair.why).split())}",
            f"{indent}- target: {json.dumps(repair.target)}",
            f"{indent}  {change}",
        ]
    return "\n".join(lines) + "\n"
