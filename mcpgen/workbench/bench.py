"""The data of the workbench: a document, the server it becomes, and unsaved edits of `mcpgen.toml`.

An edit is a change of keys in the text; it is accepted if the file can be read and every table
fits, by the functions that `generate` uses.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from .. import pipeline
from ..catalogue.model import Catalogue, Row
from ..catalogue.summary import size_of
from ..config import NAME, Config, Selection
from ..config.file import config_in_project, parse_config
from ..config.keys import BY_NAME
from ..config.model import ToolConfig
from ..config.options import edit, new_text
from ..config.positions import KeyPath
from ..customise import customise
from ..customise.bindings import pin, table_of
from ..ir import Server, Skip, Tool
from ..live.tools import own_tools
from ..live.watch import States, sources, states_of
from ..load.source import STDIN
from ..lock import Lock
from ..parse.select import left_out, matches
from ..paths import homes, is_project
from ..problems import McpgenError, Problems, UsageError
from ..project.functions import functions_of
from ..project.run import named, request_of, settle
from ..write.commit import write_file

OWN = ("custom", "hooks.py", "auth.py")
"""Parts of a package that belong to the user."""
MOST_UNDONE = 200
"""Texts of `mcpgen.toml` that undo can go back to."""
NO_TOOL = ("E0832", "a server needs at least one tool", "keep one of them")
"""Code, message and hint of a choice that would leave nothing."""
SELECTION = tuple(
    f"{action}_{kind}s"
    for action in ("include", "exclude")
    for kind in ("tag", "path", "method", "operation")
)


@dataclass(frozen=True, slots=True)
class Pending:
    """The edits that are not saved: lines of a unified diff as (sign, text). `file` is their
    file.
    """

    lines: tuple[tuple[str, str], ...]
    undoable: bool
    file: str


class Bench:
    """A project or a document, and edits of its configuration. One lock guards every change."""

    def __init__(self, config: Config) -> None:
        """Read the document. Raises McpgenError as `generate` does."""
        if STDIN in config.sources:
            hint = "save it to a file and name that"
            raise UsageError.of("E0831", "the workbench reads a document more than once", hint=hint)
        self.lock = RLock()
        self.history: list[str] = []
        self.version = 0
        self._read(config)

    def _read(self, config: Config) -> None:
        """Read the document, the lock and `mcpgen.toml`, as the stages do; unsaved edits are
        lost.
        """
        plan = settle(request_of(config))
        self.problems = Problems()
        self.document = pipeline.read(plan.config, self.problems)
        server = self._everything(plan.config, self.problems, plan.lock)
        folder = plan.folder
        if folder is None:
            folder = Path(server.distribution)
            if is_project(folder):
                self._read(replace(config, sources=(os.fspath(folder),)))
                return
        self.folder, self.last_lock, self.started_with = folder, plan.lock, config
        self._take_functions(server)
        self.saved = new_text(plan.config, folder, name=self.server.name)
        if is_project(folder):
            self.saved = (folder / NAME).read_text("utf-8-sig")
        self.text = self.saved
        self.config = self.config_of(self.text)
        self._use(self.text)
        self._seen = self._on_disk()

    def _take_functions(self, server: Server) -> None:
        """Show a server beside the functions that the project has now."""
        self._own = states_of(self._own_files())
        self.version += 1
        self._take(server)
        self.functions: tuple[Mapping[str, Any], ...] = ()
        with suppress(McpgenError):  # the page says that they are not counted
            self.functions = own_tools(self.folder, self.server)

    def _own_files(self) -> Iterator[Path]:
        """Yield the paths of the user's code in the project, existing or not."""
        for name in OWN:
            for path in [home / name for home in homes(self.folder)]:
                yield from (path, *path.rglob("*.*"))

    def _on_disk(self) -> States:
        """Return the states of the files that were read, without `mcpgen.toml`: `save` notices its
        changes.
        """
        paths = sources(self.config, self.document, self.folder)
        return states_of(path for path in paths if path != self.folder / NAME)

    def refresh(self) -> None:
        """Read files that changed on the disk again, and apply the unsaved edits. Raises
        McpgenError for an unusable file or edit.
        """
        with self.lock:
            if self._on_disk() != self._seen:
                self._redo()
            elif self._own != states_of(self._own_files()):
                self._take_functions(self.server)
                self._apply(self.text, self.config)

    def _everything(self, config: Config, problems: Problems, lock: Lock | None) -> Server:
        """Return the server of all operations, as their document has them, within their budgets."""
        everything = replace(config, selection=Selection(), tools=_budgets(config))
        return pipeline.understood(self.document, everything, problems, lock=lock).server

    def _take(self, server: Server) -> None:
        """Show the operations of a server, beside the functions of the project."""
        names = tuple(function.name for function in functions_of(self.folder))
        self.server = replace(server, has_functions=bool(names), functions=names)
        for name in ("catalogue", "numbers"):
            self.__dict__.pop(name, None)

    def _use(self, text: str) -> None:
        """Replace the text of `mcpgen.toml`, and read the document again if needed. Raises
        McpgenError for an unusable text, and changes nothing then.
        """
        config, problems = self.config_of(text), Problems()
        before = self.document, self.problems, self.server
        is_another = _documents(config) != _documents(self.config)
        try:
            if is_another:
                self.document, self.problems = pipeline.read(config, problems), problems
            if is_another or _of_the_server(config) != _of_the_server(self.config):
                self._take(self._everything(config, problems, self.last_lock))
            self._apply(text, config)
            if is_another:
                self._seen = self._on_disk()
        except McpgenError:
            self.document, self.problems, server = before
            self._take(server)
            raise

    def _apply(self, text: str, config: Config) -> None:
        """Choose and customise the tools as a configuration says, and keep its text."""
        pinned = pin(config, self.last_lock, self.document)
        chosen = self._chosen(pinned)
        customised = customise(self._restricted(chosen), pinned, Problems())
        self.text, self.config, self.chosen = text, config, chosen
        self.customised_server = customised
        self.customised = {tool.origin.operation: tool for tool in customised.tools}

    def config_of(self, text: str) -> Config:
        """Return the configuration of a text of `mcpgen.toml`. Raises McpgenError."""
        read = config_in_project if is_project(self.folder) else parse_config
        return named(read(text, folder=self.folder), self.last_lock)

    def _chosen(self, config: Config) -> frozenset[int]:
        """Return the numbers of the rows that a configuration does not leave out."""
        return frozenset(row.number for row in self.catalogue.rows if not self._reason(row, config))

    def _reason(self, row: Row, config: Config) -> str:
        """Explain why a configuration leaves a tool out; empty if it does not."""
        key = self.table_key(row, config)
        if not table_of(config, row.tool.origin, row.tool.name, key).enabled:
            return "`enabled = false`"
        operation = self.catalogue.operations.get(row.tool.origin.operation)
        node: dict[str, Any] = {}
        if operation is not None:
            node = operation.node
        return left_out(config, row.tool.origin, node) or ""

    def _restricted(self, chosen: Collection[int]) -> Server:
        """Return the server with the rows of these numbers; the others become skips."""
        rows = self.catalogue.rows
        names = {rows[number].tool.name for number in chosen}
        toolsets = []
        skips = list(self.server.skips)
        for toolset in self.server.toolsets:
            tools = tuple(tool for tool in toolset.tools if tool.name in names)
            if tools:
                toolsets.append(replace(toolset, tools=tools))
            for tool in toolset.tools:
                if tool.name not in names:
                    skips.append(
                        Skip(origin=tool.origin, reason="", code="", filtered=True, tool=tool.name)
                    )
        return replace(self.server, toolsets=tuple(toolsets), skips=tuple(skips))

    # What is looked at

    @cached_property
    def catalogue(self) -> Catalogue:
        """Every operation of the document as a tool, chosen or not."""
        return Catalogue(self.document, self.server, self.functions)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """`METHOD /path` of an operation → the number of its row, from 0."""
        return {row.tool.origin.operation: row.number for row in self.catalogue.rows}

    def row(self, number: int) -> Row:
        """Return a row by its number, from 0. Raises LookupError."""
        if number < 0:
            raise LookupError(number)
        return self.catalogue.rows[number]

    def tool(self, row: Row) -> Tool:
        """Return the customised tool of a row; the document's tool if it is left out."""
        return self.customised.get(row.tool.origin.operation, row.tool)

    def tokens(self, row: Row) -> int:
        """Return the tokens of a row's tool under the configuration."""
        tool = self.tool(row)
        if tool == row.tool:
            return row.tokens
        return size_of(tool).tokens

    def table_key(self, row: Row, config: Config | None = None) -> str:
        """Return the key of a row's table in `mcpgen.toml`: that in use, else `row.key`."""
        tables = (config or self.config).tools
        origin = row.tool.origin
        for key in (origin.operation_id, origin.operation):
            if key in tables:
                return str(key)
        return row.key

    def pending(self) -> Pending:
        """Return the changes that saving would make, line by line."""
        old, new = self.saved.splitlines(), self.text.splitlines()
        diff = list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]
        lines = [(line[:1], line[1:]) for line in diff]
        return Pending(tuple(lines), bool(self.history), os.fspath(self.folder / NAME))

    # What is changed

    def change(self, changes: Mapping[KeyPath, Any]) -> None:
        """Set keys of `mcpgen.toml`, or remove those whose value is None. Raises UsageError,
        without a change, if the result could not be generated.
        """
        with self.lock:
            before = self.text
            self._use(edit(before, changes))
            if self.text != before:
                self.history = [*self.history, before][-MOST_UNDONE:]

    def undo(self) -> None:
        """Restore the text before the last change; nothing happens without a change."""
        with self.lock:
            if self.history:
                self._use(self.history[-1])
                self.history.pop()

    def customise_row(self, row: Row, changes: Iterable[tuple[KeyPath, Any]]) -> None:
        """Change keys in the table of a tool; None removes one. Raises as `change`."""
        key = self.table_key(row)
        self.change({("tools", key, *path): value for path, value in changes})

    def keep_only(self, keys: Iterable[str]) -> None:
        """Replace `[select]` by the operations with these keys. Raises UsageError (E0832) for none,
        and as `change`.
        """
        changes: dict[KeyPath, Any] = {("select", key): None for key in SELECTION}
        changes["select", "include_operations"] = list(keys)
        if not changes["select", "include_operations"]:
            raise UsageError.of(*NO_TOOL)
        self.change(changes)

    def leave_out(self, rows: Iterable[Row], facet: tuple[str, str] | None = None) -> None:
        """Leave tools out: all of a tag or method if `facet` names it, else each by its key.
        Raises UsageError if no tool remains.
        """
        selection = self.config.selection
        if facet is not None:
            kind, word = facet
            excluded = getattr(selection, f"exclude_{kind}s")
            self._select(
                {f"exclude_{kind}s": [*excluded, word.lower() if kind == "method" else word]}
            )
            return
        keys = [row.key for row in rows if row.number in self.chosen]
        included = [key for key in selection.include_operations if key not in keys]
        changes: dict[str, Any] = {}
        if included != list(selection.include_operations):
            changes["include_operations"] = included
        kept = Selection(include_operations=tuple(included))
        rest = [key for key in keys if not included or matches([key], kept.include_operations)]
        if selection.include_operations and not included:
            raise UsageError.of(*NO_TOOL)
        if rest:
            changes["exclude_operations"] = [*selection.exclude_operations, *rest]
        self._select(changes)

    def bring_back(self, rows: Iterable[Row], facet: tuple[str, str] | None = None) -> None:
        """Bring back operations that were left out; `facet`, such as `("tag", "admin")`, also ends
        the exclusion of a whole tag or method. Raises UsageError, after the change, if a pattern
        still excludes an operation.
        """
        selection = self.config.selection
        back = [row for row in rows if row.number not in self.chosen]
        words = {word for row in back for word in (row.key, row.tool.origin.operation)}
        changes: dict[KeyPath, Any] = {}
        excluded = [word for word in selection.exclude_operations if word not in words]
        changes["select", "exclude_operations"] = excluded or None
        if facet is not None:
            kind, word = facet
            others = getattr(selection, f"exclude_{kind}s")
            changes["select", f"exclude_{kind}s"] = [
                other for other in others if other.lower() != word.lower()
            ] or None
        if selection.include_operations:
            included = list(selection.include_operations)
            for row in back:
                if not matches([row.key, row.tool.origin.operation], tuple(included)):
                    included.append(row.key)
            changes["select", "include_operations"] = included
        for row in back:
            key = self.table_key(row)
            if not table_of(self.config, row.tool.origin, row.tool.name, key).enabled:
                general = table_of(self.config, row.tool.origin, row.tool.name, "")
                changes["tools", key, "enabled"] = {True: None, False: True}[general.enabled]
        self.change(changes)
        for row in back:
            reason = self._reason(row, self.config)
            if reason:
                message = f"`{row.tool.name}` is still left out: {reason}"
                hint = "change that key of `[select]` in `mcpgen.toml`"
                raise UsageError.of("E0833", message, hint=hint)

    def _select(self, changes: Mapping[str, Any]) -> None:
        """Change `[select]`. Raises UsageError, without a change, if no tool remains."""
        before, history = self.text, self.history
        self.change({("select", key): value for key, value in changes.items()})
        if not self.chosen:
            self._use(before)
            self.history = history
            raise UsageError.of(*NO_TOOL)

    def save(self) -> None:
        """Write `mcpgen.toml`. Raises UsageError (E0834) if the file was changed meanwhile: the
        edits are then applied to the new text, for another look before saving.
        """
        with self.lock:
            path = self.folder / NAME
            now = self.saved
            if path.is_file():
                now = path.read_text("utf-8-sig")
            if now != self.saved:
                self._redo()
                hint = "look at the lines below, then save again"
                message = f"`{path}` was changed by something else: your edits are applied to that"
                raise UsageError.of("E0834", message, hint=hint)
            write_file(path, self.text)
            self.saved = self.text
            self.history.clear()

    def _redo(self) -> None:
        """Read every file again and apply the edits. Raises McpgenError for an unusable file or
        edit, and keeps what was read before and the edits; once for each state of the files, so
        that an edit can be taken back.
        """
        edits = dict(_differences(tomllib.loads(self.saved), tomllib.loads(self.text)))
        before, is_read = vars(self).copy(), False
        try:
            self.read_again()
            is_read, self.history = True, []
            self.change(edits)
        except McpgenError:
            self.__dict__ = before
            if is_read:  # the files of what was read before, as they are now
                self._seen = self._on_disk()
            raise

    def read_again(self) -> None:
        """Read the document and the folder again, without unsaved edits. Raises McpgenError."""
        with self.lock:
            config = self.started_with
            if is_project(self.folder):
                config = Config(sources=(os.fspath(self.folder),))
            self._read(config)


def _of_the_server(config: Config) -> list[Any]:
    """Return the settings of the whole server and of each API, and the budgets of tools, to
    compare.
    """
    keys = [key.target for name in ("", "auth", "answers") for key in BY_NAME[name].keys]
    return [config.apis, _budgets(config), *(getattr(config, key) for key in keys)]


def _documents(config: Config) -> list[Any]:
    """Return the names of the documents, and how they are read, to compare; without overlays, which
    are read when they are saved.
    """
    kept = [key for key in BY_NAME["source"].keys if key.name != "overlays" and not key.is_note]
    return [config.documents, *(getattr(config, key.target) for key in kept)]


def _budgets(config: Config) -> dict[str, ToolConfig]:
    """Return the tables of tools that have a budget, with the budget alone."""
    tables = config.tools.items()
    return {key: ToolConfig(budget=tool.budget) for key, tool in tables if tool.budget}


def _differences(old: Any, new: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield (path of keys, new value) of the differing keys of two tables; None for a removed
    key.
    """
    if old == new:
        return
    before, after = ({} if side is None else side for side in (old, new))
    if all(isinstance(side, dict) for side in (before, after)):
        for key in before | after:
            yield from _differences(before.get(key), after.get(key), (*path, key))
    else:
        yield path, new
