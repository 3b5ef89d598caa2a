"""The generated package of a project, as it is or as a run would leave it, for a look at the user's
code in it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..load.values import as_object, as_text
from ..lock import Lock
from ..lock.model import match
from ..paths import is_once, roots
from .functions import parsed

if TYPE_CHECKING:
    from .run import Run

TOOLS = re.compile(r"(src/[^/]+/)?tools/[^/]+\.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files of a project, now or after a run.

    `planned` are the generated files of the run, by path; `gone` are paths of the last run, which
    do not exist afterwards unless they are planned.
    Every other path is read from the disk.
    """

    folder: Path
    owned: Collection[str]
    planned: Mapping[str, str | bytes] = field(default_factory=dict)
    gone: Collection[str] = ()

    def has(self, path: str) -> bool:
        """Return whether there is a file at a path relative to the project's folder."""
        if path in self.planned:
            return True
        return path not in self.gone and (self.folder / path).is_file()

    def has_module(self, path: str) -> bool:
        """Return whether there is a module or package at a path without suffix."""
        if self.has(f"{path}.py"):
            return True
        if any(planned.startswith(f"{path}/") for planned in self.planned):
            return True
        modules = (self.folder / path).glob("*.py")
        return any(self.has(module.relative_to(self.folder).as_posix()) for module in modules)

    def tree(self, path: str) -> ast.Module | None:
        """Return the syntax tree of a module of the plan or on the disk; None if it is missing or
        no Python.
        """
        if path in self.planned:
            return ast.parse(self.planned[path])
        tree = parsed(self.folder / path)
        if isinstance(tree, ast.Module):
            return tree
        return None

    def data(self, path: str) -> Any:
        """Return the parsed JSON of a file of the plan or on the disk; None if it is missing or
        unreadable.
        """
        try:
            if path in self.planned:
                return json.loads(self.planned[path])
            return json.loads((self.folder / path).read_bytes())
        except (OSError, ValueError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedPackage:
    """The generated package `name`, in the folder `root` of its project.

    * `tools`: its tools as on the wire, by name; `toolsets`: their names by toolset.
    * `contracts`: the entry in `contracts.json` of each tool of the user's code or a workflow.
    * `lists`: the entry in `api.json` of each tool that answers a list.
    * `home`: the folder of the user's modules, in the old package while the server is renamed.
    * `gone`: name of a removed tool → the reason; `renamed`: old → new name of a tool.
    """

    files: Files
    name: str
    root: str
    home: Path
    tools: Mapping[str, Mapping[str, Any]]
    toolsets: Mapping[str, frozenset[str]]
    contracts: Mapping[str, Mapping[str, Any]]
    lists: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    def own_modules(self) -> Iterator[Path]:
        """Yield the Python files in the package and in `tests/` that mcpgen does not own: the
        user's.
        """
        for start in (self.home, self.files.folder / "tests"):
            for path in sorted(start.rglob("*.py")):
                if path.relative_to(self.files.folder).as_posix() not in self.files.owned:
                    yield path


def package_on_disk(folder: Path, lock: Lock) -> GeneratedPackage | None:
    """Return the package whose generated files the lock lists; None if they are in no package."""
    root = next(iter(sorted(roots(lock.files))), None)
    if root is None:
        return None
    files = Files(folder=folder, owned=lock.files)
    gone = {former.own_name: f"`{former.operation}` is no longer a tool" for former in lock.former}
    return GeneratedPackage(
        files=files,
        name=f"{lock.name}_mcp",
        root=root,
        home=folder / root,
        tools=tools_in(files, lock.files),
        toolsets=toolsets_of(lock),
        contracts=as_object(files.data(f"{root}contracts.json")),
        lists=as_object(as_object(files.data(f"{root}api.json")).get("lists")),
        gone=gone,
    )


def package_of_run(run: Run) -> GeneratedPackage:
    """Return the package as a run would leave it."""
    planned = {path: text for path, text in run.files.items() if not is_once(path)}
    root = run.server.home
    home = run.folder / root
    owned: Collection[str] = ()
    gone: dict[str, str] = {}
    renamed: dict[str, str] = {}
    if run.lock is not None:
        owned = run.lock.files
        matched = match(run.lock, run.facts)
        renamed = dict(matched.renamed)
        left_out = {skip.origin.operation: skip for skip in run.server.skips}
        for tool in matched.gone:
            skip = left_out.get(tool.operation)
            if skip is None:
                gone[tool.name] = f"`{tool.operation}` is no longer in the document"
            else:
                gone[tool.name] = f"`{tool.operation}` is no tool any more: {skip.reason}"
        for old in sorted(roots(owned) - {root}):
            home = run.folder / old
    files = Files(folder=run.folder, owned={*planned, *owned}, planned=planned, gone=owned)
    return GeneratedPackage(
        files=files,
        name=run.server.package,
        root=root,
        home=home,
        tools=tools_in(files, planned),
        toolsets=toolsets_of(run.facts),
        contracts=as_object(files.data(f"{root}contracts.json")),
        lists=as_object(as_object(files.data(f"{root}api.json")).get("lists")),
        gone=gone,
        renamed=renamed,
    )


def tools_in(files: Files, paths: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Return name → Tool object of the generated lists `tools/*.json` among `paths`."""
    tools: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        if TOOLS.fullmatch(path) is None:
            continue
        listed = files.data(path)
        if isinstance(listed, list):
            objects = [tool for tool in listed if isinstance(tool, dict)]
            tools |= {tool["name"]: tool for tool in objects if as_text(tool.get("name"))}
    return tools


def toolsets_of(lock: Lock) -> dict[str, frozenset[str]]:
    """Return toolset → names of its tools, from a lock."""
    names: dict[str, set[str]] = {}
    for tool in lock.tools:
        names.setdefault(tool.toolset, set()).add(tool.name)
    return {toolset: frozenset(tools) for toolset, tools in names.items()}
