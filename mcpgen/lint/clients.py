"""Check a tool list against the known limits of MCP clients (`clients.toml` of `install`).

A rule checks one Tool object, as sent, and words its fault. Only `tool_count` checks the whole
list.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import Any

from ..ir import Server
from ..load.values import as_list, as_object, as_text, texts_in
from ..parse.pattern import is_listable, portable_pattern
from ..parse.projection.scalars import COUNT_KEYWORDS, NUMBER_KEYWORDS
from ..problems import Problems, UsageError
from ..render.facts import wire
from ..runtime.parts.install.files import TABLE

UNIONS = ("oneOf", "anyOf", "allOf")
ALL = "all"


@dataclass(frozen=True, slots=True)
class ClientLimit:
    """One limit of one client, its source, and `when` it holds if not always."""

    name: str
    value: Any = field(hash=False)
    source: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class ClientRules:
    """A client by the word users write, its title, and its limits. An interface that is `former`
    is checked by name alone.
    """

    name: str
    title: str
    rules: tuple[ClientLimit, ...]
    former: bool = False

    @property
    def counts(self) -> list[ClientLimit]:
        """The rules on how many tools there are."""
        return [rule for rule in self.rules if rule.name == "tool_count"]

    def broken_by(self, count: int) -> list[ClientLimit]:
        """Return the limits on the number of tools that `count` tools exceed."""
        return [rule for rule in self.counts if count > rule.value]


@cache
def table() -> dict[str, ClientRules]:
    """Return name → rules of every known client."""
    clients = {}
    for name, row in TABLE.items():
        rules = [
            ClientLimit(rule["rule"], rule["value"], rule["source"], rule.get("when", ""))
            for rule in row["rules"]
        ]
        if "tool_limit" in row:
            rules.append(ClientLimit("tool_count", row["tool_limit"], row["limit_source"]))
        clients[name] = ClientRules(name, row["title"], tuple(rules), row.get("former", False))
    return clients


def too_many(count: int) -> list[tuple[str, int]]:
    """Return the clients that take fewer tools than `count`, by title, each with its limit."""
    return [
        (client.title, rule.value)
        for client in table().values()
        for rule in client.broken_by(count)
    ]


def without_limits(names: Iterable[str]) -> list[str]:
    """Return the titles of those clients of which no limit is known; `all` is ignored."""
    return [table()[name].title for name in names if name != ALL and not table()[name].rules]


def check_client(
    server: Server, name: str, problems: Problems, functions: Iterable[Mapping[str, Any]] = ()
) -> None:
    """Warn of what a client (or `all`) refuses (E0802); `functions` are the tools of the user's
    code, as their server lists them. Raises UsageError for an unknown client.
    """
    pointers = {tool.name: tool.origin.pointer for tool in server.tools}
    tools = [*map(wire, server.tools), *functions]
    for client in _clients(name):
        _check_tool_count(server, client, problems)
        for (rule, reason), names in refused_tools(tools, server.name, client).items():
            problems.warn(
                "E0802",
                f"{client.title} refuses {_shown(names)}: {reason}",
                pointer=pointers.get(names[0], ""),
                notes=(f"seen in {rule.source}",),
            )


def refused_tools(
    tools: Iterable[Mapping[str, Any]], server: str, client: ClientRules
) -> dict[tuple[ClientLimit, str], list[str]]:
    """Return (limit, reason) → names of the Tool objects of a server that a client refuses."""
    refused: dict[tuple[ClientLimit, str], list[str]] = {}
    for tool in tools:
        for fault in _faults(client, server, tool):
            refused.setdefault(fault, []).append(tool["name"])
    return refused


def tool_limit(name: str) -> int:
    """Return the tool limit of a client, the lowest for `all`. Raises UsageError for an unknown
    client, and for one without a limit.
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
        return [client for client in clients.values() if not client.former]
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


def _shown(tools: list[str]) -> str:
    names = ", ".join(f"`{name}`" for name in tools[:3])
    if len(tools) > 3:
        names += f" and {len(tools) - 3:,} more"
    return names


def _faults(
    client: ClientRules, server: str, tool: Mapping[str, Any]
) -> Iterator[tuple[ClientLimit, str]]:
    """Yield (limit, reason) for each limit that a tool breaks, with the first reason alone."""
    schemas = list(_schemas(tool["inputSchema"]))
    for rule in client.rules:
        reasons: Iterable[str] = ()
        if rule.name in RULES:
            reasons = [RULES[rule.name](tool, rule.value, server)]
        elif rule.name in SCHEMA_RULES:
            check = SCHEMA_RULES[rule.name]
            reasons = (check(schema, rule.value) for schema in schemas)
        reason = next(filter(None, reasons), None)
        if reason is not None:
            yield rule, f"{reason} ({rule.when})" if rule.when else reason


# Rules: (Tool object, value, server name) → what is wrong, or nothing


def _name(tool: Mapping[str, Any], pattern: Any, server: str) -> str:
    if re.search(pattern, tool["name"]):
        return ""
    return f"its name does not match `{pattern}`"


def _prefixed_length(tool: Mapping[str, Any], value: Any, server: str) -> str:
    prefix, limit = value
    name = prefix.format(server=server) + str(tool["name"])
    if len(name) <= limit:
        return ""
    return f"`{name}` has {len(name)} characters, {limit} are allowed"


def _no_root_union(tool: Mapping[str, Any], value: Any, server: str) -> str:
    found = (word for word in UNIONS if word in tool["inputSchema"])
    return "".join(f"`{word}` at the root of its input schema" for word in islice(found, 1))


def _description_length(tool: Mapping[str, Any], limit: Any, server: str) -> str:
    length = len(tool["description"])
    if length <= limit:
        return ""
    return f"its description has {length:,} characters, {limit:,} are shown"


# Rules on every schema in a tool's input schema: (schema, value) → what is wrong, or nothing


def _keys(schema: dict[str, Any], pattern: Any) -> str:
    wrong = (key for key in schema.get("properties", {}) if not re.search(pattern, key))
    return "".join(f"the property `{key}` does not match `{pattern}`" for key in islice(wrong, 1))


def _no_keywords(schema: dict[str, Any], words: Any) -> str:
    return next((f"its input schema has `{word}`" for word in words if word in schema), "")


def _formats(schema: dict[str, Any], allowed: Any) -> str:
    name = as_text(schema.get("format"))
    return f"`format: {name}` in its input schema" if name not in ("", *allowed) else ""


def _typed_items(schema: dict[str, Any], value: Any) -> str:
    if schema.get("type") != "array" or as_object(schema.get("items")):
        return ""
    return "an array whose items have no type"


def _single_types(schema: dict[str, Any], value: Any) -> str:
    return "a list of types in its input schema" if as_list(schema.get("type")) else ""


def _text_enums(schema: dict[str, Any], value: Any) -> str:
    values = schema.get("enum", ())
    if all(map(as_text, values)):
        return ""
    if len(texts_in(values)) == len(values):
        return "an enum with an empty text"
    return "an enum whose values are not all text"


def _patterns(schema: dict[str, Any], value: Any) -> str:
    pattern = as_text(schema.get("pattern"))
    if portable_pattern(pattern) == pattern:
        return ""
    return f"the pattern `{pattern[:100]}`, which not every engine compiles"


def _numbers(schema: dict[str, Any], limit: Any) -> str:
    keys = ("enum", "default", *NUMBER_KEYWORDS, *chain(*COUNT_KEYWORDS.values()))
    wrong = (key for key in keys if not is_listable(schema.get(key), limit))
    return "".join(f"a number beyond {limit:,} in `{key}`" for key in islice(wrong, 1))


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every subschema, the root first."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield node
        for word in ("properties", "$defs", "patternProperties"):
            stack.extend(as_object(node.get(word)).values())
        for word in ("items", "additionalProperties", "not"):
            stack.append(node.get(word))
        for word in (*UNIONS, "prefixItems"):
            stack.extend(as_list(node.get(word)))


RULES: dict[str, Callable[[Mapping[str, Any], Any, str], str]] = {
    "name": _name,
    "prefixed_length": _prefixed_length,
    "no_root_union": _no_root_union,
    "description_length": _description_length,
}
SCHEMA_RULES: dict[str, Callable[[dict[str, Any], Any], str]] = {
    "keys": _keys,
    "no_keywords": _no_keywords,
    "formats": _formats,
    "typed_items": _typed_items,
    "single_types": _single_types,
    "text_enums": _text_enums,
    "patterns": _patterns,
    "numbers": _numbers,
}
