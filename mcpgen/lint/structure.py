"""Check a document against the official JSON Schema of its OpenAPI version; `rules` checks what the
schema cannot state.

Findings are warnings, and errors in `mcpgen lint`. The check comes before `upgrade`, which rewrites
the document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

from ..load.definitions import SOURCES
from ..load.document import FILES, Document
from ..load.values import as_object, without
from ..problems import Problem, Problems, Severity
from ..runtime.pointer import escape
from .alternatives import Peers, relevant_errors

LIMIT = 100
"""Findings of one run; a document with more has one mistake many times."""
CODE = "E0304"
SHOWN = 60
"""Characters of a value or a name that are shown."""
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_DIALECTS = (JSON_SCHEMA, "https://spec.openapis.org/oas/3.")
"""Beginnings of `jsonSchemaDialect` for schemas that are JSON Schema 2020-12."""
_OF_KEYS = ("missing", "unexpected")
"""Faults that may occur several times in an object; any other value is faulty once."""
_UNEXPECTED = ("additionalProperties", "unevaluatedProperties")
_COMPONENTS = re.compile("/components/[^/]+")
_JSON = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
_TYPES = {
    **{"object": "an object", "array": "a list", "string": "text", "boolean": "true or false"},
    **{"null": "null", "integer": "an integer"},
}
_SPELT = re.compile(r"true|false|-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?")
"""A boolean or a number as JSON writes it, without an exponent."""
_SPELT_TYPES: dict[type, set[str]] = {
    bool: {"boolean"},
    int: {"integer", "number"},
    float: {"number"},
}


@dataclass(frozen=True, slots=True)
class SchemaViolation:
    """A violation of the official schema: its pointer, message and kind of fault. `key` is the key
    that is missing or unexpected. `number`: a number instead of a text. `text`: a text that spells
    the expected value.
    """

    pointer: str
    message: str
    fault: Literal["missing", "unexpected", "number", "text", "other"] = "other"
    key: str = ""


def check(document: Document, problems: Problems, *, severity: Severity = "warning") -> None:
    """Report what the official schema of the document's version forbids (E0304): the first `LIMIT`.
    A schema that cannot be applied is a note.
    """
    if not document.describes_api:
        return
    try:
        first = list(islice(findings(document), LIMIT + 1))
    except ValueError as error:
        reason = str(error)[:SHOWN]
        problems.note("E0305", f"the structure could not be checked: {reason}")
        return
    for finding in first[:LIMIT]:
        # Later a pointer may lead elsewhere: `upgrade` moves what it reads.
        place = document.place(finding.pointer)
        pointer = document.written(finding.pointer)
        problems.add(CODE, severity, finding.message, pointer=pointer, place=place)
    if len(first) > LIMIT:
        problems.note("E0305", f"of the faults of the structure, the first {LIMIT} are told")


def findings(document: Document) -> Iterator[SchemaViolation]:
    """Yield every finding of the official schema, in the validator's order and without repeats.
    Raises ValueError if a pattern of the schema takes too many steps.
    """
    root = without(document.root, (FILES, SOURCES))
    dialect = str(root.get("jsonSchemaDialect", JSON_SCHEMA))
    validator = _schema(document.version[:3], dialect.startswith(_DIALECTS))
    if validator.is_valid(root):
        return
    seen: set[SchemaViolation] = set()
    places: set[str] = set()
    for peers in relevant_errors(validator.iter_errors(root)):
        for finding in _findings_of(peers, document):
            says_less = finding.fault not in _OF_KEYS and finding.pointer in places
            if finding in seen or says_less:
                continue
            seen.add(finding)
            places.add(finding.pointer)
            yield finding


@cache
def _schema(version: str, with_schemas: bool) -> Any:
    """Return the compiled official schema of a version, from the copies openapi-spec-validator
    ships; since 3.1 it leaves Schema Objects to their dialect, which may be JSON Schema 2020-12.
    """
    import jsonschema_rs

    package = find_spec("openapi_spec_validator")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("openapi_spec_validator", name="openapi_spec_validator")
    folder = Path(package.origin).parent / "resources" / "schemas" / f"v{version}"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    definitions = schema.get("$defs", {})
    if "path-item-or-reference" in definitions:  # 3.1 §4.8.9: fields may be beside the `$ref`
        definitions["path-item-or-reference"] = {"$ref": "#/$defs/path-item"}
        definitions["path-item"]["properties"]["$ref"] = {"type": "string"}
    components = definitions.get("components", {})
    for rule in components.get("patternProperties", {}).values():
        # One error for all names: each of several would hold a copy of all components
        rule["patternProperties"] = {rule.pop("propertyNames")["pattern"]: True}
        rule["additionalProperties"] = False
    if with_schemas:
        definitions.get("schema", {})["$ref"] = JSON_SCHEMA
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
    return jsonschema_rs.validator_for(schema, pattern_options=options)


def _findings_of(peers: Peers, document: Document) -> Iterator[SchemaViolation]:
    """Yield the findings of one error, or of several about one place."""
    error = peers[0]
    pointer = "".join(f"/{escape(str(part))}" for part in error.instance_path)
    kind, detail = error.kind.name, error.kind.as_dict()
    names = detail.get("unexpected", []) if kind in _UNEXPECTED else ["$ref"]
    if "$ref" in names and "$ref" in as_object(document.at(pointer)):
        # Whatever else is wrong there follows from it.
        message = "`$ref` may not stand here"
        yield SchemaViolation(f"{pointer}/$ref", message, "unexpected", "$ref")
        return
    match kind:
        case "additionalProperties" if _COMPONENTS.fullmatch(pointer):
            for name in names:
                message = f"the name {short(name)} does not match `^[a-zA-Z0-9._-]+$`"
                yield SchemaViolation(f"{pointer}/{escape(name)}", message)
        case "additionalProperties" | "unevaluatedProperties":
            for name in names:
                message = f"unexpected key `{name[:SHOWN]}`"
                yield SchemaViolation(f"{pointer}/{escape(name)}", message, "unexpected", name)
        case "required":
            name = detail["property"]
            yield SchemaViolation(pointer, f"`{name}` is missing", "missing", name)
        case "propertyNames":
            wrong = detail["error"]
            at = f"{pointer}/{escape(str(wrong.instance))}"
            yield SchemaViolation(at, f"the name {_wording([wrong])}")
        case "uniqueItems":
            for index in _repeated(error.instance):
                message = f"item {index} stands in the list twice"
                yield SchemaViolation(f"{pointer}/{index}", message)
        case _:
            fault = _fault_of_value(error.instance, _types(peers))
            yield SchemaViolation(pointer, _wording(peers), fault)


def _repeated(items: list[Any]) -> Iterator[int]:
    """Yield the indexes of items equal to an earlier item."""
    seen = set()
    for index, item in enumerate(items):
        text = json.dumps(item, sort_keys=True)
        if text in seen:
            yield index
        seen.add(text)


def _wording(peers: Peers) -> str:
    """Return a validation error in the user's words, or what several expect at one place."""
    error = peers[0]
    match error.kind.name:
        case "type":
            types = " or ".join(_TYPES.get(name, f"a {name}") for name in _types(peers))
            given = _JSON.get(type(error.instance), "a number")
            return f"{_subject(error)} must be {types}, not {given}"
        case "enum":
            options = chain.from_iterable(each.kind.options for each in peers)
            names = dict.fromkeys(map(_plain, options))
            return f"{short(error.instance)} is not one of {', '.join(names)}"
        case "pattern":
            return f"{short(error.instance)} does not match `{error.kind.pattern[:SHOWN]}`"
        case "minItems" | "minProperties":
            return f"{_subject(error)} must not be empty"
    return str(error.message)[:200]


def _subject(error: Any) -> str:
    last = error.instance_path[-1] if error.instance_path else "the document"
    return f"`{last[:SHOWN]}`" if isinstance(last, str) else f"item {last}"


def _plain(option: Any) -> str:
    return f"`{option if isinstance(option, str) else json.dumps(option)}`"


def short(value: Any) -> str:
    """Return the first `SHOWN` characters of a value as JSON, in backticks."""
    return f"`{json.dumps(value, ensure_ascii=False)[:SHOWN]}`"


def _types(peers: Peers) -> list[str]:
    """Return the types that are allowed, for errors of the keyword `type`."""
    types: list[str] = []
    for error in peers:
        if error.kind.name == "type":
            names = error.kind.as_dict()["types"]
            types += [names] if isinstance(names, str) else names
    return list(dict.fromkeys(types))


def _fault_of_value(value: Any, types: list[str]) -> Literal["number", "text", "other"]:
    """Return `number` for a number that must be a text, `text` for a text that spells an expected
    number or boolean (`"50"`), else `other`.
    """
    if type(value) in (int, float) and "string" in types:
        return "number"
    if type(value) is str and _SPELT.fullmatch(value):
        kinds = _SPELT_TYPES[type(json.loads(value))]
        if not kinds.isdisjoint(types):
            return "text"
    return "other"


_LOST = "E0203"
"""The code of dangling references: skipped operations are reported later."""


def tell_once(document: Document, problems: Problems) -> None:
    """Drop from `problems`, in place, all but the last of equal problems at one place, or of one
    dangling reference. A finding of the official schema is dropped if the place has another
    problem, which becomes an error if the finding was one.
    """
    subjects: dict[tuple[str, str, str], Problem] = {}
    others = set()
    errors = set()
    for problem in problems:
        place = _place(document, problem)
        message = "" if problem.code == _LOST else problem.message
        subjects.pop((place, problem.code, message), None)
        subjects[place, problem.code, message] = problem
        if problem.code != CODE:
            others.add(place)
        elif problem.severity == "error":
            errors.add(place)
    problems.items[:] = [
        replace(problem, severity="error") if place in errors else problem
        for (place, code, _), problem in subjects.items()
        if code != CODE or place not in others
    ]


def _place(document: Document, problem: Problem) -> str:
    if problem.place is not None:
        return problem.pointer
    return document.written(problem.pointer)
