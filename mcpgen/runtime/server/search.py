"""Three tools instead of hundreds: find a tool, read its contract, call it.

For clients whose context cannot hold the whole list. The list never changes, and a call through
`call_tool` is checked exactly as a direct one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

SEARCH, DESCRIBE, CALL = "search_tools", "describe_tool", "call_tool"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_K1, _B = 1.2, 0.4
_WEIGHTS = {"name": 5.0, "title": 3.0, "description": 1.5, "toolset": 1.0, "arguments": 0.5}
_STOP = frozenset(
    (
        "a an and are as at be by can do for from how i in is it my of on or the this to via"
        " with you"
    ).split()
)
_SAME = {
    "add": "create",
    "new": "create",
    "make": "create",
    "open": "create",
    "insert": "create",
    "remove": "delete",
    "erase": "delete",
    "destroy": "delete",
    "edit": "update",
    "change": "update",
    "modify": "update",
    "rename": "update",
    "set": "update",
    "show": "get",
    "read": "get",
    "fetch": "get",
    "view": "get",
    "retrieve": "get",
    "find": "search",
    "lookup": "search",
    "query": "search",
    "repository": "repo",
    "organisation": "org",
    "organization": "org",
}


def tools(*, read_only: bool) -> list[dict[str, Any]]:
    """The three Tool objects; whether `call_tool` may change something depends on the server."""
    name = {"type": "string", "description": "The tool's name"}
    looking = {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    calling = {
        "readOnlyHint": read_only,
        "destructiveHint": not read_only,
        "idempotentHint": read_only,
        "openWorldHint": True,
    }
    return [
        {
            "name": SEARCH,
            "title": "Search tools",
            "description": (
                "Find tools by what they do. Returns names and one-line descriptions, best match"
                f" first; read a tool's arguments with `{DESCRIBE}` before calling it with"
                f" `{CALL}`."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What to do, in a few words, or a tool's name",
                    },
                    "limit": {
                        "type": "integer",
                        "description": "How many tools to return (default 10)",
                        "minimum": 1,
                        "maximum": 100,
                    },
                },
                "required": ["query"],
                "additionalProperties": False,
            },
            "annotations": {"title": "Search tools", **looking},
        },
        {
            "name": DESCRIBE,
            "title": "Describe a tool",
            "description": "Return a tool's full description and the schema of its arguments.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": name},
                "required": ["name"],
                "additionalProperties": False,
            },
            "annotations": {"title": "Describe a tool", **looking},
        },
        {
            "name": CALL,
            "title": "Call a tool",
            "description": (
                f"Call a tool by name. Its arguments must fit the schema `{DESCRIBE}` shows."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": name,
                    "arguments": {
                        "type": "object",
                        "description": "The tool's arguments",
                        "properties": {},
                        "additionalProperties": True,
                    },
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "annotations": {"title": "Call a tool", **calling},
        },
    ]


class Index:
    """Tools ranked by BM25 over their weighted fields; equal scores keep the order of the list."""

    def __init__(self, listed: Iterable[Mapping[str, Any]], toolsets: Mapping[str, str]) -> None:
        self._names: list[str] = []
        self._counts: list[dict[str, float]] = []
        for tool in listed:
            self._names.append(tool["name"])
            self._counts.append(_weigh(tool, toolsets.get(tool["name"], "")))
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._average = (sum(self._lengths) / len(self._lengths)) if self._lengths else 1.0
        self._seen = Counter(term for counts in self._counts for term in counts)

    def search(self, query: str, limit: int) -> list[str]:
        """The names of the best tools, an exact name before everything else."""
        terms = _terms(query[:1000])
        wanted = _squash(query[:1000])
        scored: list[tuple[float, int]] = []
        for index, name in enumerate(self._names):
            score = math.inf if _squash(name) == wanted else self._score(index, terms)
            if score > 0:
                scored.append((-score, index))
        return [self._names[index] for _, index in sorted(scored)[:limit]]

    def _score(self, index: int, terms: list[str]) -> float:
        counts, length, total = self._counts[index], self._lengths[index], len(self._names)
        score = 0.0
        for term in terms:
            count = counts.get(term)
            if count:
                rarity = math.log(1 + (total - self._seen[term] + 0.5) / (self._seen[term] + 0.5))
                score += (
                    rarity
                    * count
                    * (_K1 + 1)
                    / (count + _K1 * (1 - _B + _B * length / self._average))
                )
        return score


def first_sentence(text: str) -> str:
    """The first sentence of a description, or its first line."""
    line = text.strip().split("\n", 1)[0]
    end = re.search(r"[.!?](?=\s|$)", line)
    return line[: end.end()] if end else line


def _weigh(tool: Mapping[str, Any], toolset: str) -> dict[str, float]:
    properties = tool["inputSchema"].get("properties", {})
    fields = {
        "name": tool["name"],
        "title": tool.get("title", ""),
        "description": tool.get("description", ""),
        "toolset": toolset,
        "arguments": " ".join(properties),
    }
    counts: dict[str, float] = {}
    for field, text in fields.items():
        for term in _terms(text):
            counts[term] = counts.get(term, 0.0) + _WEIGHTS[field]
    return counts


def _terms(text: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(text)]
    return [_SAME.get(stem, stem) for stem in (_stem(word) for word in words if word not in _STOP)]


def _stem(word: str) -> str:
    """Plurals and the third person only: enough to match `lists books` with `list_book`."""
    for ending, replacement in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + replacement
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def _squash(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
