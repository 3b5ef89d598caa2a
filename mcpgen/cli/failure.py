"""The end of a failed command: one clear message on stderr, and the exit code.

0 done · 1 the document has errors · 2 wrong usage · 3 refused for safety · 4 the output
folder has files that mcpgen may not overwrite · 70 a bug in mcpgen · 130 interrupted
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Any

import typer

from ..problems import McpgenError, Problems
from ..version import __version__
from . import interrupts
from .screen import Screen, shown, silence

BUG = 70
INTERRUPTED = 130
SERVERS = ("login", "logout")
"""Commands of a generated server."""
ELSEWHERE = {
    "init": "mcpgen generate openapi.yaml` or `mcpgen new NAME",
    "create": "mcpgen new NAME",
    "validate": "mcpgen lint openapi.yaml",
    "run": "mcpgen serve",
    "start": "mcpgen serve",
    "update": "mcpgen generate --update",
    "upgrade": "mcpgen generate",
    "test": "make test` in the project, or `mcpgen call TOOL",
    "version": "mcpgen --version",
    "search": "mcpgen list WORD",
    "ui": "mcpgen workbench",
}
"""Names of commands in other programs → the commands here."""

REMEDIES: dict[int | None, str] = {
    errno.ENOSPC: "free some space, or send the output elsewhere",
    errno.ENOENT: "choose a place in a folder that is there",
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS), "choose a place that is yours to use"
    ),
    **dict.fromkeys(
        (errno.ENOTDIR, errno.EEXIST), "a file has the name of a folder: choose another"
    ),
}
"""The remedy of an error of the system."""


def report(error: BaseException, *, debug: bool, command: str = "") -> int:
    """Print what happened to a command on stderr, and return the exit code. `debug` adds the
    traceback.
    """
    screen = Screen()
    error = interrupts.cause_of(error)
    usual = isinstance(error, (KeyboardInterrupt, typer.Abort, typer.TyperException, SystemExit))
    if debug and not usual:
        screen.err.print("".join(traceback.format_exception(error)).rstrip(), style="dim")
    match error:
        case SystemExit(code=int(code)):
            return code
        case SystemExit():
            return 1
        case BrokenPipeError():
            silence(sys.stdout)
            return 0
        case McpgenError():
            return _report_refusal(screen, error)
        case typer.TyperException():
            return _report_usage(screen, error, command)
        case KeyboardInterrupt() | typer.Abort():
            _print_error(screen, "interrupted", "nothing more was written")
            return INTERRUPTED
        case MemoryError():
            _print_error(screen, "there is not enough memory for this document")
            return 1
        case OSError():
            _print_error(screen, _reason(error), _remedy(error))
            return flush(1)
        case _:
            return _report_bug(screen, error, debug=debug)


def flush(code: int) -> int:
    """Flush stdout and return `code`, or the code of an error if a command that worked cannot be
    written (a full disk). A reader that has gone is no error.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        silence(sys.stdout)
        if code == 0 and not isinstance(error, BrokenPipeError):
            return report(error, debug=False)
    return code


def _print_error(screen: Screen, message: str, hint: str = "") -> None:
    screen.err.print("error", style="bold red", end="")
    screen.err.print(f": {message}")
    if hint:
        screen.err.print(f"  hint: {hint}", style="dim")


def _remedy(error: OSError) -> str:
    """Return the remedy of an error; of one without a file only of a full disk."""
    if error.filename is None and error.errno != errno.ENOSPC:
        return ""
    return REMEDIES.get(error.errno, "")


def _reason(error: OSError) -> str:
    reason = shown(error.strerror or str(error))
    if isinstance(error.filename, (str, bytes)):
        return f"`{shown(os.fsdecode(error.filename))}`: {reason}"
    if error.errno == errno.ENOENT:  # of `os.getcwd`
        return "the current folder is gone: change to one that is there"
    return reason


def _report_refusal(screen: Screen, error: McpgenError) -> int:
    if error.problems:
        from .problem_output import print_problems

        print_problems(screen, Problems(items=list(error.problems)), None, "text")
    else:
        _print_error(screen, shown(str(error)))
    return error.exit_code


def _report_usage(screen: Screen, error: typer.TyperException, command: str) -> int:
    """Print a mistake in the command line in Typer's words, with a hint; return 2."""
    if type(error).__name__ == "NoArgsIsHelpError":
        screen.err.print(error.format_message())
        return 2
    message = error.format_message().replace(": Value error, ", ": ")
    message, _, choices = message.partition(" Choose from:")
    message = message.rstrip(".")
    message = re.sub("Input should be a valid ([a-z]+)(,.*)?", r"not a valid \1", message)
    hint = "`mcpgen --help` lists the commands"
    word = re.match("No such command '(.*?)'", message)
    if word is not None:
        message, hint = (
            f"no such command: {word[1]}",
            _meant(word[1]) or f"{hint}{message[word.end():]}",
        )
    elif command.isalpha():
        hint = f"`mcpgen {command} --help` explains it"
    context = getattr(error, "ctx", None)
    if context is not None and context.parent is not None:
        usage = re.sub(r"[{}]|Usage: ", "", " ".join(context.get_usage().split()))
        hint = f"the usage is `{usage}`; `{context.command_path} --help` explains it"
        hint = _others(message, context) or hint
        if choices and message.startswith("Missing argument"):
            hint = f"it is one of {', '.join(choices.split())}".replace(",,", ",")
    for near in _near(message, context):
        hint = f"did you mean {near}?"
    _print_error(screen, shown(message), hint)
    return 2


def _near(message: str, context: Any) -> list[str]:
    """Return the allowed value nearest to the given value, or the option of one letter in the other
    case, in backquotes; empty without either.
    """
    choice = re.search("'([^']*)' is not one of (.+)", message)
    if choice is not None:
        names = difflib.get_close_matches(choice[1], re.findall("'(.+?)'", choice[2]), n=1)
        return [f"`{name}`" for name in names]
    letter = re.search("No such option: -([a-zA-Z])$", message)
    if letter is None:
        return []
    wanted = f"-{letter[1].swapcase()}"
    options = [option.opts for option in context.command.params]
    return [" or ".join(map("`{}`".format, names)) for names in options if wanted in names]


def _others(message: str, context: Any) -> str:
    """Return the hint on an option of other commands, or on a tool's argument written as an option;
    empty for others.
    """
    if context.command.name == "call" and message.startswith("No such option: --"):
        return (
            "an argument is written without dashes: `NAME=VALUE`; `mcpgen call --help` explains it"
        )
    option = re.fullmatch("No such option: (--[a-z-]+)", message)
    if option is None:
        return ""
    commands = context.parent.command.commands
    having = [
        f"`mcpgen {name}`"
        for name in commands
        if any(option[1] in parameter.opts for parameter in commands[name].params)
    ]
    own = f"`{context.command_path} --help` lists those of this command"
    return f"that is an option of {', '.join(having)}; {own}" if having else ""


def _meant(word: str) -> str:
    """Return the hint on a word that is a command elsewhere, or a document; else empty."""
    if word in SERVERS:
        return "that is a command of the generated server, as in `bookshop-mcp login`"
    if word in ELSEWHERE:
        return f"`{ELSEWHERE[word]}` does that"
    if re.search(r"^https?://|[/\\]|[.](json|ya?ml)$", word):
        return f"`mcpgen generate {word}` makes a server of a document"
    return ""


def _report_bug(screen: Screen, error: BaseException, *, debug: bool) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    place = ""
    if frames:
        place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}"
    text = shown(f"{type(error).__name__}: {error}")[:300]
    _print_error(screen, f"this is a bug in mcpgen, not in your document ({text}{place})")
    request = "please report it"
    if not debug:
        request = f"run it again with `--debug` and {request}"
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    screen.err.print(
        f"  hint: {request} with the output, the command and if possible the document"
        f" (mcpgen {__version__}, Python {python}, {sys.platform})",
        style="dim",
    )
    return BUG
