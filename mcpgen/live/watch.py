"""Generate a project again whenever what it is made of changes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import NAME, Config
from ..load.source import is_url
from ..problems import McpgenError, Problems

if TYPE_CHECKING:
    from ..load import Document

INTERVAL = 0.3
"""Seconds between two looks at the files."""

States = dict[Path, tuple[int, int]]


def sources(config: Config, document: Document, folder: Path) -> list[Path]:
    """The files that a project is generated from; URLs are not watched."""
    names = [*config.documents, *config.overlays, *config.workflows]
    names += [overlay for api in config.apis.values() for overlay in api.overlays]
    paths = [Path(name) for name in names if name != "-" and not is_url(name)]
    if document.source.path is not None:
        beside = document.source.path.parent
        paths += [beside / name for name in document.files if name]
    return [folder / NAME, *paths]


def wait(process: subprocess.Popen[bytes], paths: Iterable[Path], act: Callable[[], None]) -> int:
    """Wait for a process, and act when one of the files changes; the exit code of the process."""
    watched = list(paths)
    states = _states(watched)
    while process.poll() is None:
        time.sleep(INTERVAL)
        now = _states(watched)
        if now != states:
            states = now
            act()
    return process.returncode


def _states(paths: list[Path]) -> States:
    states = {}
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue
        states[path] = (state.st_mtime_ns, state.st_size)
    return states


def generated(config: Config, folder: Path) -> tuple[Document, Problems]:
    """Generate a project, as `mcpgen generate` does. Raises McpgenError."""
    from ..project.run import CommandInput, run
    from ..project.save import end_if_empty
    from ..write import write

    problems = Problems()
    made = run(CommandInput(config=config, folder=folder), problems)
    end_if_empty(made.server)
    write(made.files, made.folder, lock_facts=made.facts, force=False, accept=False, dry_run=False)
    return made.document, problems


__all__ = ["McpgenError", "generated", "sources", "wait"]
