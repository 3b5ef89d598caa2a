"""The command line: arguments in, exit code out; the only place that prints.

One file per command. A command is a plain function whose module imports nothing slow at its top,
because every one of them is imported for `mcpgen --help`.
"""

from __future__ import annotations

import gc
import importlib
import sys
from typing import Annotated

import typer
from typer.main import get_command

from ..problems import McpgenError
from ..version import __version__
from . import failure
from .help import Command, Group
from .options import command
from .screen import Screen

PANELS = {
    "Make": ("generate", "new", "add"),
    "Look": (
        *("list", "inspect", "lint", "score", "suggest"),
        *("check", "diff", "verify", "explain"),
    ),
    "Run": ("call", "serve", "workbench", "eval"),
}
COMMANDS = tuple(name for names in PANELS.values() for name in names)
"""The commands in the order of the help. `mcpgen/cli/<name>.py` has a function of that name, or of
the one in `FUNCTIONS`.
"""
FUNCTIONS = {"list": "list_tools"}
"""Functions that do not have the name of their command, because Python uses it."""

app = typer.Typer(
    name="mcpgen",
    cls=Group,
    help="Turn an API description (OpenAPI, Swagger) into an MCP server of your own.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        Screen().out.print(f"mcpgen {__version__}")
        raise typer.Exit()


@app.callback()
def _mcpgen(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_show_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    pass


COLLECT_AFTER = 1_000_000
"""Objects that are made before Python looks for garbage in cycles, in place of 700. Documents are
trees, and have none: looking took a fifth of the CPU of generating from GitHub's.
"""

for _panel, _names in PANELS.items():
    for _name in _names:
        _module = importlib.import_module(f".{_name}", __name__)
        _function = command(_name, getattr(_module, FUNCTIONS.get(_name, _name)))
        app.command(_name, cls=Command, rich_help_panel=_panel)(_function)


def run(arguments: list[str]) -> int:
    """Run one command and return the exit code. Every exception becomes a message.

    `mcpgen help COMMAND` is `mcpgen COMMAND --help`. The exit codes are in `failure`.
    """
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    try:
        result = get_command(app).main(args=arguments, prog_name="mcpgen", standalone_mode=False)
    except BaseException as error:
        return failure.report(error, debug="--debug" in arguments)
    if result == failure.INTERRUPTED:  # Typer has turned the interrupt into a code already
        return failure.report(KeyboardInterrupt(), debug=False)
    return failure.flush(result or 0)


def main() -> None:
    """The `mcpgen` console script."""
    gc.set_threshold(COLLECT_AFTER)
    code = run(sys.argv[1:])
    gc.freeze()  # what is left goes with the process: a last look at it takes 0.4 s for GitHub's
    sys.exit(code)


__all__ = ["COMMANDS", "McpgenError", "app", "main", "run"]
