"""Check a tool list against the known limits of MCP clients (`data/clients.toml`).

A rule looks at one Tool object as it is sent and says what is wrong with it. Only `tool_count`
looks at all of them.
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
from ..problems import Problems, UsageError
from ..render.facts import wire
from ..runtime.parts.install.files import CLIENTS

UNIONS = ("oneOf", "anyOf", "allOf")
ALL = "all"


@dataclass(frozen=True, slots=True)
class ClientLimit:
    """One limit of one client, and where it was seen."""

    name: str
    value: Any = field(hash=False)
    source: str


@dataclass(frozen=True, slots=True)
class ClientRules:
    """A client by the word users write, its title, and its limits."""

    name: str
    title: str
    rules: tuple[ClientLimit, ...]

    @property
    def counts(self) -> list[ClientLimit]:
        """The rules on how many tools there are."""
        return [rule for rule in self.rules if rule.name == "tool_count"]

    def broken_by(self, count: int) -> list[ClientLimit]:
        """Those of them that so many tools break."""
        return [rule for rule in self.counts if count > rule.value]


@cache
def table() -> dict[str, ClientRules]:
    """Every known client by its name."""
    text = (resources.files("mcpgen") / "data" / "clients.toml").read_text("utf-8")
    clients = {}
    for name, row in tomllib.loads(text).items():
        if isinstance(row, dict):
            rules = (
                ClientLimit(rule["rule"], rule.get("value", _tool_limit(name)), rule["source"])
                for rule in row["rules"]
            )
            clients[name] = ClientRules(name, row["title"], tuple(rules))
    return clients


def too_many(count: int) -> list[tuple[str, int]]:
    """The clients that take fewer tools than `count`, by title, each with its limit."""
    return [
        (client.title, rule.value)
        for client in table().values()
        for rule in client.broken_by(count)
    ]


def _tool_limit(name: str) -> int | None:
    """Return the tool limit of a client from the table of generated servers."""
    return CLIENTS[name].tool_limit if name in CLIENTS else None


def check_client(server: Server, name: str, problems: Problems) -> None:
    """Report as warnings what a client (or `all`) refuses. Raises UsageError for an unknown one."""
    for client in _clients(name):
        _check_tool_count(server, client, problems)
        for (rule, reason), tools in refused_tools(server, client).items():
            problems.warn(
                "E0802",
                f"{client.title} refuses {_names(tools)}: {reason}",
                pointer=tools[0].origin.pointer,
                notes=(f"seen in {rule.source}",),
            )


def refused_tools(server: Server, client: ClientRules) -> dict[tuple[ClientLimit, str], list[Tool]]:
    """The tools that a client refuses, by rule and reason."""
    refused: dict[tuple[ClientLimit, str], list[Tool]] = {}
    for tool in server.tools:
        for fault in _faults(client, server, tool):
            refused.setdefault(fault, []).append(tool)
    return refused


def tool_limit(name: str) -> int:
    """Return the tool limit of a client. Raises UsageError for an unknown client, and for one
    without a limit.
    """
    limits = [int(rule.value) for client in _clients(name) for rule in client.counts]
    if limits:
        return min(limits)
    message = f"no limit of `{name}` on the number of tools is known"
    hint = "say how many tools you want with `--limit`"
    raise UsageError.of("E0870", message, hint)


def _clients(name: str) -> list[ClientRules]:
    clients = table()
    if name == ALL:
        return list(clients.values())
    if name in clients:
        return [clients[name]]
    message = f"there is no client `{name}` in the table"
    near = difflib.get_close_matches(name, clients, 1)
    if near:
        message += f"; did you mean `{near[0]}`?"
    hint = f"the clients are {', '.join(f'`{word}`' for word in clients)}, or `{ALL}`"
    raise UsageError.of("E0803", message, hint)


def _check_tool_count(server: Server, client: ClientRules, problems: Problems) -> None:
    count = len(server.tools) + len(server.functions)
    for rule in client.broken_by(count):
        problems.warn(
            "E0802",
            f"{client.title} takes {rule.value} tools, there are {count:,}",
            hint="start the server with `--toolsets` or `--lazy`, or leave operations out",
            notes=(f"seen in {rule.source}",),
        )


def _names(tools: list[Tool]) -> str:
    names = ", ".join(f"`{tool.name}`" for tool in tools[:3])
    if len(tools) > 3:
        names += f" and {len(tools) - 3:,} more"
    return names


def _faults(client: ClientRules, server: Server, tool: Tool) -> Iterator[tuple[ClientLimit, str]]:
    """Each rule that a tool breaks, with the reason."""
    tool_object = wire(tool)
    for rule in client.rules:
        check = RULES.get(rule.name)
        if check is None:
            continue
        reason = check(tool_object, rule.value, server.name)
        if reason:
            yield rule, reason


# Rules: (Tool object, value, server name) → what is wrong, or None


def _name(tool: dict[str, Any], pattern: Any, server: str) -> str | None:
    if re.search(pattern, tool["name"]):
        return None
    return f"its name does not match `{pattern}`"


def _prefixed_length(tool: dict[str, Any], value: Any, server: str) -> str | None:
    prefix, limit = value
    name = prefix.format(server=server) + str(tool["name"])
    if len(name) <= limit:
        return None
    return f"`{name}` has {len(name)} characters, {limit} are allowed"


def _keys(tool: dict[str, Any], pattern: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        for key in schema.get("properties", {}):
            if not re.search(pattern, key):
                return f"the property `{key}` does not match `{pattern}`"
    return None


def _no_root_union(tool: dict[str, Any], value: Any, server: str) -> str | None:
    for word in UNIONS:
        if word in tool["inputSchema"]:
            return f"`{word}` at the root of its input schema"
    return None


def _no_keywords(tool: dict[str, Any], words: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        for word in words:
            if word in schema:
                return f"its input schema has `{word}`"
    return None


def _formats(tool: dict[str, Any], allowed: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if isinstance(schema.get("format"), str) and schema["format"] not in allowed:
            return f"`format: {schema['format']}` in its input schema"
    return None


def _typed_items(tool: dict[str, Any], value: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if schema.get("type") != "array":
            continue
        items = schema.get("items")
        if not isinstance(items, dict) or not items:
            return "an array whose items have no type"
    return None


def _single_types(tool: dict[str, Any], value: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if isinstance(schema.get("type"), list):
            return "a list of types in its input schema"
    return None


def _text_enums(tool: dict[str, Any], value: Any, server: str) -> str | None:
    for schema in _schemas(tool["inputSchema"]):
        if any(not isinstance(item, str) or not item for item in schema.get("enum", ())):
            return "an enum whose values are not all text"
    return None


def _description_length(tool: dict[str, Any], limit: Any, server: str) -> str | None:
    length = len(tool["description"])
    if length <= limit:
        return None
    return f"its description has {length:,} characters, {limit:,} are shown"


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every subschema, the root first."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield node
        for word in ("properties", "$defs", "patternProperties"):
            members = node.get(word)
            if isinstance(members, dict):
                stack.extend(members.values())
        for word in ("items", "additionalProperties", "not"):
            stack.append(node.get(word))
        for word in (*UNIONS, "prefixItems"):
            branches = node.get(word)
            if isinstance(branches, list):
                stack.extend(branches)


RULES: dict[str, Callable[[dict[str, Any], Any, str], str | None]] = {
    "name": _name,
    "prefixed_length": _prefixed_length,
    "keys": _keys,
    "no_root_union": _no_root_union,
    "no_keywords": _no_keywords,
    "formats": _formats,
    "typed_items": _typed_items,
    "single_types": _single_types,
    "text_enums": _text_enums,
    "description_length": _description_length,
}
