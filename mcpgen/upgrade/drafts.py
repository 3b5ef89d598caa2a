"""What an older draft of JSON Schema does not know: taken out before the schema is read as 2020-12.

A schema that says `$schema` means that draft. Keywords of later drafts are nothing to it, and
before 2019-09 so is everything beside a `$ref`. Sources: the release notes of draft-06, draft-07,
2019-09 and 2020-12.
"""

from __future__ import annotations

import re
from typing import Any

from ..load.document import Document
from .walk import CHILDREN, definitions

LATEST = 2020
KNOWN_SINCE = {
    "const": 6,
    "contains": 6,
    "propertyNames": 6,
    "if": 7,
    "then": 7,
    "else": 7,
    "dependentRequired": 2019,
    "dependentSchemas": 2019,
    "unevaluatedItems": 2019,
    "unevaluatedProperties": 2019,
    "minContains": 2019,
    "maxContains": 2019,
    "prefixItems": 2020,
}
"""Keyword → the draft that brought it; all others are as old as draft-04."""


def draft_of(schema: dict[str, Any]) -> int:
    """The draft a schema says it is written in: 4, 6, 7, 2019 or 2020 (also where it says
    nothing).
    """
    said = schema.get("$schema")
    found = (
        re.search(r"draft(?:-0|/)?(\d+)", said)
        if isinstance(said, str) and "json-schema.org" in said
        else None
    )
    return int(found[1]) if found else LATEST


def forget_what_came_later(document: Document) -> None:
    """Take out of every schema of a list of tools or a JSON Schema what its draft does not know; in
    place.
    """
    for _, schema, _ in definitions(document):
        draft = draft_of(schema) if isinstance(schema, dict) else LATEST
        if draft < LATEST:
            _forget(schema, draft)


def _forget(root: dict[str, Any], draft: int) -> None:
    table = CHILDREN["schema"]
    pending: list[Any] = [root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if type(node) is not dict or id(node) in seen:
            continue
        seen.add(id(node))
        if draft < 2019 and type(node.get("$ref")) is str:
            kept = ("$ref", "$defs", "definitions", "title", "description", "$schema")
            for key in [key for key in node if key not in kept]:
                del node[key]
        for key in [key for key in node if KNOWN_SINCE.get(key, 0) > draft]:
            del node[key]
        for key, value in node.items():
            shape = table.get(key, ("", ""))[0]
            if shape == "map" and type(value) is dict:
                pending += value.values()
            elif shape in ("list", "one_or_list") and type(value) is list:
                pending += value
            elif shape in ("one", "one_or_list"):
                pending.append(value)
