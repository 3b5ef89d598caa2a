"""Finding the tools of a catalog, and what the tools that do it have in common."""

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
    """The index of a server's listed tools, and the areas they are in."""

    def __init__(self, package: Package, catalog: Catalog) -> None:
        """Raises StartError where the server was generated without an index."""
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
        """Return the answer of a search, made in a thread where a part ranks, which takes time."""
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
        """The areas with the number of tools in each, the largest first."""
        areas = [f"{name} ({count})" for name, count in self._areas.most_common(MOST_AREAS)]
        if len(self._areas) > MOST_AREAS:
            areas.append(f"and {len(self._areas) - MOST_AREAS} more")
        return ", ".join(areas)

    def instructions(self, runs: str, text: str) -> str:
        """Return the server's instructions, after those for finding its tools and the name of the
        tool that runs them.
        """
        return (
            f"{len(self.listed):,} tools are here, in these areas: {self.areas()}. Find them with"
            f" `{SEARCH}`, run them with `{runs}`.\n{text}"
        )

    def few(self) -> str:
        """Return the note on a poor result."""
        return (
            "Few tools fit these words. Try a verb and the API's own word for the thing; the areas"
            f" are: {self.areas()}"
        )

    def similar(self, name: str) -> str:
        """`; did you mean ...?` for a name that no tool has, or nothing."""
        near = self._index.search(name, 3, self.listed).names
        if near:
            return f"; did you mean {' or '.join(f'`{one}`' for one in near)}?"
        return self._near(name)


def _kind(tool: Mapping[str, Any], verbs: Mapping[str, list[str]]) -> str:
    """Classify the effect of a user's own tool: by the first word of its name, else by whether it
    only reads.
    """
    for word in words(str(tool["name"]))[:1]:
        if word in verbs:
            return verbs[word][0]
    return "get" if reads(tool) else "update"


def reads(tool: Mapping[str, Any]) -> bool:
    """Return whether a tool says that it changes nothing."""
    return tool.get("annotations", {}).get("readOnlyHint") is True


def sentence_of(tool: Mapping[str, Any]) -> str:
    """The first line of a tool's description, cut at a word if it is long."""
    sentence = str(tool.get("description", "")).split("\n", 1)[0]
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    return sentence[:LONGEST_SENTENCE].rsplit(" ", 1)[0] + "\u2026"


def _texts(listed: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Name -> the text of a tool."""
    return {name: text_of(tool) for name, tool in listed.items()}


def text_of(tool: Mapping[str, Any]) -> str:
    """The name of a tool as words, and the first line of its description."""
    return f"{' '.join(words(str(tool['name'])))}: {sentence_of(tool)}"


def text_result(text: str) -> dict[str, Any]:
    """A text as the result of a call."""
    return {"content": [{"type": "text", "text": text}]}


def search_arguments() -> dict[str, Any]:
    """The arguments of a search, as properties of its input schema."""
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
