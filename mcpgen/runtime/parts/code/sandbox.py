"""Sandbox of a program: a separate process that has only the functions given to it.

`pydantic-monty` interprets the program. It has no files, no network and no environment; the limits
below hold in the process, and a process that exceeds them is killed from outside.

Values that leave the process become Python values in the server, where no limit holds: a set of a
tuple with shared parts is small in the process, but takes years to hash. So every value handed out
goes through `_plain` first, in the process, which copies it as lists and dictionaries of a bounded
size. Nothing else is read: neither the program's final value nor calls that avoid these functions.
"""

from __future__ import annotations

import ast
import math
import platform
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import pydantic_monty as monty

from .calls import MOST_CHARACTERS, MOST_VALUES

MIB = 1024 * 1024
COMPUTING_SECONDS = 10.0
"""Seconds for which a program may compute; waiting for tools does not count."""
LIBRARY = (
    "asyncio, base64, bisect, collections, copy, dataclasses, datetime, decimal, functools,"
    " hashlib, itertools, json, math, pathlib, random, re, sys, time, typing"
)
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

_SLEEPS = ("system.sleep", "system.async_sleep")
_PRELUDE_FILE = "<python-input-0>"
_OPEN, _CLOSE = "_return((", "))"
"""The call around the expression whose value a program returns."""
_PRELUDE = f"""
import datetime as _datetime, decimal as _decimal
async def _nothing(): pass

def _functions(_call, _keep, _type=type, _isinstance=isinstance, _dict=dict, _int=int, _len=len,
               _long=10**30, _lists=(list, tuple, set, frozenset, range),
               _sized=(str, bytes),
               _key=(str, int, float, bool, type(None)), _coroutine=type(_nothing()),
               _scalars=(str, int, float, bool, type(None), bytes, _datetime.datetime,
                         _datetime.date, _datetime.timedelta, _decimal.Decimal)):
    def _plain(_value, _room):
        _kind = _type(_value)
        _room[0] -= 1
        if _room[0] < 0:
            raise TypeError(f"{{_room[2]}} holds more than {MOST_VALUES:,} values")
        if _kind in _sized:
            _room[1] -= _len(_value)
        elif _kind is _int and not -_long < _value < _long:
            _room[1] -= 4_300
        if _room[1] < 0:
            raise TypeError(f"{{_room[2]}} holds more than {MOST_CHARACTERS:,} characters")
        if _kind in _scalars:
            return _value
        if _isinstance(_value, _dict):
            _copy = {{}}
            for _name, _item in _value.items():
                if _type(_name) not in _key:
                    raise TypeError(f"{{_room[2]}} holds a {{_type(_name).__name__}} as a key, and"
                                    " the keys of JSON are texts")
                _plain(_name, _room)
                _copy[_name] = _plain(_item, _room)
            return _copy
        if _isinstance(_value, _lists):
            return [_plain(_item, _room) for _item in _value]
        if _kind is _coroutine:
            raise TypeError(f"{{_room[2]}} holds a call that was not awaited: `await` it first")
        raise TypeError(f"{{_room[2]}} holds a {{_kind.__name__}}, which cannot be written as JSON")

    def _bounded(_value, _what):
        try:
            return _plain(_value, [{MOST_VALUES}, {MOST_CHARACTERS}, _what])
        except RecursionError:
            raise TypeError(f"{{_what}} is nested too deep to be written as JSON")

    def _return(_value):
        _keep(_bounded(_value, "its value"))
"""
_FUNCTION = """
    async def {name}(*_positional, **_arguments):
        if _positional:
            raise TypeError("{name} takes keyword arguments only: {name}(name=value)")
        return await _call("{name}", _bounded(_arguments, "an argument"))
"""

Function = Callable[[dict[str, Any]], Awaitable[Any]]

_ADVICE = {
    "'coroutine'": "`await` the functions of tools",
    "'dict' object has no attribute": 'answers are dictionaries: write `answer["name"]`',
    "gather() does not yet support": "catch RuntimeError around the call, in a function",
    "suspension limit": f"a program makes at most {MOST_CALLS:,} calls: ask for more in each",
    "yield": "append to a list instead",
}
"""Advice on an error, by a part of its text."""


class ProgramError(Exception):
    """Raised for a program that did not end well; the text is for the model and names the line."""


class Printed:
    """Printed text of a program: the first `PRINTED` characters, and how many more."""

    def __init__(self) -> None:
        self.text = ""
        self.left_out = 0

    def add(self, stream: str, text: str) -> None:
        """Keep a piece of text while there is room, and count the characters left out."""
        room = PRINTED - len(self.text)
        self.text += text[:room]
        self.left_out += max(0, len(text) - room)

    def note(self) -> str:
        """Return the printed text under a heading; empty if nothing was printed."""
        if not self.text:
            return ""
        note = f"Printed:\n{self.text.rstrip()}"
        if self.left_out:
            note += f"\n[and {self.left_out:,} characters more]"
        return note


class Sandbox:
    """Processes for programs: started when they are needed, and each for one program only."""

    def __init__(self, similar: Callable[[str], str]) -> None:
        """Set up without a process; `similar` returns a hint (or nothing) for an unknown name."""
        self._similar = similar
        self._pool: monty.AsyncMonty | None = None
        self._opening = anyio.Lock()

    async def run(self, program: str, functions: dict[str, Function], printed: Printed) -> Any:
        """Return a program's last expression or `return`; fill `printed`. Raises ProgramError."""
        limits = monty.ResourceLimits(
            max_feed_duration_secs=COMPUTING_SECONDS,
            max_memory=MEMORY,
            max_recursion_depth=DEPTH,
            max_suspensions=MOST_CALLS,
            max_total_sleep_secs=SLEEPING_SECONDS,
        )
        kept: list[Any] = [None]

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            return await functions[name](arguments)

        def keep(value: Any) -> None:
            kept[0] = value

        async def sleep(*, args: tuple[Any, ...], **_: Any) -> None:
            await anyio.sleep(args[0])

        own = {"_call": call, "_keep": keep}
        said = [name for name in functions if name in program]
        try:
            pool = await self._opened()
            policy = monty.OSPolicy(sleep_system_max=math.inf)
            checkout = pool.checkout(script_name=SOURCE, limits=limits, os_policy=policy)
            async with checkout as session:
                await session.feed_run(_prelude(said), external_lookup=own)
                step = await session.feed_start(
                    _returning(program), external_lookup=own, print_callback=printed.add, os=sleep
                )
                while not isinstance(step, monty.MontyComplete):
                    step = await _next(step)
                if kept[0] is None and not _statements(f"{program}\n0"):
                    raise ProgramError(
                        f"its syntax is newer than that of Python {platform.python_version()}, so"
                        " its value is not known: `print` it, or use older syntax"
                    )
                return kept[0]
        except monty.MontyError as error:
            raise ProgramError(_short(self._reason(error, program))) from error
        except TimeoutError as error:
            raise ProgramError(
                f"{PROGRAMS} programs run already, which is the limit: try again in a moment"
            ) from error
        except OSError as error:
            raise ProgramError(f"the sandbox cannot be started: {error}") from error

    async def aclose(self) -> None:
        """End every process; `run` starts new ones."""
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
        """Explain an error in words for the model, with its line if known."""
        if isinstance(error, monty.MontyCrashedError):
            return "the sandbox of the program ended; ask for less at once"
        if not isinstance(error, monty.MontyRuntimeError | monty.MontySyntaxError):
            return str(error)
        reason = error.display("type-msg").replace(_PARSER, "a program cannot have")
        frames = [frame for frame in error.traceback() if frame.filename != _PRELUDE_FILE]
        if _ODD_EXCEPTION in reason:
            return _odd_exception(program)
        if not frames:
            return _of_limits(f"{reason}{self._hint(error.exception())}")
        inner, outer = frames[-1], frames[0]
        place = f"line {inner.line}"
        if inner.line != outer.line:
            place += f" (called on line {outer.line})"
        text = f"{place}: {reason}{self._hint(error.exception())}"
        if inner.source_line:
            line = inner.source_line.strip().replace(_OPEN, "").replace(_CLOSE, "")
            text += f"\n    {line[:200]}"
        return text

    def _hint(self, error: BaseException) -> str:
        """Return advice on an error, after a semicolon; empty if there is none."""
        if isinstance(error, NameError):
            name = str(error).partition("'")[2].partition("'")[0]
            return self._similar(name)
        for part, advice in _ADVICE.items():
            if part in str(error):
                return f"; {advice}"
        is_missing = "not supported" in str(error) and not isinstance(error, TypeError)
        if is_missing or isinstance(error, PermissionError | ImportError):
            return f"; a program has the functions of tools, and of Python's library {LIBRARY}"
        return ""


def at_the_end(program: str) -> str:
    """Return `line 3: ` for the last statement of a program, whose value it returns; empty if only
    the sandbox can parse the program.
    """
    statements = _statements(program)
    return f"line {statements[-1].lineno}: " if statements else ""


async def _next(step: monty.AsyncSnapshot) -> monty.AsyncSnapshot:
    """Run the next step of a program. Only calls by the prelude, and sleeps, are carried out: the
    arguments of any other call would become Python values here.
    """
    assert not isinstance(step, monty.MontyComplete)
    if not isinstance(step, monty.AsyncFunctionSnapshot):
        return await step.resume_auto()
    if step.position.filename == _PRELUDE_FILE or step.function_name in _SLEEPS:
        return await step.resume_auto()
    if step.is_os_function:
        return await step.resume_not_handled()
    return await step.resume(
        {"exception": NameError(f"name '{step.function_name}' is not defined")}
    )


def _prelude(names: list[str]) -> str:
    """Return the prelude of a program: a function for each tool, and `_return` for the final
    value.
    """
    names = ["_return", *names]
    listed = ", ".join(names)
    defined = "".join(_FUNCTION.format(name=name) for name in names[1:])
    ending = f"    return [{listed}]\n[{listed}] = _functions(_call, _keep)\n"
    return f"{_PRELUDE}{defined}{ending}_functions = None\n"


def _returning(program: str) -> str:
    """Return a program whose value, that of its last expression or of a `return`, goes through
    `_return`; the lines stay where they are.
    """
    statements = _statements(program)
    values = list(_returned(statements))
    if statements and isinstance(statements[-1], ast.Expr):
        values.append(statements[-1].value)
    lines = [line.encode() for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", program)]
    for value in reversed(values):
        assert value.end_lineno is not None and value.end_col_offset is not None
        for row, column, text in (
            (value.end_lineno - 1, value.end_col_offset, _CLOSE),
            (value.lineno - 1, value.col_offset, _OPEN),
        ):
            lines[row] = lines[row][:column] + text.encode() + lines[row][column:]
    return b"".join(lines).decode()


def _returned(statements: list[ast.stmt]) -> Iterator[ast.expr]:
    """Yield the expressions that a program returns outside of its functions, in their order."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def _statements(program: str) -> list[ast.stmt]:
    """Return the statements of a program; none for a program that only the sandbox can parse."""
    try:
        return ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _odd_exception(program: str) -> str:
    """Return the reason for an exception that was made of anything but one text, with the lines
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
    """Return a reason in the words of this server if time ran out; any other unchanged."""
    if reason.startswith("TimeoutError"):
        return f"the program computed for more than {COMPUTING_SECONDS:g} seconds and was stopped"
    return reason
