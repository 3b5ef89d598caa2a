"""The stages behind the functions of `mcpgen`, in the order of the commands."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from . import pipeline
from .compare.servers import Diff
from .compare.servers import diff as compare
from .compare.sides import Side, side_of_project, side_of_server
from .config import Config
from .ir import Server
from .lock import Lock
from .problems import Problem, Problems
from .project.check import Report
from .project.check import check as check_project
from .project.run import CommandInput, run
from .project.save import save
from .write import Changes

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The outcome of one run: the project's folder, its server, the changes of its files, and
    every problem that did not end the run.
    """

    folder: Path
    server: Server
    changes: Changes
    problems: tuple[Problem, ...]


def generate(
    document: FilePath | None,
    output: FilePath | None,
    *,
    config: Config | None,
    force: bool,
    accept_changes: bool,
    update: bool,
    adopt: bool,
    renew: bool,
    dry_run: bool,
) -> Generated:
    """See `mcpgen.generate`."""
    options = config or Config()
    if document is not None:
        options = replace(options, sources=(os.fspath(document),))
    folder = Path(output) if output is not None else None
    problems = Problems()
    request = CommandInput(config=options, folder=folder, update=update, adopt=adopt)
    done = run(request, problems)
    changes = save(
        done, force=force, accept=accept_changes, adopt=adopt, renew=renew, dry_run=dry_run
    )
    return Generated(
        folder=done.folder,
        server=done.server,
        changes=changes,
        problems=(*problems, *changes.problems),
    )


def check(folder: FilePath) -> Report:
    """See `mcpgen.check`."""
    return check_project(Path(folder), Problems())


def diff(old: FilePath, new: FilePath) -> Diff:
    """See `mcpgen.diff`."""
    before = _side(old, None)
    return compare(before, _side(new, before.lock))


def _side(source: FilePath, lock: Lock | None) -> Side:
    """A project or a document; a lock keeps the names of the other side's tools."""
    if Path(source).is_dir():
        return side_of_project(Path(source))
    config = Config(sources=(os.fspath(source),))
    _, server = pipeline.understand(config, Problems(), lock=lock)
    return side_of_server(server)
