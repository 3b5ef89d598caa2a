"""Is the document what its OpenAPI version allows, by the official JSON Schema of that version?

It takes milliseconds, and looks at the structure alone; `values` looks at the defaults of schemas.
Findings inform: they are warnings unless the caller is strict. This is for a document before
`upgrade`, which changes what it looks at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ..load.definitions import SOURCES
from ..load.document import FILES, Document
from ..problems import Problems, Severity
from ..runtime.pointer import child, escape

LIMIT = 100
"""Findings of one run; a document with more has one mistake many times."""
CODE = "E0304"

_SHOWN = 60
_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
_ARTICLES = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "integer": "an integer",
}
_ALTERNATIVES = ("oneOf", "anyOf", "oneOfNotValid", "oneOfMultipleValid", "falseSchema", "not")
_UNEXPECTED = ("additionalProperties", "unevaluatedProperties")


@dataclass(frozen=True, slots=True)
class Finding:
    """What the official schema does not allow: its pointer, the message, and the key that is
    missing there, or should not be there. `number` is one where a text belongs.
    """

    pointer: str
    message: str
    fault: Literal["missing", "unexpected", "number", "other"] = "other"
    key: str = ""


def check(document: Document, problems: Problems, *, severity: Severity = "warning") -> None:
    """Report what the official schema of the document's version does not allow."""
    if not document.describes_api:
        return
    try:
        for finding in islice(findings(document), LIMIT):
            # Later a pointer may lead elsewhere: `upgrade` moves what it reads.
            place = document.place(finding.pointer)
            problems.add(CODE, severity, finding.message, pointer=finding.pointer, place=place)
    except ValueError as error:
        reason = str(error)[:_SHOWN]
        problems.note("E0305", f"the structure could not be checked: {reason}")


def findings(document: Document) -> Iterator[Finding]:
    """Every finding of the official schema, in the validator's order and without repeats. Raises
    ValueError where a pattern of the schema takes too many steps.
    """
    root = {key: value for key, value in document.root.items() if key not in (FILES, SOURCES)}
    validator = _schema(document.version[:3])
    if validator.is_valid(root):
        return
    seen: set[Finding] = set()
    places: set[str] = set()
    for error in validator.iter_errors(root):
        telling = innermost(error)
        for finding in _findings_of(telling, root):
            says_less = telling.kind.name in _ALTERNATIVES and finding.pointer in places
            if finding not in seen and not says_less:
                seen.add(finding)
                places.add(finding.pointer)
                yield finding


@cache
def _schema(version: str) -> Any:
    """The compiled official schema of a version, from the copies openapi-spec-validator ships.

    The package is found and not imported: that would take a tenth of a second.
    """
    import jsonschema_rs

    package = find_spec("openapi_spec_validator")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("openapi_spec_validator", name="openapi_spec_validator")
    folder = Path(package.origin).parent / "resources" / "schemas" / f"v{version}"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
    return jsonschema_rs.validator_for(schema, pattern_options=options)


def _findings_of(error: Any, root: Any) -> Iterator[Finding]:
    """What one error says."""
    pointer = "".join(f"/{escape(str(part))}" for part in error.instance_path)
    node = root
    for part in error.instance_path:
        node = child(node, str(part))
    if type(node) is dict and type(node.get("$ref")) is str:
        # Whatever else is wrong there follows from it.
        message = "`$ref` may not stand here"
        yield Finding(f"{pointer}/$ref", message, "unexpected", "$ref")
        return
    kind = error.kind.name
    if kind in _UNEXPECTED:
        for name in map(str, error.kind.as_dict().get("unexpected", ())):
            message = f"unexpected key `{name[:_SHOWN]}`"
            yield Finding(f"{pointer}/{escape(name)}", message, "unexpected", name)
    elif kind == "required":
        name = str(error.kind.as_dict().get("property", "?"))
        yield Finding(pointer, f"`{name}` is missing", "missing", name)
    elif _is_number_for_text(error):
        yield Finding(pointer, wording(error), "number")
    else:
        yield Finding(pointer, wording(error))


def _is_number_for_text(error: Any) -> bool:
    if type(error.instance) not in (int, float):
        return False
    return "string" in _types_of(error)


def _types_of(error: Any) -> list[str]:
    """The types that are allowed, for an error of the keyword `type`; else none."""
    if error.kind.name != "type":
        return []
    types = error.kind.as_dict().get("types", [])
    if isinstance(types, str):
        return [types]
    return list(types)


def innermost(error: Any) -> Any:
    """The most telling error of alternatives that all failed: the one deepest in the document."""
    while True:
        branches = getattr(error.kind, "context", None)
        inner: list[Any] = []
        for branch in branches or ():
            # Every object that is no reference also fails to be one.
            inner += [each for each in branch if getattr(each.kind, "property", None) != "$ref"]
        if not inner:
            return error
        error = max(inner, key=lambda each: len(each.instance_path))


def wording(error: Any) -> str:
    """A validation error in the user's words."""
    kind, value = error.kind.name, error.instance
    detail = error.kind.as_dict()
    if kind == "type":
        return f"{_subject(error)}must be {_any_of(_types_of(error))}, not {_kind_of(value)}"
    if kind == "enum":
        options = detail.get("options")
        if not isinstance(options, list):
            return f"{_short(value)} is not allowed"
        return f"{_short(value)} is not one of {', '.join(f'`{item}`' for item in options[:10])}"
    if kind == "pattern":
        return f"{_short(value)} does not match `{str(detail.get('pattern', ''))[:_SHOWN]}`"
    if kind == "minProperties":
        return f"{_subject(error)}must not be empty"
    if kind in _ALTERNATIVES:
        return f"{_short(value)} matches none of the allowed forms"
    return str(error.message)[:200]


def _any_of(names: list[str]) -> str:
    """Types of JSON Schema as a reader says them: `an object or null`."""
    return " or ".join(_ARTICLES.get(name, f"a {name}") for name in names)


def _kind_of(value: Any) -> str:
    return _KINDS.get(type(value), "a number")


def _subject(error: Any) -> str:
    """The key that has the wrong value, when it has one."""
    if not error.instance_path:
        return ""
    last = error.instance_path[-1]
    if not isinstance(last, str):
        return ""
    return f"`{last[:_SHOWN]}` "


def _short(value: Any) -> str:
    if type(value) in (dict, list):
        return _KINDS[type(value)]
    return f"`{json.dumps(value, ensure_ascii=False)[:_SHOWN]}`"
