"""The sandbox a program runs in: a process of its own that has the functions it is given alone.

`pydantic-monty` interprets the program. It has no files, no network and no environment; the limits
below hold in the process, and a process that does not keep them is killed from outside.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

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
SOURCE = "program.py"

Function = Callable[..., Awaitable[Any]]


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
            raise ProgramError(self._reason(error)) from error
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
        if self._pool is None:
            pool = monty.AsyncMonty(
                min_processes=0,
                max_processes=PROGRAMS,
                checkout_timeout=WAIT_SECONDS,
                request_timeout=COMPUTING_SECONDS + 5,
                max_checkouts_per_worker=1,  # no program shares a process with another one
            )
            self._pool = pool
            await pool.__aenter__()
        return self._pool

    def _reason(self, error: monty.MontyError) -> str:
        """What went wrong, and on which line."""
        if isinstance(error, monty.MontyCrashedError):
            return "the sandbox of the program ended; ask for less at once"
        if not isinstance(error, monty.MontyRuntimeError | monty.MontySyntaxError):
            return str(error)
        reason = error.display("type-msg")
        frames = error.traceback()
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
        if "'coroutine'" in str(error):
            return "; `await` the functions of tools"
        if isinstance(error, PermissionError | ImportError) or "not supported" in str(error):
            return "; a program has the functions of tools and parts of Python's library"
        return ""


def _of_limits(reason: str) -> str:
    """A limit in the words of this server."""
    if reason.startswith("TimeoutError"):
        return f"the program computed for more than {COMPUTING_SECONDS:g} seconds and was stopped"
    return reason
