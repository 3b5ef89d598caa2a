"""Apply `[answers]` and `[tools."…".answer]` to the answers of a server's tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from ..config import AnswerConfig, Config
from ..ir import Schema, Server, Tool
from ..load.values import SCHEMA_MAPS, as_object, objects_in, without
from ..runtime.client.settings import Shaping
from ..runtime.results import fold

DEFINITIONS = "#/$defs/"
SCALARS = ("boolean", "integer", "null", "number", "string")


def shaping_of(answer: AnswerConfig) -> Shaping:
    """Return the keys of an `answer` table that the runtime needs; `Shaping()` without any."""
    return Shaping(**{each.name: getattr(answer, each.name) for each in fields(Shaping)})


def unknown_paths(
    server: Server, tool: Tool, paths: Iterable[str]
) -> Iterator[tuple[str, set[str]]]:
    """Yield (path, paths that exist at its unknown name) for each dotted path that no answer has.
    An answer of any type has every path.
    """
    for path in paths:
        keys = path.replace("[]", "").strip(".").split(".")
        known = _in_place_of(keys, as_object(tool.response.type), server.models)
        if known is not None:
            yield path, known


def all_fields(tools: Iterable[Tool], models: dict[str, Schema]) -> set[str]:
    """Return the names of fields in the tools' JSON answers, at any depth; empty if an answer may
    have any field.
    """
    found: set[str] = set()
    pending: list[Schema] = [as_object(tool.response.type) for tool in tools if tool.response.json]
    seen: set[str] = set()
    while pending:
        node = pending.pop()
        name = node.get("$ref", "").removeprefix(DEFINITIONS)
        if name in seen:
            continue
        if name:
            seen.add(name)
            node = models.get(name, {})
        properties = node.get("properties", {})
        below = [*properties.values(), *node.get("anyOf", ())]
        below += filter(None, [node.get("items")])
        if _is_open(node, below):
            return set()
        found |= properties.keys()
        pending += below
    return found


def _is_open(node: Schema, below: list[Schema]) -> bool:
    """Return whether an answer of a type may have any field. `below` are the types inside it."""
    if below or "properties" in node:
        return "additionalProperties" in node
    return "additionalProperties" in node or not _is_value(node)


def _is_value(node: Schema) -> bool:
    """Return whether a type has no fields: a scalar or an enumeration."""
    return "enum" in node or node.get("type") in SCALARS


def _in_place_of(keys: Sequence[str], node: Schema, models: dict[str, Schema]) -> set[str] | None:
    """Return the paths of a type instead of an unknown path: `["items", "nmae"]` → `{"items.name",
    …}`. None if the path exists, or may exist. `*` is any name.
    """
    if "$ref" in node:
        node = models.get(node["$ref"].removeprefix(DEFINITIONS), {})
    if not keys or "additionalProperties" in node:
        return None
    if "anyOf" in node:
        return _in_none([_in_place_of(keys, branch, models) for branch in node["anyOf"]])
    if "items" in node:
        return _in_place_of(keys, node["items"], models)
    if "properties" not in node:
        return set() if _is_value(node) else None
    properties = node["properties"]
    # A name may hold dots (`@odata.etag`)
    lengths = {name: 1 if keys[0] == "*" else name.count(".") + 1 for name in properties}
    named = [name for name in lengths if ".".join(keys[: lengths[name]]) in (name, "*")]
    if not named:
        return set(properties)
    rests = {name: keys[lengths[name] :] for name in named}
    below = _in_none([_in_place_of(rests[name], properties[name], models) for name in named])
    start = ".".join(keys[: lengths[named[0]]])
    return below if below is None else {f"{start}.{path}" for path in below}


def _in_none(found: list[set[str] | None]) -> set[str] | None:
    """Return all known paths of several types; None if a type has the path (None)."""
    known: set[str] = set()
    for paths in found:
        if paths is None:
            return None
        known |= paths
    return known


def with_answers(server: Server, config: Config) -> Server:
    """Return the server with `[answers]` applied to every tool."""
    if not config.full_answers and not config.redact:
        return server
    answer = AnswerConfig(full=config.full_answers, redact=config.redact)
    toolsets = tuple(
        replace(toolset, tools=tuple(with_answer(tool, answer) for tool in toolset.tools))
        for toolset in server.toolsets
    )
    return replace(server, toolsets=toolsets, redact=config.redact)


def with_answer(tool: Tool, answer: AnswerConfig) -> Tool:
    """Return the tool with its schemas after a table: `full` removes the argument that chooses
    fields, `redact` the withheld output fields.
    """
    if answer.full:
        tool = _without_choice(tool)
    if answer.redact:
        tool = replace(
            tool,
            output_schema=_without_fields(tool.output_schema, answer.redact),
            output_contract=_without_fields(tool.output_contract, answer.redact),
        )
    return tool


def _without_choice(tool: Tool) -> Tool:
    name = tool.listing.fields
    if not name:
        return replace(tool, listing=replace(tool.listing, asked=""))
    inputs: dict[str, Any] = {"input_schema": tool.input_schema, "contract": tool.contract}
    for key, schema in inputs.items():
        if schema is not None:
            inputs[key] = {**schema, "properties": without(schema["properties"], [name])}
    return replace(tool, **inputs, listing=replace(tool.listing, fields=""))


def _no_stricter(schema: Schema, before: Schema) -> Schema:
    """Return a schema without the rules that refuse more than `before` now that fields are gone."""
    for rule in ("not", "if"):
        if _may_differ(before.get(rule), schema.get(rule)):
            del schema[rule]
    schema.pop("minProperties", None)
    if _may_differ(before.get("oneOf"), schema.get("oneOf")):
        several = {"anyOf": schema.pop("oneOf")}  # several may fit now
        if "anyOf" in schema:
            several = {"allOf": [*schema.get("allOf", ()), several]}
        schema |= several
    return schema


def _without_fields(schema: Any, names: tuple[str, ...]) -> Schema | None:
    """Return a schema of answers that neither lists nor requires the properties of these names, in
    any case, at any depth; None stays.
    """
    withheld = {fold(name) for name in names}

    def cleaned(node: Any) -> Any:
        if isinstance(node, list):
            return [cleaned(item) for item in node]
        if not isinstance(node, dict):
            return node
        result = {
            key: _each(cleaned, item) if key in SCHEMA_MAPS else cleaned(item)
            for key, item in node.items()
        }
        for key in result.keys() & {"properties", "required"}:
            result[key] = _kept(result[key], withheld)
        dependent = as_object(result.get("dependentRequired"))
        for key, item in dependent.items():
            dependent[key] = _kept(item, withheld)
        return _no_stricter(result, node)

    found: Schema | None = cleaned(schema)
    return found


def _each(function: Callable[[Any], Any], members: Any) -> Any:
    """Return the members of an object with the results of a function; any other value unchanged."""
    if not isinstance(members, dict):
        return members
    return {key: function(item) for key, item in members.items()}


def _may_differ(before: Any, after: Any) -> bool:
    """Return whether a rule refuses something else now, by itself or, in doubt, by a reference."""
    return before != after or any("$ref" in each for each in objects_in(before))


def _kept(members: Any, withheld: set[str]) -> Any:
    """Return the members of an object, or the names in a list, that are not withheld."""
    if isinstance(members, dict):
        return {key: item for key, item in members.items() if fold(key) not in withheld}
    if isinstance(members, list):
        return [name for name in members if fold(str(name)) not in withheld]
    return members
