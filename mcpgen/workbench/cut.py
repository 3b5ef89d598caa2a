"""Parts of the document that a tool's list entry omits: fields, sentences and values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..ir import Schema, Tool
from ..load import Document
from ..load.document import UnresolvedReference
from ..load.operations import DocumentedOperation
from ..load.values import as_list, as_object, as_text
from ..render.whole import whole_input
from ..text import plain, sentences
from .bench import Bench

DEEPEST = 5
KINDS = ("field", "values", "text")
BRANCHES = ("allOf", "anyOf", "oneOf")
DEFINITIONS = "#/$defs/"

Resolve = Callable[[Any], Any]
"""Resolves a schema's `$ref`: the target, None if dangling; a schema without `$ref` is unchanged.
"""


@dataclass(frozen=True, slots=True)
class Said:
    """A field in one contract: its description, and the values it may have, as JSON texts."""

    text: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A part of a tool that its list entry omits. `path` is dotted, and empty for the tool's own
    text. `kind`: `field` (not listed at all), `text` (some sentences are missing), or `values`
    (some are).
    """

    path: str
    kind: str
    documented: Said
    listed: Said

    @property
    def sentences(self) -> list[tuple[str, bool]]:
        """The document's sentences, each with true if the list has it."""
        return [
            (sentence, _is_in(sentence, self.listed.text))
            for line in plain(self.documented.text).split("\n")
            for sentence in sentences(line)
        ]

    @property
    def values(self) -> list[tuple[str, bool]]:
        """The document's values, each with true if the list has it."""
        return [(value, value in self.listed.values) for value in self.documented.values]


def cuts(bench: Bench, tool: Tool) -> list[Cut]:
    """Return the parts of a tool that its list entry omits, fields first; of a tool that the user
    implements, fields alone.
    """
    documented: dict[str, Said] = {}
    operation = bench.catalogue.operations.get(tool.origin.operation)
    if operation is not None:
        documented = _documented(bench.document, operation, tool)
        documented[""] = Said(text=bench.catalogue.documented_text(tool))
    listed = dict(_fields(tool.input_schema, _within(tool.input_schema), "", 0))
    listed[""] = Said(text=tool.description)
    whole, _ = whole_input(bench.server, tool)
    paths = ["", *(path for path, _ in _fields(whole, _within(whole), "", 0))]
    rows = [_cut(path, documented.get(path, Said()), listed.get(path)) for path in paths]
    return sorted(dict.fromkeys(filter(None, rows)), key=lambda cut: KINDS.index(cut.kind))


def _cut(path: str, documented: Said, listed: Said | None) -> Cut | None:
    """Return the cut at a path; None if the list omits nothing there."""
    if listed is None:
        return Cut(path=path, kind="field", documented=documented, listed=Said())
    cut = Cut(path=path, kind="text", documented=documented, listed=listed)
    if not all(is_listed for _, is_listed in cut.values):
        return replace(cut, kind="values")
    if not all(is_listed for _, is_listed in cut.sentences):
        return cut
    return None


def _is_in(sentence: str, text: str) -> bool:
    return _letters(sentence) in _letters(text)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text)).lower()


def _within(root: Schema) -> Resolve:
    """Return a function that resolves references within a self-contained schema."""
    definitions = as_object(root.get("$defs"))

    def resolve(node: Any) -> Any:
        reference = as_text(as_object(node).get("$ref"))
        if reference.startswith(DEFINITIONS):
            return definitions.get(reference.removeprefix(DEFINITIONS))
        return node

    return resolve


def _documented(document: Document, operation: DocumentedOperation, tool: Tool) -> dict[str, Said]:
    """Return dotted path, by names of arguments → text and values in the document."""

    def resolve(node: Any) -> Any:
        try:
            return document.deref(node, "")[0]
        except UnresolvedReference:
            return None

    schemas: dict[tuple[str, str], Any] = {}
    for item in (operation.path_item, operation.node):
        for node in as_list(item.get("parameters")):
            parameter = as_object(resolve(node))
            key = (as_text(parameter.get("in")), as_text(parameter.get("name")))
            schemas[key] = _described(parameter, resolve(parameter.get("schema")))
    body = as_object(resolve(operation.node.get("requestBody")))
    sent = tool.request.body if tool.request is not None else None
    if sent is not None:
        media = as_object(as_object(body.get("content")).get(sent.media_type))
        whole = _described(body, resolve(media.get("schema")))
        fields = dict(_properties(media.get("schema"), resolve, 0))
        for argument in tool.arguments:
            name = argument.wire_name
            schemas.setdefault(("body", name), whole if sent.whole else fields.get(name))
    listed = {each.name: schemas.get((each.place, each.wire_name)) for each in tool.arguments}
    return dict(_fields({"properties": listed}, resolve, "", 0))


def _described(about: Mapping[str, Any], schema: Any) -> Schema:
    """Return a schema with the description of `about`, if any, else with its own."""
    text = as_text(about.get("description"))
    return {**as_object(schema), **({"description": text} if text else {})}


def _fields(schema: Any, resolve: Resolve, prefix: str, depth: int) -> Iterator[tuple[str, Said]]:
    """Yield (dotted path, text and values) of a schema's properties, down to `DEEPEST` levels."""
    if depth > DEEPEST:
        return
    for name, inner in _properties(schema, resolve, depth):
        yield f"{prefix}{name}", _said(as_object(resolve(inner)))
        yield from _fields(inner, resolve, f"{prefix}{name}.", depth + 1)


def _properties(schema: Any, resolve: Resolve, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield (name, schema) of an object's properties, and of those of the items of a list and of
    every branch, without `false` schemas.
    """
    node = as_object(resolve(schema))
    if depth > DEEPEST:
        return
    for name, inner in as_object(node.get("properties")).items():
        if inner is not False:
            yield name, inner
    branches: list[Any] = [node["items"]] if "items" in node else []
    for word in BRANCHES:
        branches += as_list(node.get(word))
    for branch in branches:
        yield from _properties(branch, resolve, depth + 1)


def _said(schema: Schema) -> Said:
    values = [json.dumps(value, ensure_ascii=False) for value in _values(schema)]
    return Said(text=as_text(schema.get("description")), values=tuple(values))


def _values(schema: Schema) -> Iterable[Any]:
    """Return the enum of a field, else of its items, without null; empty without either."""
    values = as_list(schema.get("enum")) or as_list(as_object(schema.get("items")).get("enum"))
    return [value for value in values if value is not None]
