"""The command line: arguments in, text and exit code out.

One file per command. A command is a plain function, whose module is imported when it runs: `mcpgen
--help` imports none.
"""

from __future__ import annotations

import gc
import importlib
import re
import sys
from itertools import pairwise
from typing import Annotated, cast

import typer
from typer.main import get_command, get_command_from_info
from typer.models import CommandInfo

from ..problems import McpgenError, UsageError
from ..version import __version__
from . import failure, interrupts, streams
from .help import Command, Commands, Group
from .options import command
from .screen import Screen

PANELS = {
    "Make": {
        "generate": "Generate an MCP server, or update one.",
        "new": "Create a server without an API.",
        "add": "Add a tool, an API, parts of the server, or files, here.",
    },
    "Look": {
        "list": "List the tools of a project.",
        "inspect": "Show what a document would become.",
        "lint": "Check an API description for what a server cannot use.",
        "score": "Score a list of tools.",
        "suggest": "Propose which operations to keep.",
        "check": "Check that the project is up to date.",
        "diff": "Show what changes for callers.",
        "verify": "Check that no generated file was edited.",
        "explain": "Explain the code of a problem.",
    },
    "Run": {
        "call": "Call a tool of a project.",
        "install": "Enter the server of a project into a client's settings.",
        "uninstall": "Remove the server of a project from a client's settings.",
        "serve": "Run a server from a document or a project.",
        "workbench": "Choose, edit and try tools in a browser.",
        "eval": "Let an agent do tasks.",
    },
}
"""The commands in the order of the help, with the first sentence of each."""
COMMANDS = tuple(name for names in PANELS.values() for name in names)
"""Their names. `mcpgen/cli/<name>.py` has a function of that name, or of the one in `FUNCTIONS`."""
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
"""Objects made before Python looks for garbage in cycles, instead of 700. Documents are trees
without cycles: looking took a fifth of the CPU of generating from GitHub's.
"""


def _command(name: str) -> Command:
    """Import the module of a command, and return the command for Typer."""
    module = importlib.import_module(f".{name}", __name__)
    function = command(name, getattr(module, FUNCTIONS.get(name, name)))
    info = CommandInfo(name=name, cls=Command, callback=function)
    made = get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode=None)
    return cast(Command, made)


Group.lazy = Commands(PANELS, _command)


def run(arguments: list[str]) -> int:
    """Run one command and return the exit code. Every exception becomes a message on stderr.

    `mcpgen help COMMAND` is `mcpgen COMMAND --help`. The exit codes are in `failure`.
    """
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    try:
        _refuse_one_dash(arguments)
        result = get_command(app).main(args=arguments, prog_name="mcpgen", standalone_mode=False)
    except BaseException as error:
        debug = "--debug" in arguments
        return failure.report(error, debug=debug, command=next(iter(arguments), ""))
    if result == failure.INTERRUPTED:  # Typer has turned the interrupt into a code already
        return failure.report(KeyboardInterrupt(), debug=False)
    return failure.flush(result or 0)


def _refuse_one_dash(arguments: list[str]) -> None:
    """Raise UsageError (E0905) for a word like `-output`, which would be `-o` with the value
    `utput`; values of options, and words after `--`, may be such words.
    """
    made = Group.lazy.get(next(iter(arguments), ""))
    options = [each for each in getattr(made, "params", ()) if not getattr(each, "is_flag", True)]
    with_value = {name for option in options for name in option.opts}
    for before, word in pairwise(["", *arguments]):
        if word == "--":
            return
        if before in with_value:
            continue
        if re.fullmatch(r"-[a-z][a-z-]{2,}(=.*)?", word):
            meant = f"-{word.partition('=')[0]}"
            raise UsageError.of("E0905", f"`{word}` has one dash", f"did you mean `{meant}`?")


def main() -> None:
    """Run the command of this process, and end it."""
    gc.set_threshold(COLLECT_AFTER)
    streams.make_usable()
    interrupts.begin()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first is told
        code = failure.INTERRUPTED
    interrupts.end()
    gc.freeze()  # what is left goes with the process: a last look at it takes 0.4 s for GitHub's
    sys.exit(code)


__all__ = ["COMMANDS", "McpgenError", "app", "main", "run"]
