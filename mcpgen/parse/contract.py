"""The exact schema of a tool that the user implements: standing alone, without texts, checked
before it is used.

The model sees a projection of a schema; a call is checked against the schema itself. What is
bundled here says exactly what the document says (JSON Schema 2020-12 after `upgrade`), whatever the
projection had to leave out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .naming import digest

if TYPE_CHECKING:
    from ..ir import Schema
    from .schema import Reader

TEXTS = frozenset(
    "$schema $id $anchor $dynamicAnchor $comment $vocabulary title description default deprecated"
    " example examples readOnly writeOnly externalDocs xml discriminator contentSchema"
    " contentEncoding contentMediaType".split()
)
"""Keywords that say something to readers, or give a name to a place; none refuses a value."""
MAPS = ("properties", "patternProperties", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES = (
    "items additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not"
    " if then else".split()
)
IN_PLACE = ("allOf", "anyOf", "oneOf")
OPENERS = ("additionalProperties", "unevaluatedProperties")
OBJECT_RULES = frozenset("minProperties propertyNames patternProperties".split())


def bundle(reader: Reader, schema: Any) -> Schema:
    """A schema with everything it refers to under its own `$defs` (2020-12 core, section 9.3)."""
    names: dict[str, str] = {}
    definitions: dict[str, Any] = {}

    def target(ref: str) -> str:
        found, at = reader.resolve(ref)
        if at not in names:
            stem = re.sub(r"[^A-Za-z0-9_.-]", "_", at.rsplit("/", 1)[-1])[:60] or "root"
            name = stem if stem not in definitions else f"{stem}_{digest(at)}"
            names[at] = name
            definitions[name] = {}
            definitions[name] = copied(found, target)
        return f"#/$defs/{names[at]}"

    whole = copied(schema, target)
    if not isinstance(whole, dict):
        whole = {} if whole else {"not": {}}
    return {**whole, "$defs": definitions} if definitions else whole


def copied(node: Any, target: Any) -> Any:
    """A schema without texts and definitions, its references passed through `target`."""
    if not isinstance(node, dict):
        return node if isinstance(node, bool) else {}
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in TEXTS or key in ("$defs", "definitions") or key.startswith("x-"):
            continue
        if key == "$ref" and isinstance(value, str):
            out[key] = target(value)
        elif key in MAPS and isinstance(value, dict):
            out[key] = {name: copied(child, target) for name, child in value.items()}
        elif key in LISTS and isinstance(value, list):
            out[key] = [copied(child, target) for child in value]
        elif key in SINGLES and isinstance(value, (dict, bool)):
            out[key] = copied(value, target)
        else:
            out[key] = value
    return out


def fault(contract: Schema) -> str:
    """Why a contract is no valid schema, or nothing."""
    import jsonschema_rs

    if any("$dynamicRef" in node for node in nodes(contract)):
        return "`$dynamicRef` cannot be carried over; write `$ref`"
    try:
        options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
        jsonschema_rs.Draft202012Validator(contract, pattern_options=options, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return str(getattr(error, "message", "") or error).split("\n")[0][:200]
    return ""


def nodes(contract: Schema) -> Iterator[dict[str, Any]]:
    """Every object in a contract."""
    pending: list[Any] = [contract]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending += node.values()
        elif isinstance(node, list):
            pending += node


def places(contract: Schema) -> Iterator[Schema]:
    """Every schema that applies to the arguments themselves: the root, its branches and what they
    refer to.
    """
    pending: list[Any] = [contract]
    seen: set[int] = set()
    while pending:
        node = pending.pop(0)
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        ref = node.get("$ref")
        if isinstance(ref, str) and ref.startswith("#/$defs/"):
            pending.append(contract.get("$defs", {}).get(ref.removeprefix("#/$defs/")))
        for key in IN_PLACE:
            pending += node[key] if isinstance(node.get(key), list) else []
        pending += [node.get(key) for key in ("if", "then", "else")]
        pending += (
            list(node["dependentSchemas"].values())
            if isinstance(node.get("dependentSchemas"), dict)
            else []
        )


def known_names(contract: Schema) -> list[str]:
    """Every argument the contract names, in order."""
    found: dict[str, None] = {}
    for node in places(contract):
        if isinstance(node.get("properties"), dict):
            found |= dict.fromkeys(node["properties"])
        if isinstance(node.get("required"), list):
            found |= dict.fromkeys(name for name in node["required"] if isinstance(name, str))
    return list(found)


def is_open(contract: Schema) -> bool:
    """Whether the contract takes arguments it does not name, and says so.

    JSON Schema takes any further property where nothing is said. For the arguments of a tool that
    is hardly ever meant: a misspelt one would be lost. So it has to be said, by
    `additionalProperties`, a pattern, or rules on names alone.
    """
    for node in places(contract):
        if any(node.get(key, False) is not False for key in OPENERS) or "patternProperties" in node:
            return True
    return not known_names(contract) and any(
        OBJECT_RULES & node.keys() for node in places(contract)
    )
