"""Find tools of a catalog by a query, and make the texts about them for a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import anyio.to_thread

from ...catalog import SEARCH, Catalog
from ...package import Package, StartError
from .. import remedy
from .entries import entry, fields_of
from .index import FILE, Index, SearchResult
from .words import words

DEEPEST = 30
"""Tools that are ranked anew at least, where a part ranks them."""
BEST = 5
"""Most tools per search whose arguments are shown."""
MOST_AREAS = 30
LONGEST_SENTENCE = 160
Offers = Callable[[Any], bool]
"""Returns whether a connection wants a tool (`Context.offers`)."""


class Finder:
    """Index of a server's listed tools, the user's own included, and the areas (toolsets)."""

    def __init__(self, package: Package, catalog: Catalog) -> None:
        """Raise StartError if the server was generated without an index."""
        content = package.json(FILE)
        if not content:
            raise StartError(f"the search needs `{FILE}`: {remedy('search')}")
        self.listed = {tool["name"]: tool for tool in catalog.listed}
        self._near, self._find = catalog.near, catalog.find
        self._areas = Counter(catalog.toolset_of[name] for name in self.listed)
        self._index = Index(content)
        for name, tool in self.listed.items():
            if name in catalog.by_hand or name not in content["tools"]:
                fields = fields_of(tool, catalog.toolset_of[name])
                self._index.add(name, entry(fields, _kind(tool, content["verbs"]), content["stop"]))
        rankings = [part.ranking for part in catalog.parts if part.ranking is not None]
        self._rankings = [ranking(_texts(self.listed)) for ranking in rankings]
        self._one_thread = anyio.CapacityLimiter(1)

    async def answer(self, search: Callable[..., str], *given: Any) -> str:
        """Return `search(*given)`, called in a thread if a part ranks tools, which takes time."""
        if not self._rankings:
            return search(*given)
        return await anyio.to_thread.run_sync(
            search, *given, abandon_on_cancel=True, limiter=self._one_thread
        )

    def search(self, query: str, limit: int, offers: Offers) -> SearchResult:
        """Return the best tools for a query, at most `limit`, among those the connection wants."""
        listed = [name for name in self.listed if offers(self._find(name))]
        result = self._index.search(query, max(limit, DEEPEST), listed)
        names = result.names
        for rank in self._rankings:
            names = rank(query, names, {*listed} - self._index.undoing(query))
        return SearchResult(names[:limit], result.certain)

    def areas(self) -> str:
        """Return the areas, the largest first: `books (12), orders (3) and 4 more`."""
        areas = [f"{name} ({count})" for name, count in self._areas.most_common(MOST_AREAS)]
        if len(self._areas) > MOST_AREAS:
            areas.append(f"and {len(self._areas) - MOST_AREAS} more")
        return ", ".join(areas)

    def instructions(self, runs: str, text: str) -> str:
        """Return how to find the tools, and to run them by the tool `runs`; then `text`, the
        server's instructions.
        """
        return (
            f"{len(self.listed):,} tools are here, in these areas: {self.areas()}. Find them with"
            f" `{SEARCH}`, run them with `{runs}`.\n{text}"
        )

    def few(self) -> str:
        """Return the note on a poor result, with the areas."""
        return (
            "Few tools fit these words. Try a verb and the API's own word for the thing; the areas"
            f" are: {self.areas()}"
        )

    def similar(self, name: str) -> str:
        """Return `; did you mean ...?` for a name that no tool has; empty if none is similar."""
        near = self._index.doing(name, self._index.search(name, 3, self.listed).names)
        if near:
            return f"; did you mean {' or '.join(f'`{one}`' for one in near)}?"
        return self._near(name)


def _kind(tool: Mapping[str, Any], verbs: Mapping[str, list[str]]) -> str:
    """Return the kind of a user's own tool: that of its name's first word, if this is a verb; else
    `get` if it only reads, or `update`.
    """
    for word in words(str(tool["name"]))[:1]:
        if word in verbs:
            return verbs[word][0]
    return "get" if reads(tool) else "update"


def reads(tool: Mapping[str, Any]) -> bool:
    """Return whether a tool has the hint read-only."""
    return tool.get("annotations", {}).get("readOnlyHint") is True


def sentence_of(tool: Mapping[str, Any]) -> str:
    """Return the first line of a tool's description; a long one is cut at a word (ellipsis)."""
    sentence = str(tool.get("description", "")).split("\n", 1)[0]
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    return sentence[:LONGEST_SENTENCE].rsplit(" ", 1)[0] + "\u2026"


def _texts(listed: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return tool name -> text of the tool (`text_of`)."""
    return {name: text_of(tool) for name, tool in listed.items()}


def text_of(tool: Mapping[str, Any]) -> str:
    """Return a tool's name as words and its description's first line: `list books: List books.`"""
    return f"{' '.join(words(str(tool['name'])))}: {sentence_of(tool)}"


def text_result(text: str) -> dict[str, Any]:
    """Return the result of a call with one text."""
    return {"content": [{"type": "text", "text": text}]}


def search_arguments() -> dict[str, Any]:
    """Return the properties of a search's input schema: `query` and `limit`."""
    return {
        "query": {
            "type": "string",
            "description": "A verb and the thing, as an API would name it, or a tool's name",
        },
        "limit": {
            "type": "integer",
            "description": f"How many tools to return (default {BEST})",
            "minimum": 1,
            "maximum": 100,
        },
    }
