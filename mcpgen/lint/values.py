"""Do the defaults and the examples of a document fit their schemas?

This is for a document after `upgrade`: every schema in it is JSON Schema 2020-12, whose patterns
are those of ECMA-262 (OpenAPI 3.1.1, section 4.8.24). The validator reads the document once and
compiles each schema where it stands.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..load.document import Document, UnresolvedReference
from ..load.values import as_list, as_object
from ..parse.parameter import is_json
from ..problems import Problems
from ..runtime.facts.pointer import escape
from ..upgrade.walk import At, Kind, pointer, walk
from .alternatives import telling
from .structure import LimitedReport, pointer_of
from .wording import SHOWN, wording

CODE = "E0306"
KEYS = ("default", "example", "examples")
_URI = "urn:document"
_ONE_WAY = ("readOnly", "writeOnly")
"""Keywords of properties that requests, or answers, do not have."""


@dataclass(frozen=True, slots=True)
class Value:
    """A default or an example, with its pointer and that of the schema it should fit. What is
    wrong with it is at the pointer `fault`.
    """

    noun: Literal["default", "example"]
    value: Any
    pointer: str
    schema: str
    message: str = ""
    fault: str = ""


def check_values(document: Document, problems: Problems) -> None:
    """Report the defaults and the examples that their schemas do not allow."""
    reports = {noun: LimitedReport(problems, f"wrong {noun}s") for noun in ("default", "example")}
    try:
        for value in wrong_values(document):
            reports[value.noun].add(CODE, "warning", value.message, pointer=value.fault)
    except ValueError as error:
        reason = str(error)[:SHOWN]
        problems.note("E0305", f"defaults and examples could not be checked: {reason}")
    for report in reports.values():
        report.end()


def wrong_pointers(document: Document) -> list[str]:
    """The pointers of the wrong values, as the author wrote the document."""
    try:
        return [document.written(value.pointer) for value in wrong_values(document)]
    except ValueError:
        return []


def wrong_values(document: Document) -> Iterator[Value]:
    """The defaults and examples that their schemas do not allow. Raises ValueError for a document
    that the validator cannot read.
    """
    if not document.describes_api:
        return
    schemas = _Schemas(document)
    for kind, node, at in walk(document):
        if node.keys().isdisjoint(KEYS):
            continue
        for value in _values(document, kind, node, at):
            wrong = schemas.checked(value)
            if wrong is not None:
                yield wrong


def _values(document: Document, kind: Kind, node: dict[str, Any], at: At) -> Iterator[Value]:
    """Yield an object's values; the example of a media type other than JSON is its text."""
    if kind == "schema":
        return _values_of_schema(node, pointer(at))
    if kind == "parameter":
        return _examples_beside_schema(document, node, pointer(at))
    if kind == "media_type" and at is not None and is_json(at[1]):
        return _examples_beside_schema(document, node, pointer(at))
    return iter(())


def _values_of_schema(node: dict[str, Any], at: str) -> Iterator[Value]:
    if node.get("enum") == []:
        return  # which is the fault
    if "default" in node:
        yield Value("default", node["default"], f"{at}/default", at)
    for index, example in enumerate(as_list(node.get("examples"))):
        yield Value("example", example, f"{at}/examples/{index}", at)


def _examples_beside_schema(document: Document, node: dict[str, Any], at: str) -> Iterator[Value]:
    """The examples of a parameter, a header or a media type."""
    schema = f"{at}/schema"
    if "schema" not in node:
        return
    if "example" in node:
        yield Value("example", node["example"], f"{at}/example", schema)
    for name, entry in as_object(node.get("examples")).items():
        place = f"{at}/examples/{escape(name)}"
        try:
            example, target = document.deref(entry, place)
        except UnresolvedReference:
            continue
        for key in ("value", "dataValue"):
            if key not in as_object(example):
                continue
            if target == place:
                yield Value("example", example[key], f"{place}/{key}", schema)
            else:
                # Where the example itself stands it may be right for others.
                yield Value("example", example[key], f"{place}/$ref", schema)


class _Schemas:
    """The schemas of a document, by their pointers."""

    def __init__(self, document: Document) -> None:
        import jsonschema_rs

        self.document = document
        self.registry = jsonschema_rs.Registry(
            [(_URI, document.root)], draft=jsonschema_rs.Draft202012
        )

    def checked(self, value: Value) -> Value | None:
        """Explain the fault of a value; return None if its schema allows it or is not a valid
        schema.
        """
        import jsonschema_rs

        try:
            validator = jsonschema_rs.Draft202012Validator(
                {"$ref": f"{_URI}#{urllib.parse.quote(value.schema)}"},
                pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000),
                registry=self.registry,
                offline=True,
            )
            for error in validator.iter_errors(value.value):
                for peers in telling(error):
                    if not self._goes_one_way(peers[0]):
                        return _explained(value, peers)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
            return None
        return None

    def _goes_one_way(self, error: Any) -> bool:
        """Return whether an error is the lack of a property that only requests have, or only
        answers.
        """
        if error.kind.name != "required":
            return False
        holder = as_object(self.document.at(pointer_of(error.schema_path[:-1])))
        name = error.kind.as_dict().get("property")
        schema = as_object(as_object(holder.get("properties")).get(name))
        return any(schema.get(key) is True for key in _ONE_WAY)


def _explained(value: Value, peers: list[Any]) -> Value:
    """A value with what is wrong with it."""
    path = peers[0].instance_path
    message = f"the {value.noun} {wording(peers)}"
    fault = value.pointer
    if path:
        message = f"the {value.noun}'s {wording(peers)}"
    if path and not fault.endswith("/$ref"):
        fault += pointer_of(path)
    return replace(value, message=message, fault=fault)
