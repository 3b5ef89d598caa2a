"""Tools of this server: those with contracts in files, and functions with `@tool` in any module of
`custom/`, which need no contract.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from .arguments import suggest, suggest_tool
from .package import Entry, Package, StartError, decorated, toolset_of
from .parts import Part


@dataclass(frozen=True, slots=True)
class ToolFilter:
    """Choice of tools: those of `toolsets`, and `tools` besides; all of them when `toolsets` is
    None.
    """

    toolsets: frozenset[str] | None
    tools: frozenset[str]

    @classmethod
    def of(cls, root: Path, toolsets: Iterable[str], tools: Iterable[str]) -> ToolFilter:
        """Return the choice; no names choose all. Raises StartError for an unknown toolset."""
        sets, single_tools = (
            frozenset(name.strip() for name in names) - {""} for names in (toolsets, tools)
        )
        if not sets and not single_tools:
            return cls(None, frozenset())
        files = [*(root / "tools").glob("*.json"), *(root / "custom").glob("*.json")]
        names = sorted({toolset_of(path) for path in [*files, *decorated(root)]})
        for name in sorted(sets - set(names)):
            choices = ", ".join(f"`{choice}`" for choice in names)
            hint = suggest(name, names) or f"; the toolsets are {choices}"
            raise StartError(f"there is no toolset `{name}`{hint}")
        return cls(sets, single_tools)

    def refuse_unknown(self, names: Collection[str]) -> None:
        """Raise StartError for a tool that was asked for and is none of `names`."""
        for name in sorted(self.tools.difference(names)):
            raise StartError(f"there is no tool `{name}`{suggest_tool(name, sorted(names))}")

    def takes(self, toolset: str, tool: str = "") -> bool:
        """Return whether a tool is offered; without one, whether every tool of the toolset is."""
        if self.toolsets is None:
            return True
        return toolset in self.toolsets or tool in self.tools


class Catalog:
    """Chosen tools: all in `entries`, by name; in `listed` without those that `read_only` hides."""

    def __init__(
        self,
        package: Package,
        *,
        toolsets: Iterable[str] = (),
        tools: Iterable[str] = (),
        read_only: bool = False,
        aliases: dict[str, str] | None = None,
        yours: bool = True,
        parts: Iterable[Part] = (),
    ) -> None:
        self.read_only = read_only
        self.parts = tuple(parts)
        self.aliases = aliases or {}
        self.entries: dict[str, Entry] = {}
        self.by_hand: set[str] = set()
        """Names of the tools whose contract is the user's."""
        self.package = package
        self.left_out: list[str] = []
        """Functions with `@tool` that are not served as they are written, each with its place."""
        self._yours = yours
        root = package.folder
        self.names: set[str] = set()
        """Names of all tools in the files that were read."""
        self.unread: list[Path] = []
        """Files of toolsets that are not offered."""
        own_names = (self.aliases.get(name.strip(), name) for name in tools)
        chosen = ToolFilter.of(root, toolsets, own_names)
        folders = ("tools", "custom") if yours else ("tools",)
        files = [path for each in folders for path in sorted((root / each).glob("*.json"))]
        if files:
            self._reader(files[0])(self, chosen, yours).read(files)
        if yours:
            self._add_functions(chosen)
        chosen.refuse_unknown(self.names)
        entries = self.entries.values()
        self.listed = [entry.tool for entry in entries if entry.read_only or not read_only]
        self.toolset_of = {entry.name: entry.toolset for entry in entries}

    def whole(self) -> Catalog:
        """Return a catalog, read anew, of all toolsets, also with tools that write."""
        return Catalog(self.package, aliases=self.aliases, yours=self._yours, parts=self.parts)

    def every_name(self) -> list[str]:
        """Return the names of all tools, also of those that were not chosen."""
        texts = [path.read_bytes() for path in self.unread]
        return [*self.names, *(tool["name"] for text in texts for tool in json.loads(text))]

    def find(self, name: str) -> Entry | None:
        """Return the tool of a name or alias; None without any."""
        return self.entries.get(name) or self.entries.get(self.aliases.get(name, ""))

    def writes(self, name: str) -> bool:
        """Return whether there is a tool of that name or alias, and it can change something."""
        entry = self.find(name)
        return entry is not None and not entry.read_only

    def near(self, name: str) -> str:
        """Return `; did you mean ...?` with the listed tool that a name means, or nothing."""
        return suggest_tool(name, [tool["name"] for tool in self.listed])

    def _reader(self, file: Path) -> Any:
        """Return the class that reads contracts in files (`contracts.Contracts`). Raises StartError
        for a server without it.
        """
        try:
            return import_module(".contracts", __package__).Contracts
        except ModuleNotFoundError as error:
            raise StartError(f"{file} is the contract of a tool: run `mcpgen generate`") from error

    def _add_functions(self, chosen: ToolFilter) -> None:
        """Add tools made of functions. Raises StartError for a taken name or a missing part."""
        paths = decorated(self.package.folder)
        readers = [part.functions for part in self.parts if part.functions is not None]
        # The generator leaves out what reads functions until there is one
        if paths and not readers:
            raise StartError(f"{paths[0]} has a function with `@tool`: run `mcpgen generate`")
        for reader in readers:
            for entry in reader(self, paths, chosen):
                self.by_hand.add(entry.name)
                self.entries[entry.name] = entry


SEARCH, DESCRIBE, CALL, RUN = "search_tools", "describe_tool", "call_tool", "run_code"
"""Names of the tools that a server started with `--lazy` or `--code` lists."""

Tools = list[dict[str, Any]]
