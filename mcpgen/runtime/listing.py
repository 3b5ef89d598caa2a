"""The list of a server: all its tools in pages, or a few by which the others are called (with
`--lazy` or `--code`).

Over HTTP an answer may be one server-sent event, and clients refuse events of more than 1
MiB. A list that fits into one page stays whole, because some clients read the first page
only; for those, `..._HTTP_LIST_BYTES` allows a longer list.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from .catalog import Entry
from .results.content import Context
from .settings import Settings

SEARCH, DESCRIBE, CALL, RUN = "search_tools", "describe_tool", "call_tool", "run_code"
"""The names of the tools that a server started with `--lazy` or `--code` lists."""

Tools = list[dict[str, Any]]
Run = Callable[[Entry, dict[str, Any] | None, Context], Awaitable[dict[str, Any]]]
"""Runs a tool of the catalog for the caller of the request, checked like a direct call."""


class Pages:
    """The pages of a list. A page's cursor is the name of its first tool."""

    def __init__(self, pages: list[Tools]) -> None:
        self._pages = pages
        self._cursors = [None, *(page[0]["name"] for page in pages[1:])]

    @classmethod
    def of(cls, tools: Tools, limit: int) -> Pages:
        """No page has more than `limit` bytes of tools as JSON, unless a single tool has."""
        pages: list[Tools] = [[]]
        room = limit
        for tool in tools:
            size = len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode()) + 1
            if size > room and pages[-1]:
                pages.append([])
                room = limit
            pages[-1].append(tool)
            room -= size
        return cls(pages)

    def tools(self, cursor: str | None) -> Tools:
        """The tools of a page. Raises ValueError for a cursor that was never given out."""
        return self._pages[self._cursors.index(cursor)]

    def after(self, cursor: str | None) -> str | None:
        """The cursor of the next page, or None. Raises ValueError like `tools`."""
        following = self._cursors.index(cursor) + 1
        if following == len(self._cursors):
            return None
        return str(self._cursors[following])


class Front(Protocol):
    """A few tools through which all others are found and called."""

    tools: list[dict[str, Any]]
    """Their Tool objects."""

    def instructions(self, text: str) -> str:
        """The server's instructions with what is said about these tools."""

    def settings(self, settings: Settings) -> Settings:
        """The settings for the calls that are made through them."""

    async def call(
        self, name: str, arguments: dict[str, Any], context: Context, run: Run
    ) -> dict[str, Any]:
        """The result of one of them as JSON; its arguments have been checked."""

    async def aclose(self) -> None:
        """End what they started."""
