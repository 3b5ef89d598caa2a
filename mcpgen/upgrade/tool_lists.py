"""Tool definitions whose arguments are no JSON Schema → definitions with an `inputSchema`, and
schemas of older drafts without the keywords that their draft ignores.

Arguments are a list, `[{name, type, desc}]` (Docker's MCP registry), a mapping, `{name: {type,
description}}` (Cohere's first API, Bedrock's action groups, smolagents, LangChain's `args`), or
missing, for a tool that takes any text (OpenAI's custom tools).

A schema with `$schema` ignores keywords of later drafts, and before 2019-09 all beside a `$ref`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..load.definitions import INPUT_KEYS, entries, schema_of, unwrapped
from ..load.document import Document
from ..load.values import as_list, as_object, as_text, keywords
from ..runtime.pointer import escape
from .schema import MISSPELT_TYPES
from .walk import CHILDREN, children, definition_roots, definitions

Schema = dict[str, Any]

REQUIRED_UNLESS_SAID = frozenset(("args", "arguments", "inputs"))
"""Keys whose arguments are required if none has a `required` flag, and the argument has no default.
Under other keys arguments are optional.
"""
MEANS_REQUIRED = {"required": True, "optional": False, "nullable": False}
"""The flags of an argument → the value with which it is required."""
NO_KEYWORDS = frozenset(("name", "desc", *MEANS_REQUIRED))
"""Keys of such an argument that are not keywords of a schema."""
WORDS_OF_A_SCHEMA = ("type", "description", "title", "$ref")
LISTS_OF_A_SCHEMA = ("type", "enum", "anyOf", "oneOf", "allOf")
GENERIC = re.compile(r"(?:typing\.)?(\w+)\[(.*)\]", re.S)
"""A generic type of Python, as `List[str]`, with its parameters."""
LONGEST_TYPE = 200
"""Characters of a type of Python's that is read."""

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


def convert(document: Document) -> None:
    """Give tools whose arguments are no JSON Schema an `inputSchema`, in place, and log the
    moves.
    """
    for root, pointer in definition_roots(document):
        for entry, entry_pointer in entries(root, pointer) or ():
            tool, at = unwrapped(entry, entry_pointer)
            arguments, written = schema_of(tool, at, INPUT_KEYS)
            schema = input_schema(tool, as_text(as_object(entry).get("type")))
            if schema is None:
                continue
            tool["inputSchema"] = schema
            for name, _, key in _members(arguments):
                here = f"{at}/inputSchema/properties/{escape(name)}"
                document.moved.append((here, f"{written}/{key}"))


def input_schema(tool: Schema, kind: str) -> Schema | None:
    """Return the schema of a tool whose arguments are given without a schema; None for a tool with
    a schema, and for a tool without arguments. `kind` is the `type` of its entry.
    """
    arguments, written = schema_of(tool, "", INPUT_KEYS)
    if not written:
        return _any_text(tool, kind)
    if not _are_arguments(arguments):
        return None
    members = list(_members(arguments))
    unless_said = written.removeprefix("/") in REQUIRED_UNLESS_SAID
    if any(type(argument.get("required")) is bool for _, argument, _ in members):
        unless_said = False
    schema: Schema = {"type": "object", "properties": {}}
    required = []
    for name, argument, _ in members:
        schema["properties"][name] = _schema(argument)
        if _is_required(argument, unless_said=unless_said):
            required.append(name)
    if required:
        schema["required"] = required
    return schema


def _are_arguments(node: Any) -> bool:
    """Return whether a value lists arguments, or maps names to schemas and is no schema itself."""
    if type(node) is list:
        return any(type(as_object(item).get("name")) is str for item in node)
    if as_object(node).keys() <= CHILDREN["schema"].keys():
        return False
    return all(map(_is_argument, node.values()))


def _is_argument(node: Any) -> bool:
    argument = as_object(node)
    if any(type(argument.get(word)) is str for word in WORDS_OF_A_SCHEMA):
        return True
    return any(type(argument.get(word)) is list for word in LISTS_OF_A_SCHEMA)


def _members(arguments: Any) -> Iterator[tuple[str, Schema, str]]:
    """Yield (name, argument, key in the document) of each argument of a mapping or a list."""
    for name, argument in as_object(arguments).items():
        yield name, argument, escape(name)
    for index, argument in enumerate(as_list(arguments)):
        listed = as_object(argument).get("name")
        if type(listed) is str:
            yield listed, argument, str(index)


def _is_required(argument: Schema, *, unless_said: bool) -> bool:
    for flag, meaning in MEANS_REQUIRED.items():
        if type(argument.get(flag)) is bool:
            return argument[flag] is meaning
    if "default" in argument:
        return False
    if as_text(argument.get("type")).startswith("Optional["):
        return False
    return unless_said


def _schema(argument: Schema) -> Schema:
    """Return the schema of an argument: its keywords, `desc` as `description`. `required` stays if
    it is a list.
    """
    schema = {
        key: value
        for key, value in argument.items()
        if key not in NO_KEYWORDS or type(value) is list
    }
    if type(argument.get("desc")) is str:
        schema.setdefault("description", argument["desc"])
    if type(schema.get("type")) is str:
        schema = {**_type(schema.pop("type")), **schema}
    return schema


def _type(written: str) -> Schema:
    """Return the schema of a type of JSON Schema or Python: `List[str]` → an array of strings."""
    name, inner = written.strip(), ""
    if len(name) > LONGEST_TYPE:
        return {"type": name}
    generic = GENERIC.fullmatch(name)
    if generic is not None:
        name, inner = generic[1], generic[2]
    word = name.lower()
    if word == "any":
        return {}
    if word == "optional" and inner:
        return _type(inner)
    kind = MISSPELT_TYPES.get(word, name)
    if kind == "array" and inner:
        return {"type": kind, "items": _type(inner)}
    return {"type": kind}


def _any_text(tool: Schema, kind: str) -> Schema | None:
    """Return the schema of OpenAI's custom tools, a text `input`, perhaps of a grammar; None for
    another kind.
    """
    if kind != "custom":
        return None
    text: Schema = {"type": "string"}
    wanted = as_object(tool.get("format"))
    grammar = as_object(wanted.get("grammar")) or wanted
    definition = as_text(grammar.get("definition"))
    if definition:
        text["description"] = f"{as_text(grammar.get('syntax'))} grammar: {definition}".strip()
    return {"type": "object", "properties": {"input": text}, "required": ["input"]}


def draft_of(schema: Any) -> int:
    """Return the draft that `$schema` names, as a number: 4, 6, 7, 2019 or 2020; 2020 without a
    known one.
    """
    uri = as_text(as_object(schema).get("$schema"))
    if "json-schema.org" not in uri:
        return LATEST
    number = re.search(r"draft(?:-0|/)?(\d+)", uri)
    if number is None:
        return LATEST
    return int(number[1])


def remove_later_keywords(document: Document) -> None:
    """Remove from the schemas of tools and of a JSON Schema the keywords that their draft ignores,
    in place.
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
    """Return the keywords in a schema that a draft ignores."""
    if draft < 2019 and type(node.get("$ref")) is str:
        return keywords(node, BESIDE_A_REFERENCE)
    return [key for key in node if KNOWN_SINCE.get(key, 0) > draft]
