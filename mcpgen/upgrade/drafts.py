"""Keywords that an older draft of JSON Schema does not have, removed before the schema is read as
2020-12.

A schema with `$schema` means that draft: it ignores keywords of later drafts, and before 2019-09
everything beside a `$ref`. Sources: the release notes of draft-06, draft-07, 2019-09 and 2020-12.
"""

from __future__ import annotations

import re
from typing import Any

from ..load.document import Document
from ..load.values import as_object, as_text, keywords
from .walk import CHILDREN, children, definitions

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


BESIDE_A_REFERENCE = ("$ref", "$defs", "definitions", "title", "description", "$schema")
"""Keywords that are kept in a schema with a `$ref` before 2019-09."""


def draft_of(schema: Any) -> int:
    """The draft a schema names: 4, 6, 7, 2019 or 2020 (also where it names none)."""
    uri = as_text(as_object(schema).get("$schema"))
    if "json-schema.org" not in uri:
        return LATEST
    number = re.search(r"draft(?:-0|/)?(\d+)", uri)
    if number is None:
        return LATEST
    return int(number[1])


def remove_later_keywords(document: Document) -> None:
    """Remove from every schema of a list of tools or a JSON Schema what its draft does not have; in
    place.
    """
    for _, schema, _ in definitions(document):
        draft = draft_of(schema)
        if draft < LATEST:
            _remove_later_keywords(schema, draft)


def _remove_later_keywords(root: dict[str, Any], draft: int) -> None:
    pending: list[Any] = [root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if type(node) is not dict or id(node) in seen:
            continue
        seen.add(id(node))
        for key in _later_keywords(node, draft):
            del node[key]
        for key, value in node.items():
            if key in CHILDREN["schema"]:
                shape, _ = CHILDREN["schema"][key]
                pending += [child for child, _ in children(shape, value)]


def _later_keywords(node: dict[str, Any], draft: int) -> list[str]:
    """The keywords of one schema that a draft ignores."""
    if draft < 2019 and type(node.get("$ref")) is str:
        return keywords(node, BESIDE_A_REFERENCE)
    return [key for key in node if KNOWN_SINCE.get(key, 0) > draft]
