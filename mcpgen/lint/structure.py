"""Is the document what its OpenAPI version allows, by the official JSON Schema of that version?

It takes milliseconds, and looks at the structure alone.
Findings inform: they are warnings unless the caller is strict. This is for a document before
`upgrade`, which changes what it looks at.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ..load.definitions import SOURCES
from ..load.document import FILES, Document
from ..problems import Problems, Severity
from ..runtime.facts.pointer import escape
from .alternatives import Peers, telling
from .consequences import Consequences
from .wording import SHOWN, types_of, wording

LIMIT = 100
"""Findings of one run; a document with more has one mistake many times."""
CODE = "E0304"
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?")
"""A number as JSON writes it, without an exponent."""
JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_DIALECTS = (JSON_SCHEMA, "https://spec.openapis.org/oas/3.")
"""Beginnings of `jsonSchemaDialect` for schemas that are JSON Schema 2020-12."""
_OF_KEYS = ("missing", "unexpected")
"""Faults that one object may have several of; any other value is wrong once."""
_UNEXPECTED = ("additionalProperties", "unevaluatedProperties")


@dataclass(frozen=True, slots=True)
class SchemaViolation:
    """A violation of the official schema: its pointer, the message, and the key that is missing
    there, or should not be there. `number` is a number in place of a text, `text` a text
    that spells the expected value.
    """

    pointer: str
    message: str
    fault: Literal["missing", "unexpected", "number", "text", "other"] = "other"
    key: str = ""


def check(document: Document, problems: Problems, *, severity: Severity = "warning") -> None:
    """Report what the official schema of the document's version does not allow."""
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
    """Every finding of the official schema, in the validator's order and without repeats. Raises
    ValueError where a pattern of the schema takes too many steps.
    """
    root = {key: value for key, value in document.root.items() if key not in (FILES, SOURCES)}
    dialect = str(root.get("jsonSchemaDialect", JSON_SCHEMA))
    validator = _schema(document.version[:3], dialect.startswith(_DIALECTS))
    if validator.is_valid(root):
        return
    seen: set[SchemaViolation] = set()
    places: set[str] = set()
    errors = [peers for error in validator.iter_errors(root) for peers in telling(error)]
    consequences = Consequences(error for error, *_ in errors)
    for peers in errors:
        if peers[0] in consequences:
            continue
        for finding in _findings_of(peers, document):
            says_less = finding.fault not in _OF_KEYS and finding.pointer in places
            if finding in seen or says_less:
                continue
            seen.add(finding)
            places.add(finding.pointer)
            yield finding


@cache
def _schema(version: str, with_schemas: bool) -> Any:
    """The compiled official schema of a version, from the copies openapi-spec-validator ships;
    since 3.1 it leaves Schema Objects to their dialect, which may be JSON Schema 2020-12.

    The package is found and not imported: that would take a tenth of a second.
    """
    import jsonschema_rs

    package = find_spec("openapi_spec_validator")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("openapi_spec_validator", name="openapi_spec_validator")
    folder = Path(package.origin).parent / "resources" / "schemas" / f"v{version}"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    if with_schemas:
        schema.get("$defs", {}).get("schema", {})["$ref"] = JSON_SCHEMA
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
    return jsonschema_rs.validator_for(schema, pattern_options=options)


def _findings_of(peers: Peers, document: Document) -> Iterator[SchemaViolation]:
    """Yield the findings of one error, or of several about one place."""
    error = peers[0]
    pointer = pointer_of(error.instance_path)
    kind, detail = error.kind.name, error.kind.as_dict()
    names: list[str] = []
    if kind in _UNEXPECTED:
        names = [str(name) for name in detail.get("unexpected", ())]
    if _is_reference(document.at(pointer)) and ("$ref" in names or not names):
        # Whatever else is wrong there follows from it.
        message = "`$ref` may not stand here"
        yield SchemaViolation(f"{pointer}/$ref", message, "unexpected", "$ref")
    elif kind in _UNEXPECTED:
        for name in names:
            message = f"unexpected key `{name[:SHOWN]}`"
            yield SchemaViolation(f"{pointer}/{escape(name)}", message, "unexpected", name)
    elif kind == "propertyNames":
        wrong = detail["error"]
        at = f"{pointer}/{escape(str(wrong.instance))}"
        yield SchemaViolation(at, f"the name {wording([wrong])}")
    elif kind == "required":
        name = str(detail.get("property", "?"))
        yield SchemaViolation(pointer, f"`{name}` is missing", "missing", name)
    elif kind == "uniqueItems":
        for index in twins(error.instance):
            yield SchemaViolation(f"{pointer}/{index}", stands_twice(error.instance[index]))
    else:
        yield SchemaViolation(pointer, wording(peers), _fault_of_value(peers))


def pointer_of(path: Iterable[str | int]) -> str:
    """The JSON Pointer of a path of the validator's."""
    return "".join(f"/{escape(str(part))}" for part in path)


def _is_reference(node: Any) -> bool:
    return type(node) is dict and type(node.get("$ref")) is str


def twins(items: list[Any]) -> Iterator[int]:
    """The index where an item stands for the second time, for each that does."""
    count: Counter[str] = Counter()
    for index, item in enumerate(items):
        text = json.dumps(item, sort_keys=True)
        count[text] += 1
        if count[text] == 2:
            yield index


def stands_twice(item: Any) -> str:
    """The message about an item that stands in the list before; an object goes by its name."""
    name = json.dumps(item, ensure_ascii=False)
    if type(item) is dict:
        name = str(item.get("name", "the object"))
    return f"`{name[:SHOWN]}` stands twice"


def _fault_of_value(peers: Peers) -> Literal["number", "text", "other"]:
    if _is_number_for_text(peers):
        return "number"
    if _is_spelt(peers):
        return "text"
    return "other"


def _is_number_for_text(peers: Peers) -> bool:
    if type(peers[0].instance) not in (int, float):
        return False
    return "string" in types_of(peers)


def _is_spelt(peers: Peers) -> bool:
    """Return whether a text is a number, true or false where one of these belongs: `"50"`."""
    text = peers[0].instance
    if type(text) is not str:
        return False
    types = types_of(peers)
    if text in ("true", "false"):
        return "boolean" in types
    if not NUMBER.fullmatch(text):
        return False
    kinds = {"number"} if "." in text else {"number", "integer"}
    return not kinds.isdisjoint(types)
