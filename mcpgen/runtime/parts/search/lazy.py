"""Offer three tools instead of hundreds: search the tools, describe a tool's full contract, and
call a tool.

For clients whose context cannot hold the whole list. The list never changes, and a call through
`call_tool` is checked exactly as a direct one.
"""

from __future__ import annotations

from typing import Any

from ...catalog import CALL, DESCRIBE, SEARCH, Catalog
from ...package import Package
from ...results.content import Context, failure
from ..describe import contract, describing, hints, tool_of
from .argument_summary import argument_summary
from .finder import BEST, Finder, Offers, reads, search_arguments, sentence_of, text_result
from .front import Front, Run

ROOM = (800, 500, 400, 350, 350)
"""Characters for the arguments of the best tool, the second and so on."""


class Lazy(Front):
    """Front of `--lazy`: three tools, and their answers."""

    def __init__(self, package: Package, catalog: Catalog) -> None:
        """Raise StartError if the server was generated without an index."""
        self.tools = tools(read_only=catalog.read_only)
        self._finder = Finder(package, catalog)
        self._find = catalog.find

    def instructions(self, text: str) -> str:
        """Return the server's instructions, after those for finding its tools and the list of their
        areas.
        """
        return self._finder.instructions(CALL, text)

    async def call(
        self, name: str, arguments: dict[str, Any], context: Context, run: Run
    ) -> dict[str, Any]:
        """Return the result of one of the three tools; an error if it names an unknown tool."""
        if name == SEARCH:
            limit = arguments.get("limit", BEST)
            given = (arguments["query"], limit, context.offers)
            return text_result(await self._finder.answer(self.search, *given))
        target = self._find(arguments["name"])
        if not context.offers(target):
            target = None
        if target is None:
            return failure(self.unknown(arguments["name"]))
        if name == DESCRIBE:
            return text_result(contract(target))
        return await run(target, arguments.get("arguments"), context)

    def search(self, query: str, limit: int, offers: Offers = bool) -> str:
        """Return the best tools as text, the first five with arguments; with a note if poor."""
        result = self._finder.search(query, limit, offers)
        told: set[str] = set()
        parts = [self._entry(name, place, told) for place, name in enumerate(result.names)]
        if not result.certain:
            parts.append(self._finder.few())
        return "\n".join(parts)

    def unknown(self, name: str) -> str:
        """Return the error text for an unknown tool name, with similar names."""
        hint = self._finder.similar(name) or ";"
        return f"There is no tool `{name[:128]}`{hint} `{SEARCH}` finds names"

    def _entry(self, name: str, place: int, told: set[str]) -> str:
        tool = self._finder.listed[name]
        effect = "reads" if reads(tool) else "changes data"
        head = f"{name}: {sentence_of(tool)} ({effect})"
        if place >= BEST:
            return head
        arguments = argument_summary(tool["inputSchema"], ROOM[place], told)
        return f"{head}\n{arguments}".rstrip()


def tools(*, read_only: bool) -> list[dict[str, Any]]:
    """Return the three Tool objects; with `read_only`, the hint of `call_tool` is read-only."""
    name = {"type": "string", "description": "The tool's name"}
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
    calling = f"Call a tool by name, with the arguments `{SEARCH}` shows."
    return [
        tool_of(SEARCH, "Search tools", searching, search_arguments(), ["query"]),
        describing(f"`{SEARCH}` shows too little of it"),
        tool_of(CALL, "Call a tool", calling, {"name": name, "arguments": arguments}, ["name"])
        | {"annotations": hints("Call a tool", read_only=read_only, open_world=True)},
    ]
