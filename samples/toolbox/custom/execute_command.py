"""The tool `execute_command`: a few programs, no shell, options from a list, paths below the data
folder.
"""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .. import ToolError
from .places import inside, root

if TYPE_CHECKING:
    from .. import models

OUTPUT = 64_000
"""Bytes of output that are kept of each stream."""


@dataclass(frozen=True)
class Program:
    """What one program may be given. A program without `paths` takes any words and opens no
    file.
    """

    options: frozenset[str] = frozenset()
    paths: bool = True


PROGRAMS = {
    "date": Program(frozenset({"-u", "--utc", "-I"}), paths=False),
    "echo": Program(frozenset({"-n"}), paths=False),
    "ls": Program(frozenset({"-1", "-a", "-l", "-la", "-R"})),
    "wc": Program(frozenset({"-l", "-w", "-c", "-m"})),
    "sort": Program(frozenset({"-n", "-r", "-u", "-f"})),
    "head": Program(frozenset({"-q", *(f"-n{count}" for count in range(1, 1001))})),
}


async def execute_command(
    *,
    command: Literal["date", "echo", "ls", "wc", "sort", "head"],
    args: list[str] | None = None,
    timeout: float = 10,
) -> models.ExecuteCommandAnswer:
    """Run one of the allowed programs in the working folder."""
    process = await asyncio.create_subprocess_exec(
        command,
        *_arguments(command, args or []),
        cwd=root(),
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        async with asyncio.timeout(timeout):
            (out, more), (err, _) = await asyncio.gather(
                _read(process.stdout), _read(process.stderr)
            )
            code = await process.wait()
    except TimeoutError:
        raise ToolError(f"`{command}` took longer than {timeout:g} seconds and was ended") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await asyncio.shield(process.wait())
    return {"exit_code": code, "stdout": out, "stderr": err, "cut": more}


def _arguments(command: str, given: list[str]) -> list[str]:
    """The arguments, options first. Raises ToolError for an option that is not allowed and a path
    outside.
    """
    program = PROGRAMS[command]
    options = [word for word in given if word.startswith("-")]
    words = [word for word in given if not word.startswith("-")]
    for option in options:
        if option not in program.options:
            allowed = ", ".join(sorted(program.options)[:8]) or "none"
            raise ToolError(
                f"`{command}` may not be given `{option[:60]}`; options it may be given: {allowed}"
            )
    if any("\0" in word for word in words):
        raise ToolError("an argument holds a null character")
    if program.paths:
        if not words and command != "ls":
            raise ToolError(f"`{command}` needs a file of the data folder")
        paths = [inside(word, kind="any").relative_to(root()).as_posix() for word in words]
        return [*options, "--", *(f"./{path}" for path in paths)]
    if command == "date" and any(not word.startswith("+") for word in words):
        raise ToolError("`date` takes a format only, as in `+%Y-%m-%d`")
    return [*options, *words]


async def _read(stream: asyncio.StreamReader) -> tuple[str, bool]:
    """The beginning of a stream as text, and whether there was more."""
    kept = b""
    cut = False
    while part := await stream.read(8192):
        cut = cut or len(kept) + len(part) > OUTPUT
        kept = (kept + part)[:OUTPUT]
    return kept.decode("utf-8", "replace"), cut
