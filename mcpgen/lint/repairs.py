"""Repairs of a document as an OpenAPI Overlay, for the author to review.

What can be known from the document itself is written as an action; what only its author can know
(what an operation does) is written as a comment to fill in. Nothing is guessed that could change
what a request means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..http import CALLABLE_METHODS
from ..parse.naming import operation_words
from ..text import plain, visible

if TYPE_CHECKING:
    from ..load import Document


@dataclass(frozen=True, slots=True)
class Repair:
    """One action of an overlay: where (JSONPath, RFC 9535), what is merged in, and why. `known`:
    not a guess.
    """

    target: str
    update: dict[str, Any]
    why: str
    known: bool = True


def path(*keys: str) -> str:
    """A JSONPath of member names, each quoted (RFC 9535 §2.3.1)."""
    return "$" + "".join(f"[{_quoted(key)}]" for key in keys)


def _quoted(key: str) -> str:
    inner = json.dumps(key)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


def repairs(document: Document) -> list[Repair]:
    """Every repair the document as its author wrote it (not upgraded) can be given, in its
    order.
    """
    return [*_servers(document), *_operations(document), *_schemas(document)]


def _servers(document: Document) -> Iterator[Repair]:
    root = document.root
    named = root.get("servers") or root.get("host")
    if named:
        return
    version_2 = "swagger" in root
    update: dict[str, Any] = (
        {"host": "api.example.com", "schemes": ["https"]}
        if version_2
        else {"servers": [{"url": "https://api.example.com"}]}
    )
    yield Repair("$", update, "no server: which address does the API have?", known=False)


def _operations(document: Document) -> Iterator[Repair]:
    paths = document.root.get("paths")
    for route, item in paths.items() if isinstance(paths, dict) else ():
        if not isinstance(item, dict) or not route.startswith("/"):
            continue
        shared = _names(document, item.get("parameters"))
        for method in CALLABLE_METHODS:
            operation = item.get(method)
            if not isinstance(operation, dict):
                continue
            at = path("paths", route, method)
            label = f"{method.upper()} {visible(route)}"
            if (
                not isinstance(operation.get("operationId"), str)
                or not operation["operationId"].strip()
            ):
                first, *rest = operation_words(None, method, route)
                name = first + "".join(word.capitalize() for word in rest)
                yield Repair(at, {"operationId": name}, f"{label} has no operationId")
            declared = shared | _names(document, operation.get("parameters"))
            missing = [
                name
                for name in dict.fromkeys(re.findall(r"\{([^{}]+)\}", route))
                if name not in declared
            ]
            if missing:
                kind: dict[str, Any] = (
                    {"type": "string"}
                    if "swagger" in document.root
                    else {"schema": {"type": "string"}}
                )
                given = operation.get("parameters")
                parameters = [
                    {"name": name, "in": "path", "required": True, **kind} for name in missing
                ]
                why = f"{label} does not declare {', '.join(missing)}"
                if isinstance(given, list):
                    # An overlay appends an object to the array its target selects (Overlay 1.0
                    # §4.4.3.1).
                    for parameter in parameters:
                        yield Repair(path("paths", route, method, "parameters"), parameter, why)
                else:
                    yield Repair(at, {"parameters": parameters}, why)
            if not plain(operation.get("summary")) and not plain(operation.get("description")):
                yield Repair(
                    at,
                    {"summary": "..."},
                    f"what does {label} do? One sentence that starts with a verb",
                    known=False,
                )


def _names(document: Document, parameters: Any) -> set[str]:
    """The names of the path parameters in a list."""
    from ..load import UnresolvedReference

    found = set()
    for index, entry in enumerate(parameters) if isinstance(parameters, list) else ():
        try:
            parameter, _ = document.deref(entry, str(index))
        except UnresolvedReference:
            continue
        if (
            isinstance(parameter, dict)
            and parameter.get("in") == "path"
            and isinstance(parameter.get("name"), str)
        ):
            found.add(parameter["name"])
    return found


def _schemas(document: Document) -> Iterator[Repair]:
    """Component schemas that list properties but no type, or require what they do not have."""
    components = document.root.get("components")
    holder = (
        components.get("schemas")
        if isinstance(components, dict)
        else document.root.get("definitions")
    )
    start = ("components", "schemas") if isinstance(components, dict) else ("definitions",)
    for name, schema in holder.items() if isinstance(holder, dict) else ():
        if not isinstance(schema, dict):
            continue
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            continue
        at = path(*start, name)
        if "type" not in schema and not any(
            key in schema for key in ("allOf", "oneOf", "anyOf", "$ref")
        ):
            yield Repair(at, {"type": "object"}, f"`{visible(name)}` has properties but no type")
        required = schema.get("required")
        composed = any(key in schema for key in ("allOf", "oneOf", "anyOf"))
        lost = (
            [key for key in required if isinstance(key, str) and key not in properties]
            if isinstance(required, list)
            else []
        )
        if lost and not composed:
            yield Repair(
                at,
                {"properties": {key: {} for key in lost}},
                f"`{visible(name)}` requires {', '.join(map(visible, lost))} without describing it:"
                " say what it is",
                known=False,
            )


def overlay(document: Document) -> str:
    """The repairs as an Overlay 1.0 document in YAML, each with its reason as a comment."""
    title = (
        plain(document.root.get("info", {}).get("title"))
        if isinstance(document.root.get("info"), dict)
        else ""
    )
    lines = [
        "overlay: 1.0.0",
        "info:",
        f"  title: {json.dumps('Repairs for ' + (title or document.source.name))}",
        '  version: "1"',
    ]
    found = repairs(document)
    lines.append("actions:" if any(repair.known for repair in found) else "actions: []")
    for repair in found:
        mark = "  " if repair.known else "  # "
        lines += [
            f"  # {' '.join(repair.why.split())}",
            f"{mark}- target: {json.dumps(repair.target)}",
            f"{mark}  update: {json.dumps(repair.update)}",
        ]
    return "\n".join(lines) + "\n"
