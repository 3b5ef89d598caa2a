"""What OpenAPI demands and its official schemas do not say: references that lead somewhere, names
that are declared, parameters that stand once.

This is for a document after `upgrade`: each rule looks at one object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from ..load.document import Document, UnresolvedReference
from ..load.values import as_list, as_object, as_text, listed_types
from ..parse.schema import Reader
from ..problems import Problems
from ..runtime.pointer import escape
from ..upgrade.walk import Kind, pointer, walk
from .structure import CODE, LIMIT

Fault: TypeAlias = tuple[str, str]
"""The pointer of a fault below its object, and the message."""

COMPONENT = re.compile(r"[a-zA-Z0-9._-]+")
"""The name of a component (OpenAPI 3.0.3, section 4.7.7)."""
_VARIABLE = re.compile(r"\{([^{}]+)\}")


def check_rules(document: Document, problems: Problems) -> None:
    """Report what breaks a rule."""
    if not document.describes_api:
        return
    rules = _Rules(document, problems)
    count = 0
    for kind, node, at in walk(document):
        for suffix, message in rules.faults(kind, node, pointer(at)):
            problems.warn(CODE, message, pointer=f"{pointer(at)}{suffix}")
            count += 1
        if count >= LIMIT:
            return


class _Rules:
    """The rules of a document's version."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.reader = Reader(document, problems)
        self.is_before_31 = document.version.startswith(("2", "3.0"))

    def faults(self, kind: Kind, node: dict[str, Any], at: str) -> Iterator[Fault]:
        """What is wrong with one object."""
        self.reference(node, at)
        if kind == "schema":
            yield from self.schema(node, at)
        elif kind == "components":
            yield from self.components(node)
        elif kind in ("document", "path_item", "operation"):
            yield from self.servers(node)
            yield from self.parameters(node)

    def reference(self, node: dict[str, Any], at: str) -> None:
        """A reference leads somewhere; this has a code of its own."""
        try:
            self.document.deref(node, at)
        except UnresolvedReference as error:
            self.reader.report_dangling(error, at)

    def schema(self, node: dict[str, Any], at: str) -> Iterator[Fault]:
        """Arrays have items, patterns can be read, mapped names exist."""
        types = listed_types(node.get("type"))
        if self.is_before_31:
            if "array" in types and node.keys().isdisjoint(("items", "prefixItems")):
                yield "", "`items` is missing"
        elif not _regex().is_valid(node.get("pattern", "")):
            yield "/pattern", f"`{json.dumps(node['pattern'])[:60]}` is not a valid `regex`"
        mapping = as_object(as_object(node.get("discriminator")).get("mapping"))
        for name, ref in mapping.items():
            if as_text(ref).startswith("#/"):
                self.mapped(ref, f"{at}/discriminator/mapping", escape(name))

    def mapped(self, ref: str, at: str, key: str) -> None:
        """What a discriminator names exists."""
        try:
            self.document.resolve(ref)
        except UnresolvedReference as error:
            self.reader.report_dangling(error, at, key)

    def components(self, node: dict[str, Any]) -> Iterator[Fault]:
        """Names have no character that a reference would have to escape."""
        if self.document.version.startswith("3.0"):
            for section, members in node.items():
                for name in as_object(members):
                    if not COMPONENT.fullmatch(name) and not section.startswith("x-"):
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
            for name, variable in variables.items():
                values = as_list(as_object(variable).get("enum"))
                default = as_object(variable).get("default")
                if values and default not in values and not self.is_before_31:
                    message = "the default is none of the values of `enum`"
                    yield f"/servers/{index}/variables/{escape(name)}/default", message

    def parameters(self, node: dict[str, Any]) -> Iterator[Fault]:
        """A parameter, which is its name and its place, stands once in a list."""
        seen: set[tuple[str, str]] = set()
        for index, entry in enumerate(as_list(node.get("parameters"))):
            parameter = self.reader.peek(entry)
            name, place = as_text(parameter.get("name")), as_text(parameter.get("in"))
            if name and (name, place) in seen:
                yield f"/parameters/{index}", f"the parameter `{name[:60]}` stands twice"
            seen.add((name, place))


@cache
def _regex() -> Any:
    """What tells whether a text is a regular expression of ECMA-262."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"format": "regex"}, validate_formats=True)
