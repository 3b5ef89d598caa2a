"""The output of a command: results on stdout; problems, progress and remarks on stderr.

Markup and emoji codes in texts are not interpreted; `shown` makes control characters visible.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

Value = TypeVar("Value")
WIDE = 140
"""Columns where the output goes into a file or a pipe: nothing to fold for."""
LEAST = 60
"""Columns that tables need at least; a narrower terminal folds their lines."""


def _console(*, stderr: bool) -> Console:
    from rich.console import Console  # late: `--help` and completions need none

    class _Console(Console):
        """A console that goes silent when its reader has gone, so that the command still ends with
        its own exit code.
        """

        def on_broken_pipe(self) -> None:
            silence(sys.stderr if self.stderr else sys.stdout)

    console = _Console(markup=False, emoji=False, highlight=False, soft_wrap=True, stderr=stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDE
    console.width = max(console.width, LEAST)
    return console


def shown(text: str) -> str:
    """Return a text with control characters spelt out, so that no terminal obeys them."""
    # Late: it imports the reader of documents, which `--help` does not need
    from ..text import escape

    return escape(text)


def silence(stream: IO[str]) -> None:
    """Redirect a stream to the null device: its reader has closed it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):
        pass
    finally:
        os.close(nowhere)


class Screen:
    """The output of one command.

    `quiet` omits everything but results and problems, as `as_json` does. Colour and movement only
    on a terminal; rich respects `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` and `COLUMNS`.
    """

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet or as_json

    @cached_property
    def out(self) -> Console:
        """The console of results."""
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        """The console of problems and remarks."""
        return _console(stderr=True)

    def data(self, text: str) -> None:
        """Print text for programs on stdout: no markup, no folding, a newline at the end."""
        try:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            silence(sys.stdout)

    def result(self, data: Any, show: Callable[[], None]) -> None:
        """Print a result: `data` as JSON for programs, else call `show`, unless quiet."""
        if self.as_json:
            self.data(json.dumps(data, indent=2))
        elif not self.quiet:
            show()

    def remark(self, text: str, style: str = "dim") -> None:
        """Print a line on stderr, unless quiet."""
        if not self.quiet:
            self.err.print(text, style=style)

    @contextmanager
    def working(self, text: str) -> Iterator[Callable[[str], None]]:
        """Show that something takes a while: a spinner on a terminal, unless quiet. Yields a
        function that changes its text.
        """
        if self.quiet or not self.err.is_terminal or self.err.is_dumb_terminal:
            yield lambda _: None
            return
        with self.err.status(text, spinner="dots") as status:
            yield status.update


def may_ask() -> bool:
    """Return whether stdin and stdout are terminals: a person can answer questions."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def or_ask(value: Value | None, question: Callable[[], Value], *, ask: bool) -> Value | None:
    """Return a value, or the answer to `question` if it is None and `ask`."""
    if value is None and ask:
        return question()
    return value
