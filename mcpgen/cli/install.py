"""`mcpgen install` and `mcpgen uninstall`: the server of a project in a client's settings."""

from __future__ import annotations

import difflib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ..problems import UsageError
from .screen import Screen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from ..runtime.package import Package


def install(
    client: str = "",
    print_only: bool = False,
    toolsets: str = "",
    tools: str = "",
    read_only: bool = False,
    lazy: bool = False,
    project: Path = Path(),
) -> int:
    """Enter the server of a project into a client's settings.

    The entry starts the command of the project's `.venv`, else the one that is installed, else the
    project's package from where it is. Variables that are set and that the server reads go into the
    entry. Other entries stay, and the file as it was is kept beside it.
    """
    words = {"--toolsets": toolsets, "--tools": tools}
    argv = [word for option, value in words.items() if value for word in (option, value)]
    flags = {"--print": print_only, "--read-only": read_only, "--lazy": lazy}
    argv += [flag for flag, is_set in flags.items() if is_set]
    return entered("install", client, argv, project)


def entered(command: str, client: str, argv: list[str], project: Path) -> int:
    """Run `install` or `uninstall` for a client, and return the exit code. Raises UsageError for an
    unknown client, and if the server cannot start.
    """
    from ..live.environment import home_of, package_of
    from ..runtime.package import Package, StartError
    from ..runtime.parts.install.command import run, unchosen
    from ..runtime.parts.install.files import CLIENTS
    from ..runtime.settings import SettingsError
    from .project_folder import project_folder

    folder = project_folder(project).resolve()
    if client not in CLIENTS:
        near = difflib.get_close_matches(client, CLIENTS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else unchosen()
        about = {"": "no client was named"}.get(client, f"`{client}` is no client mcpgen knows")
        raise UsageError.of("E1179", about, hint)
    home = Package(package_of(folder), home_of(folder))
    start, further = _start(folder, home) if command == "install" else ([], {})
    try:
        return run(home, [command, client, *argv], start, _counter(home), further)
    except (SettingsError, StartError) as error:
        lines = str(error).splitlines()
        hint = "set the variables, then run this again"
        if isinstance(error, StartError):
            hint = "`--print` shows the entry, and writes nothing"
        raise UsageError.of("E1179", lines[0], hint, notes=tuple(lines[1:])) from None


def _start(folder: Path, home: Package) -> tuple[list[str], dict[str, str]]:
    """Return the words that start a project's server from anywhere, and the variables for its
    environment.
    """
    from ..live.environment import INSTALLED, import_path, interpreter, python_of

    name = f"{home.facts()['name']}-mcp"
    own = interpreter(folder / ".venv").parent
    script = shutil.which(name, path=str(own)) or shutil.which(name)
    if script:
        return [str(Path(script).absolute())], {}
    paths = [import_path(home.folder)]
    if not (home.folder / "runtime").is_dir():
        paths.append(str(INSTALLED))
    python = python_of(folder, Screen().remark)
    return [python, "-m", home.name], {"PYTHONPATH": os.pathsep.join(paths)}


def _counter(home: Package) -> Callable[[argparse.Namespace], int]:
    """Return a function: parsed options → number of tools that the project's server lists, by its
    files; none of its code runs.
    """
    from ..live.tools import listed_functions, listed_tools
    from ..runtime.catalog import ToolFilter

    found = [*listed_tools(home.folder), *listed_functions(home.folder)]

    def count(options: argparse.Namespace) -> int:
        chosen = ToolFilter.of(home.folder, options.toolsets.split(","), options.tools.split(","))
        chosen.refuse_unknown({item.name for item in found})
        hints = [
            item.tool.get("annotations", {})
            for item in found
            if chosen.takes(item.toolset, item.name)
        ]
        return sum(not options.read_only or hint.get("readOnlyHint") is True for hint in hints)

    return count
