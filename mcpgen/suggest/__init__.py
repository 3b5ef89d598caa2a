"""Which tools of a large API are worth having first, by its structure alone.

A resource is what a path names (`/repos/{owner}/{repo}/issues`). What is main in it comes first:
list, read, create, search, then update, actions and deletion. A resource counts for more the more
operations stand below it and the more paths take its id; less the deeper it lies. What ends a thing
(DELETE, or a POST that is marked as destructive) gains nothing from what is lost with it.
Deprecated and very large tools come last.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile

from ..ir import Server, Tool
from ..render.facts import wire
from ..render.search import kind_of, kinds_of_verb
from ..runtime.facts.methods import METADATA, METHODS

KINDS = {"list": 10.0, "search": 10.0, "get": 9.5, "create": 9.5, "update": 8.0, "delete": 5.0}
"""Kind of operation → what it is worth by itself."""
FAMILY = 2.0
"""Points for doubling the operations below a resource."""
DEPTH = 3.0
"""Points that each further segment of the path costs."""
DEPRECATED = 20.0
UNUSUAL = 10.0
"""Points that a method costs if it is rare, or reads metadata instead of the resource."""
TWIN = 6.0
"""Points that the second way to change the same thing costs (PUT beside PATCH)."""
CROWD = 0.5
"""Points that each tool costs the later tools of its resource."""
TOKENS = 800
"""Tokens of a tool that cost a point."""
_PARAMETER = re.compile(r"\{[^}]*\}")
_VERSION = re.compile(r"v?\d[\d.-]*(\w+\d+)?|v\d\w*|api|rest")
"""A segment at the beginning of a path that names nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One tool worth having, with its key for `mcpgen.toml` and what it costs in tokens."""

    tool: Tool
    key: str
    tokens: int


def suggest(server: Server, limit: int) -> list[Suggestion]:
    """The tools of a server worth having first, at most `limit`, in the order of the list."""
    tools = list(server.tools)
    resources = _resources(tools)
    worth = _worth(tools, resources)
    taken: Counter[str] = Counter()
    chosen: list[Tool] = []
    for _ in range(min(limit, len(tools))):
        best = max(tools, key=lambda tool: worth[tool.name] - CROWD * taken[resources[tool.name]])
        tools.remove(best)
        chosen.append(best)
        taken[resources[best.name]] += 1
    order = {tool.name: place for place, tool in enumerate(server.tools)}
    chosen.sort(key=lambda tool: order[tool.name])
    return [Suggestion(tool=tool, key=_key(tool), tokens=_tokens(tool)) for tool in chosen]


def lines(choices: Iterable[Suggestion]) -> str:
    """The choice as lines for `mcpgen.toml`."""
    rows = [f"    {json.dumps(choice.key, ensure_ascii=False)}," for choice in choices]
    return "\n".join(["[select]", "include_operations = [", *rows, "]"])


def _resources(tools: list[Tool]) -> dict[str, str]:
    """Name → resource. A collection whose items have a path of their own is about those:
    `/users/{id}/meetings` beside `/meetings/{id}`, unless `/meetings` takes the same method.
    """
    paths = {"/".join(_segments(tool)) for tool in tools}
    alone = {(tool.origin.method, "/".join(_segments(tool))) for tool in tools}
    resources = {tool.name: _resource(tool) for tool in tools}
    for tool in tools:
        resource = resources[tool.name]
        *owner, name = resource.split("/")
        if len(owner) != 2:
            continue
        if (tool.origin.method, name) in alone:
            continue
        if f"{resource}/{{}}" not in paths and f"{name}/{{}}" in paths:
            resources[tool.name] = name
    return resources


def _worth(tools: list[Tool], resources: dict[str, str]) -> dict[str, float]:
    """Name → what a tool is worth before others are chosen."""
    below: Counter[str] = Counter()
    for tool in tools:
        segments = _segments(tool)
        below.update("/".join(segments[:end]) for end in range(1, len(segments) + 1))
    changed: Counter[str] = Counter()
    worth = {}
    for tool in sorted(tools, key=lambda tool: (tool.origin.method != "PATCH", tool.name)):
        kind = kind_of(tool)
        if tool.hints.destructive and tool.origin.method == "POST":
            kind = "delete"
        resource = resources[tool.name]
        named = [segment for segment in _segments(tool) if segment != "{}"]
        if resource != _resource(tool):
            named = [resource]
        value = KINDS[kind]
        if kind != "delete":
            value += FAMILY * math.log2(1 + below[resource])
        value -= DEPTH * max(0, len(named) - 1) + _tokens(tool) / TOKENS
        if tool.deprecated:
            value -= DEPRECATED
        if tool.origin.method not in METHODS.keys() - METADATA:
            value -= UNUSUAL
        if kind == "update":
            value -= TWIN * changed[tool.origin.path]
            changed[tool.origin.path] += 1
        worth[tool.name] = value
    return worth


def _segments(tool: Tool) -> list[str]:
    """The segments of a path, parameters as `{}`; a version at its beginning is left out, and
    `chat.postMessage` is a segment of `chat`.
    """
    path = _PARAMETER.sub("{}", tool.origin.path).removesuffix(".json")
    segments = [segment for segment in re.split(r"[/#?.]", path) if segment]
    return list(dropwhile(_VERSION.fullmatch, segments))


def _resource(tool: Tool) -> str:
    """The path of what a tool is about, without the parameters at its end: a collection and its
    items are one.
    """
    segments = _segments(tool)
    if _is_call(tool, segments):
        segments = segments[:-1]
    while segments[-1:] == ["{}"]:
        segments = segments[:-1]
    return "/".join(segments)


def _is_call(tool: Tool, segments: list[str]) -> bool:
    """Return whether a path ends in a verb: `/messages/send`, `/ips/list-pools`,
    `/chat.postMessage`.
    """
    if "." in tool.origin.path.removesuffix(".json"):
        return True
    return len(segments) == 2 and bool(kinds_of_verb(segments[1]))


def _key(tool: Tool) -> str:
    origin = tool.origin
    return origin.operation_id or origin.operation


def _tokens(tool: Tool) -> int:
    return len(json.dumps(wire(tool), separators=(",", ":"))) // 4
