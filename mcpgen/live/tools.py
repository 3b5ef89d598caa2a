"""The tools of a project as its files list them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..problems import UsageError
from ..project.custom import INJECTED
from ..project.functions import UserFunction, functions
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
    """The tools in a package's `tools/` and `custom/`; one of `custom/` replaces its namesake."""
    tools: dict[str, ListedTool] = {}
    for room in ("tools", "custom"):
        for path in sorted((package / room).glob("*.json")):
            for tool in _tools_in(path):
                entry = ListedTool(path.stem, tool)
                tools[entry.name] = entry
    return list(tools.values())


def listed_functions(package: Path) -> list[ListedTool]:
    """The tools that functions in `custom/` make, as far as their text says: the types of arguments
    are known only to the server.
    """
    return [_of_function(function) for function in functions(package)]


def running_tools(folder: Path) -> tuple[dict[str, Any], ...]:
    """The tools that the server of a project lists: it alone knows the schemas of functions. Raises
    UsageError where it does not start.
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
    """The tools that the user's code adds to those of the document, as the project's server lists
    them. Raises UsageError where it does not start.
    """
    if not server.has_functions:
        return ()
    return tuple(tool for tool in running_tools(folder) if tool["name"] in server.functions)


def _of_function(function: UserFunction) -> ListedTool:
    parameters = function.node.args
    optional = {
        item.arg
        for item, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        if default is not None
    }
    if parameters.defaults:
        optional |= {item.arg for item in parameters.args[-len(parameters.defaults) :]}
    named = [item.arg for item in (*parameters.args, *parameters.kwonlyargs)]
    names = [name for name in named if name not in INJECTED]
    schema = {
        "type": "object",
        "properties": {name: {} for name in names},
        "required": [name for name in names if name not in optional],
    }
    title = function.name.replace("_", " ").capitalize()
    tool = {"name": function.name, "title": title, "inputSchema": schema}
    return ListedTool(function.path.stem, tool)


def _tools_in(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    items = content if isinstance(content, list) else [content]
    return [item for item in items if isinstance(item, dict)]
