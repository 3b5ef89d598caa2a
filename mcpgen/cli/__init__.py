"""The command line: arguments in, exit code out; the only place that prints.

One file per command. A command is a plain function whose module imports nothing slow at its top,
because every one of them is imported for `mcpgen --help`.
"""

from __future__ import annotations

import importlib
import sys
from typing import Annotated

import typer
from typer.main import get_command

from .. import __version__
from ..problems import McpgenError
from . import failure
from .screen import Screen

COMMANDS = ("generate", "new", "add", "inspect", "lint", "check", "diff", "verify", "explain")
"""The commands in the order of the help; `mcpgen/cli/<name>.py` holds a function of the same
name.
"""

app = typer.Typer(
    name="mcpgen",
    help="Turns an API description (OpenAPI, Swagger) into an MCP server people are glad to own.",
    no_args_is_help=True,
    add_completion=True,
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
            "--version", callback=_show_version, is_eager=True, help="Show the version and stop."
        ),
    ] = False,
) -> None:
    pass


for _name in COMMANDS:
    app.command(_name)(getattr(importlib.import_module(f".{_name}", __name__), _name))


def run(arguments: list[str]) -> int:
    """Run one command; return the exit code of the process. Every exception becomes a message here.

    0 done · 1 the document has errors · 2 wrong usage · 3 refused for safety · 4 the output folder
    is not ours to write · 70 a bug in mcpgen · 130 interrupted.
    """
    try:
        result = get_command(app).main(args=arguments, prog_name="mcpgen", standalone_mode=False)
    except BaseException as error:
        if isinstance(error, SystemExit):
            return error.code if isinstance(error.code, int) else 1
        return failure.tell(error, debug="--debug" in arguments)
    if result == failure.INTERRUPTED:  # Typer has turned the interrupt into a code already
        return failure.tell(KeyboardInterrupt(), debug=False)
    return failure.flush(result if isinstance(result, int) else 0)


def main() -> None:
    """The `mcpgen` console script."""
    sys.exit(run(sys.argv[1:]))


__all__ = ["COMMANDS", "McpgenError", "app", "main", "run"]
