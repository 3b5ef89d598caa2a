"""The tables of OpenAPI objects and their children, and the walk over them.

Only children in the tables are visited: a property called `nullable` is a property, an `example` no
schema, and extensions are left alone. A reference is followed with the kind of its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from ..load.definitions import SOURCES, schemas
from ..load.document import Document, UnresolvedReference
from ..load.methods import PATH_ITEM
from ..load.values import SCHEMA_MAPS
from ..runtime.pointer import escape, split

Kind: TypeAlias = Literal[
    "document",
    "components",
    "path_item",
    "operation",
    "parameter",
    "request_body",
    "response",
    "media_type",
    "encoding",
    "callback",
    "schema",
]
Shape: TypeAlias = Literal["one", "list", "map", "fields", "one_or_list"]
At: TypeAlias = "tuple[At, str] | None"
"""A place as a chain of keys, which is cheaper to carry than a pointer; `pointer` writes it out."""

_SCHEMA_LISTS = "allOf anyOf oneOf prefixItems"
_SCHEMAS = (
    "additionalProperties unevaluatedProperties unevaluatedItems additionalItems contains"
    " propertyNames not if then else contentSchema"
)
CHILDREN: dict[Kind, dict[str, tuple[Shape, Kind]]] = {
    "document": {
        "paths": ("fields", "path_item"),
        "webhooks": ("map", "path_item"),
        "components": ("one", "components"),
    },
    "components": {
        "schemas": ("map", "schema"),
        "parameters": ("map", "parameter"),
        "headers": ("map", "parameter"),
        "requestBodies": ("map", "request_body"),
        "responses": ("map", "response"),
        "callbacks": ("map", "callback"),
        "pathItems": ("map", "path_item"),
        "mediaTypes": ("map", "media_type"),
    },
    "path_item": {
        "parameters": ("list", "parameter"),
        "additionalOperations": ("map", "operation"),
        **dict.fromkeys(PATH_ITEM, ("one", "operation")),
    },
    "operation": {
        "parameters": ("list", "parameter"),
        "requestBody": ("one", "request_body"),
        "responses": ("fields", "response"),
        "callbacks": ("map", "callback"),
    },
    "parameter": {"schema": ("one", "schema"), "content": ("map", "media_type")},
    "request_body": {"content": ("map", "media_type")},
    "response": {"headers": ("map", "parameter"), "content": ("map", "media_type")},
    "media_type": {
        "schema": ("one", "schema"),
        "itemSchema": ("one", "schema"),
        "encoding": ("map", "encoding"),
        "itemEncoding": ("one", "encoding"),
        "prefixEncoding": ("list", "encoding"),
    },
    "encoding": {"headers": ("map", "parameter"), "encoding": ("map", "encoding")},
    "schema": {
        "items": ("one_or_list", "schema"),
        **dict.fromkeys((*SCHEMA_MAPS, "dependencies"), ("map", "schema")),
        **dict.fromkeys(_SCHEMA_LISTS.split(), ("list", "schema")),
        **dict.fromkeys(_SCHEMAS.split(), ("one", "schema")),
    },
}


def pointer(at: At) -> str:
    """Return the JSON Pointer of a place; empty for None."""
    parts = []
    while at is not None:
        at, key = at
        parts.append(escape(key))
    return "".join("/" + part for part in reversed(parts))


def place_of(written: str) -> At:
    """Return the place of a JSON Pointer; None for an empty pointer."""
    at: At = None
    for key in split(written):
        at = (at, key)
    return at


def walk(document: Document) -> Iterator[tuple[Kind, dict[str, Any], At]]:
    """Yield (kind, object, place) of every object of the document once, parents before children,
    and of the targets of references.

    The caller may change the object in place; its children are looked up afterwards. Other values
    than objects are skipped.
    """
    seen: set[tuple[int, Kind]] = set()
    stack: list[tuple[Kind, Any, At]] = [("document", document.root, None), *definitions(document)]
    while stack:
        kind, node, at = stack.pop()
        if type(node) is not dict or (id(node), kind) in seen:
            continue
        seen.add((id(node), kind))
        yield kind, node, at
        if kind == "callback":
            _push(stack, ("fields", "path_item"), node, at)
        else:
            table = CHILDREN[kind]
            for key in reversed(node):
                if key in table:
                    _push(stack, table[key], node[key], (at, key))
        ref = node.get("$ref")
        if type(ref) is not str:
            continue
        try:
            target, written = document.resolve_one(ref)
        except UnresolvedReference:
            continue
        if (id(target), kind) not in seen:
            stack.append((kind, target, place_of(written)))


def definitions(document: Document) -> Iterator[tuple[Kind, Any, At]]:
    """Yield the schemas of tool definitions, of the document itself or of those beside it, as
    `walk` does: `schema`, the schema, its place.
    """
    for root, pointer_of_root in definition_roots(document):
        for schema, at, _ in schemas(root, pointer_of_root):
            yield "schema", schema, place_of(at)


def definition_roots(document: Document) -> Iterator[tuple[Any, str]]:
    """Yield (root, pointer) of each document that holds tool definitions; none for a single API
    description.
    """
    beside = document.root.get(SOURCES)
    if type(beside) is not list:
        if not document.describes_api:
            yield document.root, ""
        return
    for entry in beside:
        try:
            yield document.deref(entry, "")
        except UnresolvedReference:
            continue


def _push(stack: list[tuple[Kind, Any, At]], entry: tuple[Shape, Kind], value: Any, at: At) -> None:
    """Put the children that a table entry names on the stack, the last first."""
    shape, kind = entry
    for child, key in reversed(children(shape, value)):
        place = at
        if key is not None:
            place = (at, key)
        stack.append((kind, child, place))


def children(shape: Shape, value: Any) -> list[tuple[Any, str | None]]:
    """Return (value, key) for the values below a keyword of a shape; key None: the value itself.
    Empty for a value of another shape. `fields` are a map without its extensions.
    """
    if type(value) is list:
        if shape not in ("list", "one_or_list"):
            return []
        return [(item, str(index)) for index, item in enumerate(value)]
    if type(value) is not dict:
        return []
    if shape == "list":
        return []
    if shape == "map":
        return [(child, key) for key, child in value.items()]
    if shape == "fields":
        return [(child, key) for key, child in value.items() if not key.startswith("x-")]
    return [(value, None)]
