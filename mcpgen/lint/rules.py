"""OpenAPI's rules beyond its official schemas: references resolve, names are declared,
parameters are unique.

This is for a document after `upgrade`: each rule looks at one object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from ..load.document import Document, UnresolvedReference
from ..load.references import References
from ..load.values import TYPES, as_list, as_object, as_text, is_number, listed_types
from ..parse.schema import is_of_type
from ..problems import Problems
from ..runtime.facts.pointer import escape
from ..upgrade.walk import Kind, pointer, walk
from .structure import CODE, LimitedReport, stands_twice, twins
from .wording import any_of

Fault: TypeAlias = tuple[str, str]
"""The pointer of a fault below its object, and the message."""

COMPONENT = re.compile(r"[a-zA-Z0-9._-]+")
"""The name of a component (OpenAPI 3.0.3, section 4.7.7)."""
_BOUNDS = [(f"min{noun}", f"max{noun}") for noun in ("imum", "Length", "Items", "Properties")]
"""Keywords of which the first is at most the second."""
_VARIABLE = re.compile(r"\{([^{}]+)\}")


def check_rules(document: Document, problems: Problems) -> None:
    """Report what breaks a rule."""
    if not document.describes_api:
        return
    rules = _Rules(document, problems)
    report = LimitedReport(problems, "faults that the official schema cannot say")
    for kind, node, at in walk(document):
        for suffix, message in rules.faults(kind, node, pointer(at)):
            report.add(CODE, "warning", message, pointer=f"{pointer(at)}{suffix}")
    report.end()


def check_nullable(document: Document, problems: Problems) -> None:
    """Note each `nullable` of which other tools make nothing (OpenAPI 3.0.3, section 4.7.24). This
    is for a document before `upgrade`, which makes null of it.
    """
    if not document.version.startswith("3.0"):
        return
    report = LimitedReport(problems, "uses of `nullable` without `type`")
    for kind, node, at in walk(document):
        if kind != "schema" or node.get("nullable") is not True or "type" in node:
            continue
        report.add(
            "E0321",
            "note",
            "`nullable` means nothing without `type`: read as if `null` were allowed",
            pointer=document.written(f"{pointer(at)}/nullable"),
            place=document.place(f"{pointer(at)}/nullable"),
            hint="write `type` beside it",
        )
    report.end()


class _Rules:
    """The rules of a document's version."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.references = References(document, problems)
        self.is_before_31 = document.version.startswith(("2", "3.0"))

    def faults(self, kind: Kind, node: dict[str, Any], at: str) -> Iterator[Fault]:
        """Yield the faults of one object."""
        self.reference(node, at)
        if kind == "schema":
            yield from self.schema(node, at)
            yield from self.enum(node)
        elif kind == "components":
            yield from self.components(node)
        elif kind in ("document", "path_item", "operation"):
            yield from self.servers(node)
            yield from self.parameters(node)
        if kind in ("parameter", "media_type") and {"example", "examples"} <= node.keys():
            yield "", "`example` and `examples` exclude each other"
        if kind == "document":
            yield from self.paths(node)
            yield from self.tags(node)

    def reference(self, node: dict[str, Any], at: str) -> None:
        """A reference leads somewhere; this has a code of its own."""
        try:
            self.document.deref(node, at)
        except UnresolvedReference as error:
            self.references.report_dangling(error, at)

    def schema(self, node: dict[str, Any], at: str) -> Iterator[Fault]:
        """Arrays have items, patterns can be read, and mapped names exist."""
        types = listed_types(node.get("type"))
        for least, most in _BOUNDS:
            bounds = [node[key] for key in (least, most) if is_number(node.get(key))]
            if len(bounds) == 2 and bounds[0] > bounds[1]:
                yield f"/{least}", f"`{least}` is greater than `{most}`: no value fits"
        if node.get("readOnly") is True and node.get("writeOnly") is True:
            yield "/writeOnly", "`readOnly` and `writeOnly` exclude each other"
        if self.is_before_31:
            if "array" in types and node.keys().isdisjoint(("items", "prefixItems")):
                yield "", "`items` is missing"
        elif not _regex().is_valid(node.get("pattern", "")):
            yield "/pattern", f"`{json.dumps(node['pattern'])[:60]}` is not a valid `regex`"
        mapping = as_object(as_object(node.get("discriminator")).get("mapping"))
        for name, ref in mapping.items():
            if as_text(ref).startswith("#/"):
                self.mapped(ref, f"{at}/discriminator/mapping", escape(name))

    def enum(self, node: dict[str, Any]) -> Iterator[Fault]:
        """An enum has values, each once and of a type that the schema allows."""
        if node.get("enum") == []:
            yield "/enum", "`enum` must not be empty"
        values = as_list(node.get("enum"))
        for index in twins(values):
            yield f"/enum/{index}", stands_twice(values[index])
        types = [name for name in listed_types(node.get("type")) if name in TYPES]
        others = [value for value in values if not any(is_of_type(value, name) for name in types)]
        if types and others:
            shown = ", ".join(json.dumps(value, ensure_ascii=False)[:60] for value in others[:3])
            at = values.index(others[0])
            yield f"/enum/{at}", f"`{shown}` is not {any_of(types)}"

    def paths(self, node: dict[str, Any]) -> Iterator[Fault]:
        """A path has no query (OpenAPI 3.2, section 4.8.2: its grammar)."""
        for route in as_object(node.get("paths")):
            if "?" in route:
                message = "a path ends before `?`: describe what follows as query parameters"
                yield f"/paths/{escape(route)}", message

    def tags(self, node: dict[str, Any]) -> Iterator[Fault]:
        """The name of a tag is declared once."""
        tags = as_list(node.get("tags"))
        for index in twins([as_object(tag).get("name") for tag in tags]):
            yield f"/tags/{index}", stands_twice(tags[index])

    def mapped(self, ref: str, at: str, key: str) -> None:
        """Report a discriminator's mapping to a schema that does not exist."""
        try:
            self.document.resolve(ref)
        except UnresolvedReference as error:
            self.references.report_dangling(error, at, key)

    def components(self, node: dict[str, Any]) -> Iterator[Fault]:
        """Names have no character that a reference would have to escape."""
        if not self.document.version.startswith("3.0"):
            return
        sections = [section for section in node if not section.startswith("x-")]
        for section in sections:
            for name in as_object(node[section]):
                if not COMPONENT.fullmatch(name):
                    shown = json.dumps(name)[:60]
                    message = f"the name `{shown}` does not match `^{COMPONENT.pattern}$`"
                    yield f"/{escape(section)}/{escape(name)}", message

    def servers(self, node: dict[str, Any]) -> Iterator[Fault]:
        """Every variable of a URL is declared, with a default among its values."""
        for index, entry in enumerate(as_list(node.get("servers"))):
            server = as_object(entry)
            variables = as_object(server.get("variables"))
            for name in _VARIABLE.findall(as_text(server.get("url"))):
                if name not in variables:
                    yield f"/servers/{index}/url", f"the variable `{name[:60]}` is not declared"
            if self.is_before_31:
                continue
            for name, variable in variables.items():
                values = as_list(as_object(variable).get("enum"))
                default = as_object(variable).get("default")
                if values and default not in values:
                    message = "`default` is none of the values of `enum`"
                    yield f"/servers/{index}/variables/{escape(name)}/default", message

    def parameters(self, node: dict[str, Any]) -> Iterator[Fault]:
        """A parameter, which is its name and its place, stands once in a list."""
        parameters = [self.references.peek(each) for each in as_list(node.get("parameters"))]
        for index in twins([[each.get("name"), each.get("in")] for each in parameters]):
            if as_text(parameters[index].get("name")):
                yield f"/parameters/{index}", stands_twice(parameters[index])


@cache
def _regex() -> Any:
    """Return a validator for regular expressions of ECMA-262."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"format": "regex"}, validate_formats=True)
