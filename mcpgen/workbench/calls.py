"""Calls of single tools as they would be generated now, with unsaved edits.

A server with that tool alone is generated into a temporary folder, with the user's own files of the
project, and called as `mcpgen call` does.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import pipeline
from ..catalogue.model import Row
from ..catalogue.summary import Size
from ..config import Selection
from ..customise.apply import alone
from ..live.environment import python_of
from ..live.outcome import outcome_of
from ..paths import FACTS, homes
from ..problems import Problems, UsageError
from ..render import render
from .bench import OWN, Bench

_NOTHING = ("", -1, 0)


class ToolRunner:
    """Calls tools of a bench. The last server is kept until the configuration or a file it was made
    of changes.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._folder = Path(tempfile.mkdtemp(prefix="mcpgen-workbench-"))
        self._made: tuple[str, int, int] = _NOTHING
        self._name = ""

    def close(self) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, tool: Row | str, arguments: dict[str, Any], *, dry_run: bool) -> dict[str, Any]:
        """Call the tool of a row, or a function of the project by its name. Return the result of
        `live.outcome` with `tokens` of the content, and `curl` of each request. Raises McpgenError
        if the server cannot be made or started, LookupError for an unknown function.
        """
        folder, name = self._bench.folder, str(tool)
        if isinstance(tool, Row):
            folder = self._folder / "server"
            name = self._server_of(tool, folder)
        elif name not in self._bench.server.functions:
            raise LookupError(name)
        has_own = (self._bench.folder / "pyproject.toml").is_file()
        project = self._bench.folder if has_own else folder
        python = python_of(project, lambda text: print(text, file=sys.stderr))
        outcome = outcome_of(folder, name, arguments, dry_run=dry_run, python=python)
        if "error" in outcome:  # the copy stands for the user's own files
            outcome["error"] = outcome["error"].replace(str(folder), str(self._bench.folder))
        for request in outcome.get("requests", ()):
            request["curl"] = _curl(request)
        content = outcome.get("result", {}).get("content", [])
        size = Size(bytes=len(json.dumps(content, ensure_ascii=False).encode()))
        return {**outcome, "tokens": size.tokens}

    def _server_of(self, row: Row, folder: Path) -> str:
        """Generate the server of a row unless it is up to date; return the tool's name in it."""
        with self._bench.lock:
            wanted = (self._bench.text, row.number, self._bench.version)
            if self._made != wanted:
                self._made = _NOTHING
                self._name = _generate(self._bench, row, folder)
                self._made = wanted
        return self._name


def _curl(request: dict[str, Any]) -> str:
    """Return a request, whose secrets are masked already, as a `curl` command for a shell."""
    words = ["curl", "-X", request["method"], request["url"]]
    for name, value in request["headers"].items():
        words += ["-H", f"{name}: {value}"]
    if request.get("body"):
        words += ["--data-raw", request["body"]]
    return shlex.join(words)


def _generate(bench: Bench, row: Row, folder: Path) -> str:
    """Generate a server with one tool; return its name there. Raises UsageError (E0833) if the
    tool is left out.
    """
    shutil.rmtree(folder, ignore_errors=True)
    operation = row.tool.origin.operation
    selection = Selection(include_operations=(operation,))
    config = replace(alone(bench.config, row.tool, bench.server), selection=selection)
    server = pipeline.understood(bench.document, config, Problems(), lock=bench.last_lock).server
    names = [tool.name for tool in server.tools if tool.origin.operation == operation]
    if not names:
        message = f"`{operation}` is left out, so it cannot be called"
        raise UsageError.of("E0833", message, "bring it back first")
    for path, text in render(server).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    for home in homes(bench.folder):
        if (home / FACTS).is_file():
            _copy_own_files(home, folder / server.home)
    return names[0]


def _copy_own_files(source: Path, target: Path) -> None:
    """Copy the user's own files (`OWN`) of a package."""
    for name in OWN:
        path = source / name
        if path.is_dir():
            shutil.copytree(path, target / name, dirs_exist_ok=True)
        elif path.is_file():
            shutil.copy2(path, target / name)
