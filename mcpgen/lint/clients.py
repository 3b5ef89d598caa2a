"""What a client does not take of a tool list, as `data/clients.toml` knows it.

A rule looks at one Tool object as on the wire and says what is wrong with it, or looks at all of
them (`tool_count`).
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from ..ir import Server, Tool
from ..problems import Problem, Problems, UsageError
from ..render.facts import wire

UNIONS = ("oneOf", "anyOf", "allOf")
ALL = "all"


@dataclass(frozen=True, slots=True)
class Rule:
    """One limit of one client, and where it was seen."""

    name: str
    value: Any = field(hash=False)
    source: str


@dataclass(frozen=True, slots=True)
class Client:
    """A client by the word users write, its title, and its limits."""

    name: str
    title: str
    rules: tuple[Rule, ...]


@cache
def table() -> dict[str, Client]:
    """Every known client."""
    data = tomllib.loads((resources.files("mcpgen") / "data" / "clients.toml").read_text("utf-8"))
    return {
        name: Client(
            name,
            row["title"],
            tuple(Rule(one["rule"], one["value"], one["source"]) for one in row["rules"]),
        )
        for name, row in data.items()
        if isinstance(row, dict)
    }


def check_client(server: Server, name: str, problems: Problems) -> None:
    """Report as warnings what a client (or `all`) does not take. Raises UsageError for one nobody
    knows.
    """
    known = table()
    if name == ALL:
        for each in known:
            check_client(server, each, problems)
        return
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        raise UsageError(
            Problem(
                code="E0803",
                severity="error",
                message=f"nothing is known of a client `{name}`"
                + (f"; did you mean `{close[0]}`?" if close else ""),
                hint=f"known are {', '.join(f'`{each}`' for each in known)} and `{ALL}`",
            )
        )
    client = known[name]
    for rule in client.rules:
        if rule.name == "tool_count" and len(server.tools) > rule.value:
            problems.warn(
                "E0802",
                f"{client.title} takes {rule.value} tools, there are {len(server.tools):,}",
                hint="start the server with `--toolsets` or `--lazy`, or leave operations out",
                notes=(f"seen in {rule.source}",),
            )
    found: dict[tuple[Rule, str], list[Tool]] = {}
    for tool in server.tools:
        for fault in _faults(client, server, tool):
            found.setdefault(fault, []).append(tool)
    for (rule, said), tools in found.items():
        problems.warn(
            "E0802",
            f"{client.title} does not take {_named(tools)}: {said}",
            pointer=tools[0].origin.pointer,
            notes=(f"seen in {rule.source}",),
        )


def _named(tools: list[Tool]) -> str:
    names = ", ".join(f"`{tool.name}`" for tool in tools[:3])
    return names + (f" and {len(tools) - 3:,} more" if len(tools) > 3 else "")


def _faults(client: Client, server: Server, tool: Tool) -> Iterator[tuple[Rule, str]]:
    on_wire = wire(tool)
    for rule in client.rules:
        check = RULES.get(rule.name)
        said = check(on_wire, rule.value, server.name) if check else None
        if said:
            yield rule, said


# -- rules: (tool, value, server name) → what is wrong, or None
# --------------------------------------------------------


def _name(tool: dict[str, Any], pattern: Any, server: str) -> str | None:
    return None if re.search(pattern, tool["name"]) else f"its name does not match `{pattern}`"


def _prefixed_length(tool: dict[str, Any], value: Any, server: str) -> str | None:
    prefix, limit = value
    combined = prefix.format(server=server) + str(tool["name"])
    return (
        f"`{combined}` has {len(combined)} characters, {limit} are allowed"
        if len(combined) > limit
        else None
    )


def _keys(tool: dict[str, Any], pattern: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        for key in schema.get("properties", {}):
            if not re.search(pattern, key):
                return f"the property `{key}` does not match `{pattern}`"
    return None


def _no_root_union(tool: dict[str, Any], value: Any, server: str) -> str | None:
    return next(
        (
            f"`{word}` at the root of its input schema"
            for word in UNIONS
            if word in tool["inputSchema"]
        ),
        None,
    )


def _no_unions(tool: dict[str, Any], value: Any, server: str) -> str | None:
    return _keyword(tool, UNIONS)


def _no_references(tool: dict[str, Any], value: Any, server: str) -> str | None:
    return _keyword(tool, ("$ref",))


def _no_keywords(tool: dict[str, Any], words: Any, server: str) -> str | None:
    return _keyword(tool, words)


def _keyword(tool: dict[str, Any], words: Any) -> str | None:
    found = next(
        (word for schema in _schemas(tool["inputSchema"]) for word in words if word in schema), None
    )
    return f"its input schema says `{found}`" if found else None


def _formats(tool: dict[str, Any], allowed: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if isinstance(schema.get("format"), str) and schema["format"] not in allowed:
            return f"`format: {schema['format']}` in its input schema"
    return None


def _typed_items(tool: dict[str, Any], value: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if schema.get("type") == "array" and not (
            isinstance(schema.get("items"), dict) and schema["items"]
        ):
            return "an array whose items have no type"
    return None


def _single_types(tool: dict[str, Any], value: Any, server: str) -> str | None:
    listed = any(isinstance(schema.get("type"), list) for schema in _schemas(tool["inputSchema"]))
    return "a list of types in its input schema" if listed else None


def _text_enums(tool: dict[str, Any], value: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if any(not isinstance(item, str) or not item for item in schema.get("enum", ())):
            return "an enum with something else than text"
    return None


def _description_length(tool: dict[str, Any], limit: Any, server: str) -> str | None:
    length = len(tool["description"])
    return (
        f"its description has {length:,} characters, {limit:,} are shown"
        if length > limit
        else None
    )


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every subschema, the root first."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield node
        for word in ("properties", "$defs", "patternProperties"):
            stack.extend(node[word].values() if isinstance(node.get(word), dict) else ())
        for word in ("items", "additionalProperties", "not"):
            stack.append(node.get(word))
        for word in (*UNIONS, "prefixItems"):
            stack.extend(node[word] if isinstance(node.get(word), list) else ())


RULES: dict[str, Callable[[dict[str, Any], Any, str], str | None]] = {
    "name": _name,
    "prefixed_length": _prefixed_length,
    "keys": _keys,
    "no_root_union": _no_root_union,
    "no_unions": _no_unions,
    "no_references": _no_references,
    "no_keywords": _no_keywords,
    "formats": _formats,
    "typed_items": _typed_items,
    "single_types": _single_types,
    "text_enums": _text_enums,
    "description_length": _description_length,
}
