"""Tools of a server as Python stubs: the functions of a program, and their return types."""

from __future__ import annotations

import builtins
import json
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...package import Entry, Package, module_name
from ..search.finder import reads, sentence_of
from ..search.words import stems, words
from .source import ModuleSource, StubSignature

MOST_VALUES = 8
LIMITS_ROOM = 300
"""Characters for the limits of a tool's arguments."""
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matches {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "default": "default {}",
}
ADDRESSES = ("_url", "_urls", "_links", "node_id")
"""Endings of the field names that are least useful to a program."""
_NAME = re.compile(r"\b[A-Z]\w+\b")
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}


def function_name(tool: str) -> str:
    """Return the name of a tool in a program: neither a keyword nor the name of a builtin."""
    name = module_name(tool)
    if keyword.iskeyword(name) or hasattr(builtins, name):
        return f"{name}_"
    return name


class Stubs:
    """Stubs of one server's tools."""

    def __init__(self, package: Package) -> None:
        self._source = ModuleSource(package.folder)

    def signature(self, entry: Entry) -> StubSignature:
        """Return the signature of a tool: as the document's types say, or, of a tool of the user's
        own, as its schemas say.
        """
        signature = None
        if entry.contract is None and entry.own is None:
            module = entry.replaces or entry.module
            signature = self._source.signature(module, module_name(entry.name))
        return signature or signature_of(entry.tool)

    def stub(self, entry: Entry) -> str:
        """Return the Python text of a tool's function: signature, first sentence and limits."""
        signature = self.signature(entry)
        arguments = ", ".join(signature.parameters.values())
        if arguments:
            arguments = f"*, {arguments}"
        effect = "" if reads(entry.tool) else " (changes data)"
        limits = "".join(f"\n    {limit}" for limit in _within_limits(entry, signature))
        return (
            f"async def {function_name(entry.name)}({arguments}) -> {signature.returns}:\n"
            f'    """{_quoted(sentence_of(entry.tool) + effect + limits)}"""'
        )

    def details(self, entry: Entry) -> Iterator[str]:
        """Yield the details that a tool's stub omits: the rest of its text, and its arguments."""
        rest = str(entry.tool.get("description", "")).partition("\n")[2].strip()
        if rest:
            yield rest
        for name in self.signature(entry).parameters:
            schema = _argument(entry, name)
            if schema.get("description"):
                yield f"{name}: {schema['description']}"

    def types(self, entry: Entry, query: str, room: int, shown: set[str]) -> Iterator[str]:
        """Yield the TypedDicts in a tool's signature, outer types first, in about `room`
        characters. Types in `shown` are left out; new types are added to `shown`.

        An object lists the fields mentioned in the query first, then plain values, then objects;
        addresses come last.
        """
        signature = self.signature(entry)
        pending = self._names([signature.returns, *signature.parameters.values()])
        said = set(stems(words(query)))
        while pending and room > 0:
            name = pending.pop(0)
            fields = self._source.fields(name)
            if name in shown:
                continue
            if not fields:
                continue
            shown.add(name)
            kept = _within(self._ranked(fields, said), room)
            text = "; ".join(_field(field, fields[field]) for field in kept)
            if len(kept) < len(fields):
                text += f"  # and {len(fields) - len(kept)} more"
            room -= len(text)
            pending += self._names(fields[field] for field in kept)
            yield f"class {name}(TypedDict):\n    {text}"

    def _names(self, types: Iterable[str]) -> list[str]:
        """Return the names of TypedDicts in the texts of types, in order."""
        names = [name for text in types for name in _NAME.findall(text)]
        return [name for name in names if name in self._source.models]

    def _ranked(self, fields: Mapping[str, str], said: set[str]) -> list[str]:
        """Return the names of fields, the most useful first (as `types`); `said` are stems."""

        def rank(name: str) -> tuple[bool, bool, bool]:
            is_address = name.endswith(ADDRESSES)
            is_object = bool(self._names([fields[name]]))
            return (said.isdisjoint(stems(words(name))), is_address, is_object)

        return sorted(fields, key=rank)


def _field(name: str, type_: str) -> str:
    if name.isidentifier():
        return f"{name}: {type_}"
    return f'"{name}": {type_}'


def _argument(entry: Entry, name: str) -> dict[str, Any]:
    """Return the schema of an argument; an empty schema if it is `true` or absent."""
    schema = entry.tool["inputSchema"].get("properties", {}).get(name)
    return schema if isinstance(schema, dict) else {}


def limits_of(schema: Mapping[str, Any]) -> str:
    """Return the limits of an argument and its default: `at least 1, default 10`; empty without."""
    values = {key: json.dumps(schema[key], ensure_ascii=False) for key in _LIMITS if key in schema}
    return ", ".join(_LIMITS[key].format(value) for key, value in values.items())


def _within_limits(entry: Entry, signature: StubSignature) -> Iterator[str]:
    """Yield `name: limits` for each argument with limits, up to `LIMITS_ROOM` characters."""
    room = LIMITS_ROOM
    for name in signature.parameters:
        limits = limits_of(_argument(entry, name))
        if not limits:
            continue
        room -= len(name) + len(limits)
        if room > 0:
            yield f"{name}: {limits}"


def _quoted(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f"{text} " if text.endswith('"') else text


def _within(names: list[str], room: int) -> list[str]:
    """Return the first names that fit `room`, with 20 characters for each type; one at least."""
    count = 0
    for name in names:
        room -= len(name) + 20
        if room < 0:
            break
        count += 1
    return names[: max(count, 1)]


def signature_of(tool: Mapping[str, Any]) -> StubSignature:
    """Return the signature by a tool's schemas, for a tool without a generated function."""
    schema = tool["inputSchema"]
    definitions = schema.get("$defs", {})
    required = schema.get("required", ())
    parameters = {}
    for name, inner in schema.get("properties", {}).items():
        text = f"{name}: {type_of(inner, definitions)}"
        if name not in required:
            text += " = ..."
        parameters[name] = text
    ordered = sorted(parameters, key=lambda name: name not in required)
    output = tool.get("outputSchema") or {}
    inner = wrapped(output)
    returns = "Any"
    if inner is not None:
        returns = type_of(inner, output.get("$defs", {}))
    elif output:
        returns = type_of(output, output.get("$defs", {}))
    return StubSignature({name: parameters[name] for name in ordered}, returns)


def wrapped(output: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of the value in `{"result": value}`, the wrapper of a value that is no
    object; None for any other output schema.
    """
    properties = output.get("properties")
    if not isinstance(properties, dict) or list(properties) != ["result"]:
        return None
    inner = properties["result"]
    return inner if isinstance(inner, dict) else {}


def type_of(schema: Any, definitions: Mapping[str, Any], depth: int = 0) -> str:
    """Return a schema as a type, `Any` four levels down; an object: `{"id": int, "name?": str}`."""
    if not isinstance(schema, dict) or depth > 3:
        return "Any"
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return type_of(definitions.get(name), definitions, depth + 1)
    if isinstance(schema.get("enum"), list):
        values = ", ".join(repr(value) for value in schema["enum"][:MOST_VALUES])
        return f"Literal[{values}]"
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list):
        types = [type_of(branch, definitions, depth + 1) for branch in branches]
        return " | ".join(dict.fromkeys(types))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_TYPES.get(str(each), "Any") for each in kind)
    if kind == "array":
        return f"list[{type_of(schema.get('items'), definitions, depth + 1)}]"
    if kind == "object" and schema.get("properties"):
        return _object(schema, definitions, depth)
    return _TYPES.get(str(kind), "Any")


def _object(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> str:
    required = schema.get("required", ())
    members = []
    for name, inner in schema["properties"].items():
        key = name if name in required else f"{name}?"
        members.append(f'"{key}": {type_of(inner, definitions, depth + 1)}')
    return "{" + ", ".join(members) + "}"
