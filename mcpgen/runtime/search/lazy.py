"""Three tools instead of hundreds: find tools with what they take, read one's full contract, call
it.

For clients whose context cannot hold the whole list. The list never changes, and a call through
`call_tool` is checked exactly as a direct one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..package import Package
from ..server.catalog import Catalog, StartError
from ..server.names import CALL, DESCRIBE, SEARCH
from .entries import entry, fields_of
from .index import FILE, Index
from .takes import takes
from .words import words

BEST = 5
"""How many tools a search tells the arguments of."""
ROOM = (800, 500, 400, 350, 350)
"""Characters for the arguments of the best tool, the second and so on."""
MOST_AREAS = 30
LONGEST_SENTENCE = 160


CONTRACT = ("name", "description", "inputSchema", "wholeInputSchema")
"""What `describe_tool` shows of a tool."""


class Lazy:
    """The three tools, and what the first two answer."""

    def __init__(self, package: Package, catalog: Catalog) -> None:
        """Raises StartError where the server was generated without an index."""
        content = package.json(FILE)
        if content is None:
            raise StartError(
                f"`--lazy` needs `{FILE}`: take `lazy = false` out of mcpgen.toml and run"
                " `mcpgen generate`"
            )
        self.tools = tools(read_only=catalog.read_only)
        self._near = catalog.near
        self._listed = {tool["name"]: tool for tool in catalog.listed}
        self._areas = Counter(catalog.toolset_of[name] for name in self._listed)
        self._index = Index(content)
        for name, tool in self._listed.items():
            if name not in content["tools"] or name in catalog.by_hand:
                fields = fields_of(tool, catalog.toolset_of[name])
                self._index.add(name, entry(fields, _kind(tool, content["verbs"]), content["stop"]))

    def instructions(self, text: str) -> str:
        """What the server says of itself, after how its tools are found and what areas they are
        in.
        """
        return (
            f"{len(self._listed):,} tools are here, in these areas: {self._area_list()}. Find them"
            f" with `{SEARCH}`, run them with `{CALL}`.\n{text}"
        )

    def search(self, query: str, limit: int) -> str:
        """The best tools for a query, the first five with what they take."""
        found = self._index.search(query, limit, self._listed)
        told: set[str] = set()
        parts = [self._entry(name, place, told) for place, name in enumerate(found.names)]
        if not found.certain:
            parts.append(
                "Few tools fit these words. Try a verb and the API's own word for the thing; the"
                f" areas are: {self._area_list()}"
            )
        return "\n".join(parts)

    def describe(self, tool: Mapping[str, Any]) -> str:
        """A tool's name, full description and input schema, and the names its answer has."""
        contract = {key: tool[key] for key in CONTRACT if key in tool}
        answers = list(tool.get("outputSchema", {}).get("properties", ()))
        if answers:
            contract["answersWith"] = answers
        return json.dumps(contract, ensure_ascii=False, separators=(",", ":"))

    def unknown(self, name: str) -> str:
        """What to say to a name that no tool has."""
        near = self._index.search(name, 3, self._listed).names
        hint = self._near(name)
        if near:
            hint = f"; did you mean {' or '.join(f'`{one}`' for one in near)}?"
        return f"There is no tool `{name[:128]}`{hint} `{SEARCH}` finds names"

    def _entry(self, name: str, place: int, told: set[str]) -> str:
        tool = self._listed[name]
        effect = "changes data"
        if tool.get("annotations", {}).get("readOnlyHint") is True:
            effect = "reads"
        sentence = str(tool.get("description", "")).split("\n", 1)[0]
        if len(sentence) > LONGEST_SENTENCE:
            sentence = sentence[:LONGEST_SENTENCE].rsplit(" ", 1)[0] + "\u2026"
        head = f"{name}: {sentence} ({effect})"
        if place >= BEST:
            return head
        arguments = takes(tool["inputSchema"], ROOM[place], told)
        return f"{head}\n{arguments}".rstrip()

    def _area_list(self) -> str:
        areas = [f"{name} ({count})" for name, count in self._areas.most_common(MOST_AREAS)]
        if len(self._areas) > MOST_AREAS:
            areas.append(f"and {len(self._areas) - MOST_AREAS} more")
        return ", ".join(areas)


def _kind(tool: Mapping[str, Any], verbs: Mapping[str, list[str]]) -> str:
    """What a tool of the user's own does: what its name begins with says it, else whether it only
    reads.
    """
    for word in words(str(tool["name"]))[:1]:
        if word in verbs:
            return verbs[word][0]
    if tool.get("annotations", {}).get("readOnlyHint") is True:
        return "get"
    return "update"


def tools(*, read_only: bool) -> list[dict[str, Any]]:
    """The three Tool objects; whether `call_tool` may change something depends on the server."""
    name = {"type": "string", "description": "The tool's name"}
    query = {
        "type": "string",
        "description": "A verb and the thing, as an API would name it, or a tool's name",
    }
    limit = {
        "type": "integer",
        "description": f"How many tools to return (default {BEST})",
        "minimum": 1,
        "maximum": 100,
    }
    arguments = {
        "type": "object",
        "description": "The tool's arguments",
        "properties": {},
        "additionalProperties": True,
    }
    searching = (
        "Find tools by what they do, best match first, each with the arguments it takes. Call one"
        f" with `{CALL}`."
    )
    describing = f"Return a tool's full contract, where `{SEARCH}` shows too little of it."
    calling = f"Call a tool by name, with the arguments `{SEARCH}` shows."
    return [
        _tool(SEARCH, "Search tools", searching, {"query": query, "limit": limit}, ["query"]),
        _tool(DESCRIBE, "Describe a tool", describing, {"name": name}, ["name"]),
        _tool(CALL, "Call a tool", calling, {"name": name, "arguments": arguments}, ["name"])
        | {"annotations": _hints("Call a tool", read_only=read_only, open_world=True)},
    ]


def _tool(
    name: str, title: str, description: str, properties: dict[str, Any], required: list[str]
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        "annotations": _hints(title, read_only=True, open_world=False),
    }


def _hints(title: str, *, read_only: bool, open_world: bool) -> dict[str, Any]:
    return {
        "title": title,
        "readOnlyHint": read_only,
        "destructiveHint": not read_only,
        "idempotentHint": read_only,
        "openWorldHint": open_world,
    }
