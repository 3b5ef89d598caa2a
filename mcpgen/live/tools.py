"""The tools of a project as its files list them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..problems import UsageError
from ..project.own_tools import contracts_in, function_tools, own_files
from ..runtime.package import toolset_of
from .environment import INSIDE, package_of, python_of, variables

if TYPE_CHECKING:
    from ..ir import Server


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One Tool object and the toolset it belongs to."""

    toolset: str
    tool: dict[str, Any]

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.tool.get("name"))


def listed_tools(package: Path) -> list[ListedTool]:
    """Return the tools in a package's `tools/*.json` and `custom/*.json`; a tool of `custom/`
    replaces its namesake.
    """
    tools: dict[str, ListedTool] = {}
    for room in ("tools", "custom"):
        for path in sorted((package / room).glob("*.json")):
            for tool in contracts_in(path.read_bytes()):
                entry = ListedTool(path.stem, tool)
                tools[entry.name] = entry
    return list(tools.values())


def listed_functions(package: Path) -> list[ListedTool]:
    """Return the tools of functions with `@tool` in `custom/`, read from their text."""
    made = function_tools(own_files(package))
    return [ListedTool(toolset_of(function.path), tool) for function, tool in made]


def running_tools(folder: Path) -> tuple[dict[str, Any], ...]:
    """Start a project's server, and return the Tool objects that it lists: it alone knows the
    schemas of functions. Raises UsageError (E1471) if it does not start.
    """
    package = package_of(folder)
    python = python_of(folder, lambda text: print(f"{text}\u2026", file=sys.stderr))
    command = [python, str(INSIDE / "listed.py"), package]
    done = subprocess.run(
        command, env=variables(folder), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip() or "it says nothing").splitlines()[-1]
        message = f"the tools of `{folder}` cannot be listed: {last}"
        raise UsageError.of("E1471", message, f"see what `python -m {package}` says")
    return tuple(json.loads(done.stdout))


def own_tools(folder: Path, server: Server) -> tuple[dict[str, Any], ...]:
    """Return the Tool objects of functions, as the project's server lists them; empty without
    functions. Raises UsageError if it does not start.
    """
    if not server.has_functions:
        return ()
    return tuple(tool for tool in running_tools(folder) if tool["name"] in server.functions)
