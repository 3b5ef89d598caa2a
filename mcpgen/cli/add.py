"""`mcpgen add tool`: one more tool for a project."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from .screen import Screen

READS = "only reads: clients may call it without asking"
MAY_CHANGE = (
    "may change data: clients ask before a call; `annotations` in the contract says otherwise"
)


class Thing(StrEnum):
    """What can be added."""

    tool = "tool"


What = Annotated[Thing, typer.Argument(metavar="tool", help="What to add.", show_default=False)]
ToolName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="The tool's name, as in `find_book`.", show_default=False),
]
Description = Annotated[
    str,
    typer.Option(
        "--description", metavar="TEXT", help="What the tool does, for the model that chooses it."
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option(
        "--argument",
        metavar="NAME:TYPE",
        help=(
            "Like `city:string!` (required), `days:integer`, `tags:string[]`,"
            " `unit:metric|imperial`. Repeatable."
        ),
    ),
]

ReadOnly = Annotated[
    bool | None,
    typer.Option(
        "--read-only/--no-read-only",
        help=(
            "Whether the tool only reads: clients may call it without asking."
            " Asked for on a terminal; no by default."
        ),
        show_default=False,
    ),
]


def add(
    what: What,
    name: ToolName,
    description: Description = "",
    argument: Arguments = None,
    read_only: ReadOnly = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> int:
    """Add a tool to the project here.

    This adds the tool to the project's list (`tools.json`, unless it has another), generates the
    project again and leaves you a function to fill in.
    """
    from ..problems import Problems, UsageError
    from ..project.run import Request, here, run
    from ..project.scaffold import add_tool, new_tool
    from ..write import write

    screen = Screen(quiet=quiet or as_json)
    may_ask = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    folder = here()
    if folder is None:
        hint = "`mcpgen new NAME` makes one"
        raise UsageError.of("E1101", "this folder is not a project", hint)
    if read_only is None and may_ask:
        read_only = typer.confirm("Does it only read, and change nothing", default=False)
    tool = new_tool(name, description, argument or [], read_only=bool(read_only))
    before = {path: path.read_bytes() for path in _texts(folder)}
    path = add_tool(folder, tool)
    try:
        with screen.working("writing") as step:
            made = run(Request(folder=folder), Problems(), step)
            changes = write(made.files, made.folder, lock_facts=made.facts)
    except BaseException:
        # A contract without what belongs to it would only be in the way
        for old, content in before.items():
            old.write_bytes(content)
        if path not in before:
            path.unlink(missing_ok=True)
        raise
    functions = [_shown(folder / new) for new in changes.created if "/custom/" in new]
    if as_json:
        data = {
            "tool": tool["name"],
            "contract": _shown(path),
            "functions": functions,
            "read_only": bool(read_only),
        }
        screen.data(json.dumps(data, indent=2))
    elif not quiet:
        screen.out.print(f"contract   {_shown(path)}")
        screen.out.print(f"hints      {READS if read_only else MAY_CHANGE}")
        for function in functions:
            screen.out.print(f"function   {function} (yours to fill in)")
    return 0


def _texts(folder: Path) -> list[Path]:
    """The files that adding a tool may change: the configuration and the local sources."""
    from ..config.file import NAME, read_config

    sources = [
        Path(source)
        for source in read_config(folder).sources
        if "://" not in source and source != "-"
    ]
    return [path for path in (folder / NAME, *sources) if path.is_file()]


def _shown(path: Path) -> str:
    return Path(os.path.relpath(path)).as_posix()
