"""Ranking of the tools of a large API by its structure alone: the most useful first.

A resource is what a path names (`/repos/{owner}/{repo}/issues`). The most requested operations come
first: search, create, actions (`/servers/{id}/reboot`) and list, then update and read. A resource
counts for more the more operations lie below it and below its area, less the deeper it lies, the
longer its name, and if it is set up once; a tool, the more it takes beside its path. A tool that
ends a thing (DELETE, or a tool whose verb does) gains nothing from its arguments; tools that end
many things, and deprecated tools, come last. The one read of a resource counts as its list.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile

from ..ir import Server, Tool
from ..load.methods import METADATA, METHODS
from ..render.facts import wire
from ..render.search import kind_of, kinds_of_verb
from ..runtime.parts.search.language import READING
from ..runtime.parts.search.words import stems, words

KINDS = {"search": 1.0, "create": 0.5, "list": 0.2, "update": -0.4, "get": -0.4, "delete": -0.8}
"""Kind of operation → its base value."""
ACTION = 0.4
"""Points for a verb at the end of a path: `/servers/{id}/reboot`."""
FAMILY = 1.6
"""Points of the resource with the most operations; the others get their share of them."""
AREA = 1.3
"""The same of the first segment of a path."""
TAKES = 1.0
"""Points of the tool that takes the most beside its path: much is said of what is used much."""
DEPTH = 0.6
"""Points that each named segment of a path costs."""
WORD = 0.6
"""Points that each word of a resource's name costs: `orders` before `order-tax-settings`."""
SETUP = 1.3
"""Points that a resource costs that is set up once, is for administrators, or for many at once."""
SETUPS = frozenset(
    stems(
        "admin attribute batch bulk configuration config custom enterprise metadata policy"
        " setting".split()
    )
)
"""Stems of the words that say so."""
RUIN = 4.0
"""Points that a tool costs that destroys much at once, or ends a membership."""
RUINOUS = frozenset(
    "ban destroy erase evict expel kick prune purge terminate truncate uninstall wipe".split()
)
"""The verbs that say so."""
DEPRECATED = 3.0
UNUSUAL = 3.0
"""Points that a method costs if it is rare, or reads metadata instead of the resource."""
TWIN = 2.0
"""Points that the second way to change the same thing costs (PUT beside PATCH)."""
CROWD = 0.1
"""Points that each tool costs the later tools of its resource."""
_PARAMETER = re.compile(r"\{[^}]*\}")
_VERSION = re.compile(r"v?\d[\d.-]*(\w+\d+)?|v\d\w*|api|rest")
"""A segment at the beginning of a path that names nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One tool worth having, with its key for `mcpgen.toml` (operationId or `METHOD /path`) and its
    estimated tokens.
    """

    tool: Tool
    key: str
    tokens: int


def suggest(server: Server, limit: int) -> list[Suggestion]:
    """Return the tools of a server worth having first, at most `limit`, in the order of the
    list.
    """
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
    """Return the choice as the lines of `[select]` in `mcpgen.toml`."""
    rows = [f"    {json.dumps(choice.key, ensure_ascii=False)}," for choice in choices]
    return "\n".join(["[select]", "include_operations = [", *rows, "]"])


def _resources(tools: list[Tool]) -> dict[str, str]:
    """Return name → resource. A collection whose items have a path of their own is about those:
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
    """Return name → points of a tool before others are chosen."""
    below = _below(tools)
    family = _shares({resource: below[resource] for resource in resources.values()})
    area = _shares({tool.name: below["".join(_segments(tool)[:1])] for tool in tools})
    takes = _shares({tool.name: _beside_path(tool) for tool in tools})
    kinds = {tool.name: _kind(tool) for tool in tools}
    reading = defaultdict(set)
    for name, kind in kinds.items():
        reading[resources[name]].add(kind.replace("search", "list"))
    changed: Counter[str] = Counter()
    worth = {}
    for tool in sorted(tools, key=lambda tool: (tool.origin.method != "PATCH", tool.name)):
        resource = resources[tool.name]
        kind = kinds[tool.name]
        if kind == "get" and "list" not in reading[resource] and _is_main_read(tool):
            kind = "list"
        value = KINDS[kind] + TAKES * takes[tool.name] - _costs(tool, resource)
        if kind != "delete":
            value += FAMILY * family[resource] + AREA * area[tool.name]
            value += ACTION * _is_action(tool)
        if kind == "update":
            value -= TWIN * changed[tool.origin.path]
            changed[tool.origin.path] += 1
        worth[tool.name] = value
    return worth


def _kind(tool: Tool) -> str:
    """Return the kind of a tool: `delete` by any method if its verb ends a thing, `get` for a
    read-only tool of no reading kind.
    """
    if "delete" in kinds_of_verb(tool.name):
        return "delete"
    kind = kind_of(tool)
    if tool.hints.read_only and kind not in READING:
        return "get"
    return kind


def _below(tools: list[Tool]) -> Counter[str]:
    """Return path (segments with `/` between) → number of tools at it and below it."""
    below: Counter[str] = Counter()
    for tool in tools:
        segments = _segments(tool)
        below.update("/".join(segments[:end]) for end in range(1, len(segments) + 1))
    return below


def _shares(sizes: dict[str, int]) -> dict[str, float]:
    """Return log2(1 + size) of each size, as a share, 0 to 1, of the largest."""
    most = max([1, *sizes.values()])
    return {name: math.log2(1 + size) / math.log2(1 + most) for name, size in sizes.items()}


def _beside_path(tool: Tool) -> int:
    return sum(argument.place != "path" for argument in tool.arguments)


def _is_main_read(tool: Tool) -> bool:
    """Return whether a tool reads by its method or by the end of its path (`POST /balance/get`)."""
    return tool.origin.method == "GET" or _named(tool)[-1:] == ["get"]


def _is_action(tool: Tool) -> bool:
    """Return whether a change has its verb at the end of a longer path, or its name's verb there
    (`/games/{id}/move/{move}`).
    """
    named, segments = _named(tool), _segments(tool)
    if tool.origin.method == "GET" or named[1:] == []:
        return False
    if segments[-1] != "{}" and kinds_of_verb(named[-1]):
        return True
    verb = words(tool.name)[:1] * ("{}" in segments)
    return verb == words(named[-1])[:1]


def _costs(tool: Tool, resource: str) -> float:
    """Return the points that a tool's place, name and state cost."""
    named = _named(tool)
    if resource != _resource(tool):
        named = [resource]
    said = stems(words(" ".join(named)))
    costs = DEPTH * len(named) + WORD * len(words("".join(named[-1:])))
    costs += SETUP * (not SETUPS.isdisjoint(said)) + DEPRECATED * tool.deprecated
    costs += RUIN * (not RUINOUS.isdisjoint(words(tool.name)[:1]))
    return costs + UNUSUAL * (tool.origin.method not in METHODS - METADATA)


def _named(tool: Tool) -> list[str]:
    return [segment for segment in _segments(tool) if segment != "{}"]


def _segments(tool: Tool) -> list[str]:
    """Return the segments of a path, parameters as `{}`; a version at its beginning is left out,
    and `chat.postMessage` is a segment of `chat`.
    """
    segments = [segment for segment in re.split(r"[/#?.]", _path(tool)) if segment]
    return list(dropwhile(_VERSION.fullmatch, segments))


def _path(tool: Tool) -> str:
    """Return a path with its parameters as `{}`, without `.json` at its end."""
    return _PARAMETER.sub("{}", tool.origin.path).removesuffix(".json")


def _resource(tool: Tool) -> str:
    """Return the path of what a tool is about, without the parameters at its end: a collection and
    its items are one.
    """
    segments = _segments(tool)
    if _is_call(tool, segments):
        segments = segments[:-1]
    while segments[-1:] == ["{}"]:
        segments = segments[:-1]
    return "/".join(segments)


def _is_call(tool: Tool, segments: list[str]) -> bool:
    """Return whether a path ends in a verb: the second of two segments (`/messages/send`,
    `/ips/list-pools`), or what follows a dot in the last part (`/chat.postMessage`).
    """
    if "." in _path(tool).rpartition("/")[2]:
        return True
    return len(segments) == 2 and bool(kinds_of_verb(segments[1]))


def _key(tool: Tool) -> str:
    origin = tool.origin
    return origin.operation_id or origin.operation


def _tokens(tool: Tool) -> int:
    return len(json.dumps(wire(tool), separators=(",", ":"))) // 4
