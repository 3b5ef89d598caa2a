"""The data of the pages: a server, its tools and its limits, as the commands compute them.

`inspect`, `score`, `suggest` and `lint` print the same as text; nothing is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from ..customise.bindings import documented
from ..ir import Server, Skip, Tool
from ..lint.clients import ClientRules, refused_tools, table
from ..lint.hidden_text import findings as hidden_text
from ..load.source import is_url
from ..load.values import as_text, texts_in
from ..render.facts import wire
from ..score.rules import Score, score_tools
from ..text import plural
from .summary import Summary, credential_goes, deletes, other_origins, reads, summarise, weight

if TYPE_CHECKING:
    from ..load import Document
    from ..load.operations import DocumentedOperation

Kind = Literal["reads", "adds", "changes"]
KINDS: Mapping[Kind, str] = {
    "reads": "only reads",
    "adds": "adds or changes, deletes nothing",
    "changes": "may delete or overwrite",
}
MOST_REASONS = 4
"""Reasons of one client that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A tool in a list. `number` is its place from 0, `key` that of its table in `mcpgen.toml`,
    `tags` are the document's, `signature` its arguments with optional ones in brackets.
    """

    number: int
    tool: Tool
    toolset: str
    key: str
    tags: tuple[str, ...]
    kind: Kind
    tokens: int
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A list against the limits of a client. `most` is its limit on the number of tools, None
    without a known one; `refused`: the number of tools it refuses, `reasons`: (reason, number).
    """

    title: str
    count: int
    most: int | None
    refused: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def filled(self) -> float:
        """The share of the limit that is used, at most 1; 0 without a limit."""
        if self.most is None:
            return 0.0
        return min(1.0, self.count / self.most)

    @property
    def state(self) -> str:
        """`over` for more tools than the limit, `refused` for single refused tools, else `fits`."""
        if self.most is not None and self.count > self.most:
            return "over"
        if self.refused:
            return "refused"
        return "fits"

    @property
    def verdict(self) -> str:
        """The state in words: `refuses 3`, `fits`, or the multiple of the limit."""
        if self.state == "over" and self.most is not None:
            return f"{self.count / self.most:.1f} times what it takes"
        if self.state == "refused":
            return f"refuses {self.refused:,}"
        return "fits"


class Catalogue:
    """A document and the server it becomes. Slow properties are computed at their first use."""

    def __init__(
        self, document: Document, server: Server, functions: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        """`functions` are the tools of the user's code, as their server lists them."""
        self.document, self.server = document, server
        self.summary: Summary = summarise(document, server, functions)
        self.operations = documented_operations(document)
        self.rows = tuple(self._rows())

    def _rows(self) -> Iterable[Row]:
        keys = keys_of(self.server.tools)
        number = 0
        for toolset in self.server.toolsets:
            for tool in toolset.tools:
                yield Row(
                    number=number,
                    tool=tool,
                    toolset=toolset.name,
                    key=keys[tool.name],
                    tags=self.tags(tool),
                    kind=kind_of(tool),
                    tokens=self.summary.sizes[tool.name].tokens,
                    signature=signature(wire(tool)),
                )
                number += 1

    def tags(self, tool: Tool) -> tuple[str, ...]:
        """Return the tags that the document gives a tool's operation; empty for other tools."""
        operation = self.operations.get(tool.origin.operation)
        if operation is None:
            return ()
        return tuple(texts_in(operation.node.get("tags")))

    @cached_property
    def tools(self) -> list[Mapping[str, Any]]:
        """The Tool objects of the list; functions only if they were given."""
        return [*(wire(row.tool) for row in self.rows), *self.summary.functions]

    @cached_property
    def score(self) -> Score | None:
        """The score of the list; None for an empty one."""
        return score_tools(self.tools) if self.tools else None

    @property
    def functions(self) -> list[tuple[Mapping[str, Any], Kind, int]]:
        """The tools of the user's code: Tool object, kind and tokens of each."""
        return [
            (tool, _kind(read_only=reads(tool), destructive=deletes(tool)), weight(tool).tokens)
            for tool in self.summary.functions
        ]

    @property
    def count(self) -> int:
        """The number of tools in the list."""
        return len(self.rows) + max(len(self.summary.functions), len(self.server.functions))

    @property
    def law(self) -> str:
        """The count of operations and workflows by outcome, and of functions, as a sentence."""
        of = self.summary
        texts = [
            f"{plural(of.operations, 'operation')} = {plural(of.tools, 'tool')}"
            f" + {of.filtered:,} left out by choice + {of.skipped:,} skipped"
        ]
        workflows = of.workflows + of.workflows_left_out
        if workflows:
            left_out = of.workflows_left_out
            texts.append(
                f"{plural(workflows, 'workflow')} = {plural(of.workflows, 'tool')}"
                f" + {left_out:,} skipped"
            )
        if self.server.functions:
            note = "" if self.summary.is_whole else " (not shown here)"
            texts.append(plural(len(self.server.functions), "function") + note)
        return "; ".join(texts)

    @property
    def source_name(self) -> str:
        """The document's URL, or its file name without folders."""
        if is_url(self.summary.source):
            return self.summary.source
        return PurePath(self.summary.source).name

    @property
    def score_known(self) -> bool:
        """Whether the score was computed already."""
        return "score" in self.__dict__

    @property
    def methods(self) -> list[str]:
        """The methods that tools have, sorted."""
        return sorted({row.tool.origin.method for row in self.rows})

    @property
    def all_tags(self) -> list[str]:
        """The tags that tools have, sorted."""
        return sorted({tag for row in self.rows for tag in row.tags})

    @cached_property
    def scores(self) -> dict[str, float]:
        """Tool → its score, 1 to 5; empty without tools."""
        if self.score is None:
            return {}
        return {one.name: one.score for one in self.score.tools}

    @cached_property
    def budgets(self) -> tuple[Budget, ...]:
        """The list against every client with known limits, exceeded ones first."""
        order = ("over", "refused", "fits")
        clients = [client for client in table().values() if client.rules and not client.former]
        budgets = [self._budget(client) for client in clients]
        return tuple(sorted(budgets, key=lambda budget: order.index(budget.state)))

    def _budget(self, client: ClientRules) -> Budget:
        limits = [int(rule.value) for rule in client.counts]
        refusals = refused_tools(self.tools, self.server.name, client)
        refused = {name for names in refusals.values() for name in names}
        reasons = sorted(
            ((reason, len(names)) for (_, reason), names in refusals.items()),
            key=lambda pair: -pair[1],
        )
        return Budget(
            title=client.title,
            count=self.count,
            most=min(limits, default=None),
            refused=len(refused),
            reasons=tuple(reasons[:MOST_REASONS]),
        )

    @property
    def credentials(self) -> list[tuple[str, str, str]]:
        """Each credential: its name, its place in the request, and its environment variables."""
        return [
            (auth.name, credential_goes(auth), ", ".join(auth.variables))
            for auth in self.server.auth
        ]

    @property
    def other_origins(self) -> dict[str, list[str]]:
        """Base URL unlike its API's → the names of tools that call it."""
        return other_origins(self.server)

    @cached_property
    def suspicious(self) -> list[tuple[str, str, str]]:
        """The texts that address a model: kind, JSON Pointer and excerpt."""
        found = hidden_text(self.document.root)
        return [(one.what, one.pointer, one.excerpt) for one in found]

    @property
    def skipped(self) -> list[Skip]:
        """Operations and workflows that could not become tools."""
        return [skip for skip in self.server.skips if not skip.filtered]

    def documented_text(self, tool: Tool) -> str:
        """Return the summary and description of a tool's operation in the document, as
        paragraphs.
        """
        operation = self.operations.get(tool.origin.operation)
        if operation is None:
            return ""
        texts = [as_text(operation.node.get(key)).strip() for key in ("summary", "description")]
        return "\n\n".join(filter(None, texts))


def documented_operations(document: Document) -> dict[str, DocumentedOperation]:
    """Return `METHOD /path` → the operation as the document has it."""
    return {one.key: one for one in documented(document)}


def keys_of(tools: Iterable[Tool]) -> dict[str, str]:
    """Return tool → key in `mcpgen.toml`: the operationId if it is unique, else `METHOD /path`."""
    listed = list(tools)
    counts = Counter(tool.origin.operation_id for tool in listed)
    keys = {}
    for tool in listed:
        identity = tool.origin.operation_id
        keys[tool.name] = tool.origin.operation
        if identity and counts[identity] == 1:
            keys[tool.name] = identity
    return keys


def kind_of(tool: Tool) -> Kind:
    """Return the effect of a call on the API's data, by the tool's hints: `reads`, `adds` or
    `changes`.
    """
    return _kind(read_only=tool.hints.read_only, destructive=tool.hints.destructive)


def _kind(*, read_only: bool, destructive: bool) -> Kind:
    if read_only:
        return "reads"
    if destructive:
        return "changes"
    return "adds"


def signature(tool: Mapping[str, Any]) -> str:
    """Return the arguments of a Tool object as `mcpgen call` takes them: `book_id, [limit]`."""
    schema = tool.get("inputSchema", {})
    required = schema.get("required", [])
    words = []
    for name in schema.get("properties", {}):
        if name in required:
            words.append(name)
        else:
            words.append(f"[{name}]")
    return ", ".join(words)
