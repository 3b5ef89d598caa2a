"""Does every schema allow its own default?

This is for a document after `upgrade`: every schema in it is JSON Schema 2020-12, whose patterns
are those of ECMA-262 (OpenAPI 3.1.1, section 4.8.24).
"""

from __future__ import annotations

from typing import Any

from ..load.document import Document
from ..load.values import objects_in
from ..parse.contract import bundle
from ..parse.schema import Reader
from ..problems import Problems
from ..upgrade.walk import pointer, walk
from .alternatives import telling
from .structure import CODE, LIMIT
from .wording import wording

MOST_WORK = 500_000
"""Schemas that are read for the defaults of one document, with those they refer to. Vendors'
documents need up to 60,000.
"""


def check_defaults(document: Document, problems: Problems) -> None:
    """Report the defaults that their schemas do not allow."""
    if not document.describes_api:
        return
    reader = Reader(document, Problems())  # `parse` reports references that point to nothing
    work = 0
    count = 0
    for kind, node, at in walk(document):
        if kind != "schema" or "default" not in node:
            continue
        if work > MOST_WORK:
            problems.note("E0305", f"defaults were compared up to here: {MOST_WORK:,} schemas")
            return
        contract = bundle(reader, node)
        work += sum(1 for _ in objects_in(contract))
        reason = _refusal(contract, node["default"])
        if not reason:
            continue
        problems.warn(CODE, f"the default {reason}", pointer=f"{pointer(at)}/default")
        count += 1
        if count >= LIMIT:
            return


def _refusal(contract: dict[str, Any], value: Any) -> str:
    """Why a schema does not allow a value, or nothing; a schema that is not valid allows any."""
    import jsonschema_rs

    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
    try:
        validator = jsonschema_rs.Draft202012Validator(
            contract, pattern_options=options, offline=True
        )
        for error in validator.iter_errors(value):
            return wording(telling(error)[0])
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        return ""
    return ""
