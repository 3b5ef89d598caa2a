"""The sandbox a program runs in: a process of its own that has the functions it is given alone.

`pydantic-monty` interprets the program. It has no files, no network and no environment; the limits
below hold in the process, and a process that does not keep them is killed from outside.
"""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pydantic_monty as monty

MIB = 1024 * 1024
COMPUTING_SECONDS = 10.0
"""How long a program may compute; waiting for tools does not count."""
SLEEPING_SECONDS = 30.0
MEMORY = 64 * MIB
MOST_CALLS = 1_000
"""Calls of functions and look-ups of names, together."""
DEPTH = 200
"""Calls of functions within each other."""
PROGRAMS = 8
"""Programs that run at the same time; another one waits."""
WAIT_SECONDS = 20.0
PRINTED = 8_000
"""Characters of printed text that are kept."""
LONGEST_REASON = 2_000
"""Characters of what went wrong, which may hold data of the program."""
SOURCE = "program.py"
_ODD_EXCEPTION = "exceptions can only be called with zero or one string argument"
_PARSER = "The monty syntax parser does not yet support"

Function = Callable[..., Awaitable[Any]]

_ADVICE = {
    "'coroutine'": "`await` the functions of tools",
    "'dict' object has no attribute": 'answers are dictionaries: write `answer["name"]`',
    "gather() does not yet support": "catch RuntimeError around the call, in a function",
    "suspension limit": f"a program makes at most {MOST_CALLS:,} calls: ask for more in each",
    "yield": "append to a list instead",
}
"""What to do about an error whose text has a part."""


class ProgramError(Exception):
    """A program that did not end well; the text is for the model and names the line."""


class Printed:
    """What a program printed, as far as it is kept."""

    def __init__(self) -> None:
        self.text = ""
        self.left_out = 0

    def add(self, stream: str, text: str) -> None:
        """Keep a piece of text while there is room."""
        room = PRINTED - len(self.text)
        self.text += text[:room]
        self.left_out += max(0, len(text) - room)

    def note(self) -> str:
        """The printed text under a heading; nothing where nothing was printed."""
        if not self.text:
            return ""
        note = f"Printed:\n{self.text.rstrip()}"
        if self.left_out:
            note += f"\n[and {self.left_out:,} characters more]"
        return note


class Sandbox:
    """Processes for programs: started when they are needed, and each for one program only."""

    def __init__(self, similar: Callable[[str], str]) -> None:
        """`similar` says what a name that is not there may have meant."""
        self._similar = similar
        self._pool: monty.AsyncMonty | None = None
        self._opening = anyio.Lock()

    async def run(self, program: str, functions: dict[str, Function], printed: Printed) -> Any:
        """The value of a program's last expression, or what it returns. Raises ProgramError."""
        limits = monty.ResourceLimits(
            max_feed_duration_secs=COMPUTING_SECONDS,
            max_memory=MEMORY,
            max_recursion_depth=DEPTH,
            max_suspensions=MOST_CALLS,
            max_total_sleep_secs=SLEEPING_SECONDS,
        )
        try:
            pool = await self._opened()
            async with pool.checkout(script_name=SOURCE, limits=limits) as session:
                return await session.feed_run(
                    program, external_lookup=functions, print_callback=printed.add
                )
        except monty.MontyError as error:
            raise ProgramError(_short(self._reason(error, program))) from error
        except TimeoutError as error:
            raise ProgramError(
                f"{PROGRAMS} programs run already, which is the limit: try again in a moment"
            ) from error
        except OSError as error:
            raise ProgramError(f"the sandbox cannot be started: {error}") from error

    async def aclose(self) -> None:
        """End every process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.__aexit__(None, None, None)

    async def _opened(self) -> monty.AsyncMonty:
        async with self._opening:
            if self._pool is None:
                pool = monty.AsyncMonty(
                    min_processes=0,
                    max_processes=PROGRAMS,
                    checkout_timeout=WAIT_SECONDS,
                    request_timeout=COMPUTING_SECONDS + 5,
                    max_checkouts_per_worker=1,  # no program shares a process with another one
                )
                await pool.__aenter__()
                self._pool = pool
            return self._pool

    def _reason(self, error: monty.MontyError, program: str) -> str:
        """What went wrong, and on which line."""
        if isinstance(error, monty.MontyCrashedError):
            return "the sandbox of the program ended; ask for less at once"
        if not isinstance(error, monty.MontyRuntimeError | monty.MontySyntaxError):
            return str(error)
        reason = error.display("type-msg").replace(_PARSER, "a program cannot have")
        frames = error.traceback()
        if _ODD_EXCEPTION in reason:
            return _odd_exception(program)
        if not frames:
            return _of_limits(reason)
        inner, outer = frames[-1], frames[0]
        place = f"line {inner.line}"
        if inner.line != outer.line:
            place += f" (called on line {outer.line})"
        text = f"{place}: {reason}{self._hint(error.exception())}"
        if inner.source_line:
            text += f"\n    {inner.source_line.strip()[:200]}"
        return text

    def _hint(self, error: BaseException) -> str:
        """What to do about an error whose own text does not say it."""
        if isinstance(error, NameError):
            name = str(error).partition("'")[2].partition("'")[0]
            return self._similar(name)
        for part, advice in _ADVICE.items():
            if part in str(error):
                return f"; {advice}"
        is_missing = "not supported" in str(error) and not isinstance(error, TypeError)
        if is_missing or isinstance(error, PermissionError | ImportError):
            return "; a program has the functions of tools and parts of Python's library"
        return ""


def at_the_end(program: str) -> str:
    """`line 3: ` for the last statement of a program, whose value it returns; nothing where only
    the sandbox can read the program.
    """
    statements = _statements(program)
    return f"line {statements[-1].lineno}: " if statements else ""


def _statements(program: str) -> list[ast.stmt]:
    try:
        return ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _odd_exception(program: str) -> str:
    """The reason for an exception that was made of something else than one text, with the lines
    that may have made it.
    """
    lines = [
        str(node.lineno)
        for statement in _statements(program)
        for node in ast.walk(statement)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
    ]
    place = f"line {' or '.join(lines)}: " if lines else ""
    return f"{place}an exception takes one text at most: `raise ValueError(str(error))`"


def _short(reason: str) -> str:
    if len(reason) <= LONGEST_REASON:
        return reason
    return f"{reason[:LONGEST_REASON]}\n[and {len(reason) - LONGEST_REASON:,} characters more]"


def _of_limits(reason: str) -> str:
    """A limit in the words of this server."""
    if reason.startswith("TimeoutError"):
        return f"the program computed for more than {COMPUTING_SECONDS:g} seconds and was stopped"
    return reason
