"""How a command ends when it cannot go on: one clear message on stderr, and the exit code.

0 done · 1 the document has errors · 2 wrong usage · 3 refused for safety · 4 the output folder is
not ours to write · 70 a bug in mcpgen · 130 interrupted
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import typer

from .. import __version__
from ..problems import McpgenError, Problems
from .screen import Screen, shown, silence

BUG = 70
INTERRUPTED = 130


def tell(error: BaseException, *, debug: bool) -> int:
    """Print what happened; return the exit code."""
    screen = Screen()
    if isinstance(error, BrokenPipeError):
        silence(sys.stdout)
        return 0
    if debug and not isinstance(error, (KeyboardInterrupt, typer.Abort, typer.TyperException)):
        screen.err.print("".join(traceback.format_exception(error)).rstrip(), style="dim")
    if isinstance(error, McpgenError):
        return _tell_refusal(screen, error)
    if isinstance(error, typer.TyperException):
        return _tell_usage(screen, error)
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        _say(screen, "interrupted", "nothing more was written")
        return INTERRUPTED
    if isinstance(error, MemoryError):
        _say(screen, "there is not enough memory for this document")
        return 1
    if isinstance(error, OSError):
        where = (
            f"`{shown(os.fsdecode(error.filename))}`: "
            if isinstance(error.filename, (str, bytes))
            else ""
        )
        _say(screen, f"{where}{shown(error.strerror or str(error))}")
        return 1
    return _tell_bug(screen, error, debug=debug)


def flush(code: int) -> int:
    """Push out what is still buffered, so that a reader who has gone does not become a traceback at
    exit.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    return code


def _say(screen: Screen, message: str, hint: str = "") -> None:
    screen.err.print("error", style="bold red", end="")
    screen.err.print(f": {message}")
    if hint:
        screen.err.print(f"  hint: {hint}", style="dim")


def _tell_refusal(screen: Screen, error: McpgenError) -> int:
    if error.problems:
        from .problem_output import print_problems

        print_problems(screen, Problems(items=list(error.problems)), None, "text")
    else:
        _say(screen, shown(str(error)))
    return error.exit_code


def _tell_usage(screen: Screen, error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        screen.err.print(error.format_message())
        return 2
    message = error.format_message().rstrip(".")
    command = context.command_path if context is not None else "mcpgen"
    _say(screen, shown(message), f"`{command} --help` lists what it takes")
    return error.exit_code if error.exit_code != 1 else 2


def _tell_bug(screen: Screen, error: BaseException, *, debug: bool) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = shown(f"{type(error).__name__}: {error}")
    _say(screen, f"this is a bug in mcpgen, not in your document ({text[:300]}{place})")
    again = "" if debug else "run it again with `--debug` and "
    screen.err.print(
        f"  hint: {again}please report it with the output, the command and if possible the document"
        f" (mcpgen {__version__}, Python {sys.version_info.major}.{sys.version_info.minor},"
        f" {sys.platform})",
        style="dim",
    )
    return BUG
