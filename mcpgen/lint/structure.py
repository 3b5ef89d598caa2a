"""Is the document what its OpenAPI version allows, by the official JSON Schema of that version?

It takes milliseconds, and looks at the structure alone; `values` looks at the defaults of schemas.
Findings inform: they are warnings unless the caller is strict. This is for a document before
`upgrade`, which changes what it looks at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..load.definitions import SOURCES
from ..load.document import FILES, Document
from ..problems import Problems, Severity
from ..runtime.pointer import child, escape

LIMIT = 100
"""Findings of one run; a document with more has one mistake many times."""
CODE = "E0304"
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?")
"""A number as JSON writes it, without an exponent."""

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
Peers: TypeAlias = list[Any]
"""Validation errors that expect something at the same place; nearly always one."""
_OF_KEYS = ("missing", "unexpected")
"""Faults that one object may have several of; any other value is wrong once."""
_ALTERNATIVES = ("oneOf", "anyOf", "oneOfNotValid", "oneOfMultipleValid", "falseSchema", "not")
_IN_PLACE = frozenset("$ref allOf anyOf oneOf if then else dependentSchemas".split())
"""Keywords whose schemas are about the same value."""
_UNEXPECTED = ("additionalProperties", "unevaluatedProperties")


@dataclass(frozen=True, slots=True)
class Finding:
    """What the official schema does not allow: its pointer, the message, and the key that is
    missing there, or should not be there. `number` is one where a text belongs, `text` spells what
    belongs there, and `type` is no type of JSON Schema.
    """

    pointer: str
    message: str
    fault: Literal["missing", "unexpected", "number", "text", "type", "other"] = "other"
    key: str = ""


def check(document: Document, problems: Problems, *, severity: Severity = "warning") -> None:
    """Report what the official schema of the document's version does not allow."""
    if not document.describes_api:
        return
    try:
        for finding in islice(findings(document), LIMIT):
            if finding.fault == "type":
                continue  # `upgrade` reports it, with the type that is meant
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
    errors = [peers for error in validator.iter_errors(root) for peers in telling(error)]
    firsts = [error for error, *_ in errors]
    for peers in errors:
        for finding in _findings_of(peers, root):
            says_less = finding.fault not in _OF_KEYS and finding.pointer in places
            if finding in seen or says_less or _follows(peers[0], firsts):
                continue
            seen.add(finding)
            places.add(finding.pointer)
            yield finding


def _follows(error: Any, others: list[Any]) -> bool:
    """Whether keys are unexpected only because a part of the same schema that knows them failed
    in the same object for another reason (JSON Schema 2020-12, section 11.3).
    """
    if error.kind.name != "unevaluatedProperties":
        return False
    above, place = list(error.evaluation_path[:-1]), list(error.instance_path)
    inside = [each for each in others if list(each.instance_path[: len(place)]) == place]
    routes = [list(each.evaluation_path) for each in inside]
    below = [route[len(above)] for route in routes if route[: len(above)] == above]
    return not _IN_PLACE.isdisjoint(below)


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


def _findings_of(peers: Peers, root: Any) -> Iterator[Finding]:
    """What one error says, or several about one place."""
    error = peers[0]
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
    elif _is_number_for_text(peers):
        yield Finding(pointer, wording(peers), "number")
    elif _is_spelt(peers):
        yield Finding(pointer, wording(peers), "text")
    else:
        yield Finding(pointer, wording(peers), "type" if _is_schema_type(error) else "other")


def _is_schema_type(error: Any) -> bool:
    if error.kind.name != "enum":
        return False
    return {"array", "object"} <= set(map(str, error.kind.as_dict().get("options", ())))


def _is_number_for_text(peers: Peers) -> bool:
    if type(peers[0].instance) not in (int, float):
        return False
    return "string" in _types_of(peers)


def _is_spelt(peers: Peers) -> bool:
    """Whether a text is a number, true or false where one of these belongs: `"50"`."""
    text = peers[0].instance
    if type(text) is not str:
        return False
    types = _types_of(peers)
    if text in ("true", "false"):
        return "boolean" in types
    if not NUMBER.fullmatch(text):
        return False
    return "number" in types or ("integer" in types and "." not in text)


def _types_of(peers: Peers) -> list[str]:
    """The types that are allowed, for errors of the keyword `type` and one of two booleans."""
    types: list[str] = []
    for error in peers:
        detail = error.kind.as_dict()
        if error.kind.name == "type":
            names = detail.get("types", [])
            types += [names] if isinstance(names, str) else names
        elif detail.get("options") in ([True], [False]):
            types.append("boolean")
    return list(dict.fromkeys(types))


def telling(error: Any) -> list[Peers]:
    """The errors that tell most, of alternatives that all failed: those of the one that was meant,
    or comes closest. What each of them expects at one place is one error.
    """
    context = getattr(error.kind, "context", None) or ()
    branches = [errors for errors in map(_beside_references, context) if errors]
    if not branches:
        return [[error]]
    depth = len(error.instance_path) + 1
    others = [[each for each in branch if _is_of_another(each, depth)] for branch in branches]
    meant = [branch for branch, other in zip(branches, others, strict=True) if not other]
    peers = [errors[0] for errors in meant or others]
    if all(len(branch) == 1 for branch in meant) and _expect_at_one_place(peers):
        return [peers]
    closest = max(meant or branches, key=_closeness)
    return [peers for each in closest for peers in telling(each)]


def _beside_references(errors: Iterable[Any]) -> list[Any]:
    """The errors of a branch; every object that is no reference also fails to be one."""
    return [each for each in errors if getattr(each.kind, "property", None) != "$ref"]


def _is_of_another(error: Any, depth: int) -> bool:
    """Whether an error says that an object is of another kind: a parameter in another place, a
    security scheme of another type (OpenAPI 3.0, its JSON Schema).
    """
    if error.kind.name != "enum" or len(error.instance_path) != depth:
        return False
    return error.instance_path[-1] in ("in", "type")


def _expect_at_one_place(peers: list[Any]) -> bool:
    """Whether errors are about one value: its type, or which one it is."""
    about = {(error.kind.name, *error.instance_path) for error in peers}
    return len(about) == 1 and peers[0].kind.name in ("type", "enum")


def _closeness(errors: list[Any]) -> tuple[int, int]:
    """How close a document comes to an alternative: its errors are deep, and few."""
    return max(len(error.instance_path) for error in errors), -len(errors)


def wording(peers: Peers) -> str:
    """A validation error in the user's words, or what several expect at one place."""
    error = peers[0]
    kind, value = error.kind.name, error.instance
    detail = error.kind.as_dict()
    if kind == "type":
        return f"{_subject(error)}must be {_any_of(_types_of(peers))}, not {_kind_of(value)}"
    if kind == "enum":
        return f"{_short(value)} is not {_one_of(peers)}"
    if kind == "const":
        return f"{_subject(error)}must be {_short(detail.get('expected_value'))}"
    if kind == "pattern":
        return f"{_short(value)} does not match `{str(detail.get('pattern', ''))[:_SHOWN]}`"
    if kind == "minProperties":
        return f"{_subject(error)}must not be empty"
    if kind in _ALTERNATIVES:
        return f"{_short(value)} matches none of the allowed forms"
    return str(error.message)[:200]


def _one_of(peers: Peers) -> str:
    """The values that are expected at one place."""
    lists = [error.kind.as_dict().get("options") for error in peers]
    options = [item for each in lists if isinstance(each, list) for item in each]
    if not options:
        return "allowed"
    names = [item if isinstance(item, str) else json.dumps(item) for item in options[:10]]
    return f"one of {', '.join(f'`{name}`' for name in dict.fromkeys(names))}"


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
