"""The exact schema of a tool that the user implements, without texts, checked before use.

The model sees a projection of a schema; a call is checked against what is bundled here, which says
exactly what the document says (JSON Schema 2020-12 after `upgrade`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..load.values import as_list, as_object, as_text, keywords, objects_in, texts_in
from . import naming

if TYPE_CHECKING:
    from ..ir import Schema
    from .schema import Reader

TEXTS = frozenset(
    "$schema $id $anchor $dynamicAnchor $recursiveAnchor $comment $vocabulary title description"
    " default deprecated example examples readOnly writeOnly externalDocs xml discriminator"
    " contentSchema contentEncoding contentMediaType".split()
)
"""Keywords that say something to readers, or give a name to a place; none refuses a value."""
LEFT_OUT = TEXTS | {"$defs", "definitions"}
MAPS = ("properties", "patternProperties", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES = (
    "items additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not"
    " if then else".split()
)
OPENERS = ("additionalProperties", "unevaluatedProperties")
OBJECT_RULES = frozenset("minProperties propertyNames patternProperties".split())


def bundle(reader: Reader, schema: Any) -> Schema:
    """Return a copy of a schema without texts, the targets of its references in its own `$defs`
    (2020-12 core, section 9.3). True becomes `{}`, False `{"not": {}}`.
    """
    names: dict[str, str] = {}
    definitions: dict[str, Any] = {}

    def target(ref: str) -> str:
        node, pointer = reader.resolve(ref)
        if pointer not in names:
            name = naming.definition_name(pointer.rsplit("/", 1)[-1])
            if name in definitions:
                name = f"{name}_{naming.digest(pointer)}"
            names[pointer] = name
            definitions[name] = {}
            definitions[name] = copied(node, target)
        return f"#/$defs/{names[pointer]}"

    whole = copied(schema, target)
    if whole is False:
        whole = {"not": {}}
    elif whole is True:
        whole = {}
    return {**whole, "$defs": definitions} if definitions else whole


def copied(node: Any, target: Callable[[str], str]) -> Any:
    """Return a copy of a schema without texts, extensions and definitions; `target` renames each
    `$ref`. Booleans are unchanged, other values that are no object are `{}`.
    """
    if isinstance(node, bool):
        return node
    out: dict[str, Any] = {}
    schema = as_object(node)
    for key in keywords(schema, LEFT_OUT):
        out[key] = _copied_value(key, schema[key], target)
    return out


def _copied_value(key: str, value: Any, target: Callable[[str], str]) -> Any:
    match value:
        case str() if key == "$ref":
            return target(value)
        case dict() if key in MAPS:
            return {name: copied(child, target) for name, child in value.items()}
        case list() if key in LISTS:
            return [copied(child, target) for child in value]
        case dict() | bool() if key in SINGLES:
            return copied(value, target)
        case _:
            return value


def fault(contract: Schema) -> str:
    """Return in one line why a contract is no valid schema, or that it has a `$dynamicRef`; empty
    if it is valid.
    """
    import jsonschema_rs

    if any(as_text(node.get("$dynamicRef")) for node in objects_in(contract)):
        return "`$dynamicRef` cannot be carried over; write `$ref`"
    try:
        options = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)
        jsonschema_rs.Draft202012Validator(contract, pattern_options=options, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return str(getattr(error, "message", "") or error).split("\n")[0][:200]
    return ""


def fault_of(value: Any, schema: Schema) -> str:
    """Return why a schema does not allow a value; empty if it does, and for a schema that cannot be
    compiled.
    """
    import jsonschema_rs

    try:
        jsonschema_rs.validate(schema, value)
    except jsonschema_rs.ValidationError as error:
        return str(error.message)
    except ValueError:  # a schema that the validator cannot compile, such as a pattern
        return ""
    return ""


def applied_schemas(contract: Schema) -> Iterator[Schema]:
    """Yield each schema that applies to the arguments themselves once: the root, its branches
    (`allOf`, `if`, …), and the definitions that these refer to.
    """
    definitions = contract.get("$defs", {})
    pending: list[Any] = [contract]
    seen: set[int] = set()
    while pending:
        node = pending.pop(0)
        if not isinstance(node, dict):
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        ref = as_text(node.get("$ref"))
        if ref.startswith("#/$defs/"):
            pending.append(definitions.get(ref.removeprefix("#/$defs/")))
        for key in ("allOf", "anyOf", "oneOf"):
            pending += as_list(node.get(key))
        pending += map(node.get, ("if", "then", "else"))
        pending += as_object(node.get("dependentSchemas")).values()


def known_names(contract: Schema) -> list[str]:
    """Return the arguments in `properties` or `required` of the applied schemas, in order, each
    once.
    """
    names: dict[str, None] = {}
    for node in applied_schemas(contract):
        names |= dict.fromkeys(as_object(node.get("properties")))
        names |= dict.fromkeys(texts_in(node.get("required")))
    return list(names)


def is_open(contract: Schema) -> bool:
    """Return whether the contract says that it takes further, unnamed arguments: by
    `patternProperties`, by `additionalProperties` or `unevaluatedProperties` other than false, or,
    if it names no argument, by `minProperties` or `propertyNames`.

    Where it says nothing, a further argument is taken for a misspelt one.
    """
    schemas = list(applied_schemas(contract))
    for node in schemas:
        if "patternProperties" in node:
            return True
        if any(node.get(key, False) is not False for key in OPENERS):
            return True
    if known_names(contract):
        return False
    return any(not OBJECT_RULES.isdisjoint(node) for node in schemas)
