"""`mcpgen serve`: run a server at once, from a document or a project."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import interrupts
from .screen import Screen

if TYPE_CHECKING:
    from ..config import Config
    from ..problems import Problem


def serve(
    config: Config,
    http: bool = False,
    port: int | None = None,
    watch: bool = False,
    lazy: bool = False,
    read_only: bool = False,
) -> int:
    """Run a server from a document or a project.

    From a document, a project is generated in a temporary folder and removed at the end; SPEC may
    also be a project's folder. With `--watch` a changed document, `mcpgen.toml`, `hooks.py` or
    custom tool is in force a moment later: running calls finish, and clients are told that the list
    has changed. The server of a document at a URL is asked every five seconds whether it is new.
    Everything but the protocol goes to standard error.
    """
    from ..paths import here
    from ..project.run import request_of

    screen = Screen()
    flags = {"--lazy": lazy, "--code": config.code, "--read-only": read_only}
    arguments = [flag for flag, is_set in flags.items() if is_set]
    if http:
        arguments.append("--http")
    if port is not None:
        arguments += ["--port", str(port)]
    if lazy:
        config = replace(config, lazy=True)
    folder = here()
    if config.sources:
        request = request_of(config)
        folder, config = request.folder, request.config
    if folder is not None:
        with interrupts.ending_in_order():
            return _serve(screen, config, folder, arguments, watch=watch)
    with interrupts.ending_in_order(), tempfile.TemporaryDirectory(prefix="mcpgen-") as temporary:
        absolute = replace(config, sources=tuple(map(_absolute, config.sources)))
        return _serve(screen, absolute, Path(temporary) / "server", arguments, watch=watch)


def _absolute(source: str) -> str:
    path = Path(source)
    if path.exists():
        return str(path.resolve())
    return source


def _serve(
    screen: Screen, config: Config, folder: Path, arguments: list[str], *, watch: bool
) -> int:
    """Generate if needed, and run the server until it ends; return its exit code, 0 after
    Ctrl-C.
    """
    from ..config import read_config
    from ..live.environment import INSIDE, package_of, python_of, variables
    from ..live.watch import generated, polls, sources, wait
    from ..paths import is_project
    from .problem_output import tell_kept

    document = None
    if watch or not is_project(folder):
        document, problems = generated(config, folder)
        tell_kept(screen, problems)
        _tell(screen, problems.items)
    package = package_of(folder)
    python = python_of(folder, screen.remark)
    start = [python, "-m", package, *arguments]
    if watch:
        start = [python, str(INSIDE / "serve.py"), package, *arguments]
    with interrupts.left_to_the_parent():
        process = subprocess.Popen(start, env=variables(folder), cwd=folder)
    try:
        if document is None or not watch:
            return process.wait()
        written = read_config(folder)
        paths, urls = sources(written, document, folder), polls(written, document)
        return wait(process, paths, urls, partial(_again, screen, folder))
    except KeyboardInterrupt:
        screen.remark("ended")
        return 0
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def _again(screen: Screen, folder: Path, update: bool) -> None:
    """Generate the project once more; with `update`, fetch the document anew. An error is printed,
    and the server keeps running unchanged.
    """
    from ..config import Config
    from ..live.watch import generated
    from ..problems import McpgenError, Problems
    from .problem_output import print_problems

    try:
        generated(Config(), folder, update=update)
    except McpgenError as error:
        print_problems(screen, Problems(items=list(error.problems)), None, "text")
        print("not generated again: the server goes on as it was", file=sys.stderr)


def _tell(screen: Screen, problems: list[Problem]) -> None:
    from ..text import plural

    if problems:
        count = plural(len(problems), "problem")
        screen.remark(f"{count} in the document; `mcpgen lint` lists them")
