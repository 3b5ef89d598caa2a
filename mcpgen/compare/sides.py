"""Sides of a comparison: a server just parsed, or a project on disk."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any

from .. import ir
from ..ir import Schema
from ..load.values import as_list, as_object, as_text, without
from ..lock import Lock, facts, require_lock
from ..paths import FACTS, roots
from ..render.facts import ANSWERS, answer_facts
from .closures import Closures
from .schemas import type_names

Read = Callable[[str], str | bytes | None]
LIST = re.compile(r"tools/[^/]+\.json")
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison: the facts of a lock, and every tool as on the wire, by name.

    `wholes` are the full schemas that check calls, for tools listed with less. `answers` are the
    schemas of answers by tool: empty for any answer, absent without a type. `aliases`: alias →
    tool. `own` are the tools made by the user's code; None if unknown.
    """

    lock: Lock
    tools: Mapping[str, Mapping[str, Any]]
    wholes: Mapping[str, Schema]
    answers: Mapping[str, Schema]
    aliases: Mapping[str, str]
    own: Mapping[str, Mapping[str, Any]] | None = None

    def served(self) -> Side:
        """Return this side with the tools of the user's code, each replacing its generated
        namesake.
        """
        own = as_object(self.own)
        none: Mapping[str, Any] = {"annotations": {}}
        tools = {name: {**self.tools.get(name, {}), **none, **tool} for name, tool in own.items()}
        return replace(
            self,
            tools={**self.tools, **tools},
            wholes=without(self.wholes, [name for name in own if "inputSchema" in own[name]]),
            answers=without(self.answers, [name for name in own if "outputSchema" in own[name]]),
        )


def side_of_server(server: ir.Server, document: str = "", config: str = "") -> Side:
    """Return the side of a parsed server; `document` and `config` are their hashes."""
    tools, wholes = {}, {}
    closures = Closures(server.definitions)
    for tool in server.tools:
        if tool.contract is not None:
            wholes[tool.name] = tool.contract
        if tool.contract is not None and tool.request is not None:
            wholes[tool.name] = {**tool.contract, "$defs": closures.of(tool.contract)}
        tools[tool.name] = {
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
        }
    return Side(
        lock=facts(server, document=document, config=config),
        tools=tools,
        wholes=wholes,
        answers=_complete(answer_facts(server)),
        aliases=dict(server.aliases),
    )


def side_of_project(folder: Path) -> Side:
    """Return the side of a project on disk. Raises UsageError without a lock."""
    from ..project.own_tools import own_files, own_tools  # late: `generate` needs none of it

    lock = require_lock(folder, "run `mcpgen generate`, or name two documents to compare")

    def read(path: str) -> bytes | None:
        try:
            return (folder / path).read_bytes()
        except OSError:
            return None

    return replace(side_of_files(lock, read), own=own_tools(own_files(folder)))


def side_of_files(lock: Lock, read: Read) -> Side:
    """Return the side of a project from its lock. `read` returns a generated file by path, None
    without it; what cannot be read is left out.
    """
    tools: dict[str, Mapping[str, Any]] = {}
    aliases: dict[str, str] = {}
    answers: dict[str, Schema] = {}
    wholes: dict[str, Schema] = {}
    root = next(iter(sorted(roots(lock.files))), "")
    for path in lock.files:
        inside = path.removeprefix(root)
        if inside == "schemas.json":
            wholes |= _wholes(as_object(_json(read(path))))
        elif inside == "contracts.json":
            wholes |= _exact(as_object(_json(read(path))))
        elif inside == FACTS:
            aliases = as_object(as_object(_json(read(path))).get("aliases"))
        elif path == ANSWERS:
            with contextlib.suppress(LookupError, TypeError, AttributeError, RecursionError):
                answers = _complete(as_object(_json(read(path))))
        elif LIST.fullmatch(inside):
            for tool in map(as_object, as_list(_json(read(path)))):
                tools[as_text(tool.get("name"))] = tool
    return Side(
        lock=lock, tools=tools, wholes=wholes, answers=answers, aliases=aliases, own=lock.own
    )


def _exact(contracts: dict[str, Any]) -> dict[str, Schema]:
    """Return tool → input schema of `contracts.json`; tools without one are left out."""
    exact = {name: as_object(contract).get("input") for name, contract in contracts.items()}
    return {name: schema for name, schema in exact.items() if schema}


def _wholes(content: dict[str, Any]) -> dict[str, Schema]:
    """Return tool → schema of `schemas.json`, each with the definitions it refers to."""
    closures = Closures(as_object(content.get("$defs")))
    return {
        name: {**as_object(schema), "$defs": closures.of(schema)}
        for name, schema in as_object(content.get("tools")).items()
    }


def _json(content: str | bytes | None) -> Any:
    if content is None:
        return None
    try:
        return json.loads(content)
    except ValueError:
        return None


def _complete(facts: Mapping[str, Any]) -> dict[str, Schema]:
    """Return tool → full schema of its answer, with the `$defs` it uses. An answer that is no
    object is the property `result`, as on the wire.
    """
    models = as_object(facts.get("$defs"))
    closures = Closures({name: _folded(model) for name, model in models.items()})
    answers: dict[str, Schema] = {}
    for name, written in as_object(facts.get("tools")).items():
        schema = _folded(written)
        if schema and "object" not in type_names(schema):
            schema = {"type": ["object"], "properties": {"result": schema}}
        if schema:
            schema["$defs"] = closures.of(schema)
        answers[name] = schema
    return answers


def _folded(schema: Schema) -> Schema:
    """Return a type as one schema with its JSON types: `Book | None` is the book's schema with null
    allowed. `anyOf` remains only for several members that have more than a type.
    """
    folded = dict(schema)
    if "properties" in schema:
        folded["properties"] = {name: _folded(part) for name, part in schema["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            folded[keyword] = _folded(schema[keyword])
    if "$ref" in schema:
        folded["type"] = ["object"]
    elif "enum" in schema:
        folded["type"] = sorted({TYPES[type(value)] for value in schema["enum"]})
    elif "anyOf" in schema:
        members = [_folded(member) for member in schema["anyOf"]]
        types = sorted({name for member in members for name in type_names(member)})
        alternatives = [member for member in members if member.keys() != {"type"}]
        folded = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
        folded = {**folded, "type": types}
    return folded
