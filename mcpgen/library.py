"""The functions of `mcpgen`: `generate`, `check` and `diff`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from .config import Config
from .ir import Server
from .problems import Problem, Problems
from .project.run import CommandInput, run
from .project.save import save
from .text import plural
from .write import Changes

if TYPE_CHECKING:
    from .compare.servers import Diff
    from .project.check import Report

FilePath = str | os.PathLike[str]
P = ParamSpec("P")
R = TypeVar("R")


def _checked(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function: its TypeError about an unknown keyword names a similar one."""

    @wraps(function)
    def called(*args: P.args, **given: P.kwargs) -> R:
        if not given.keys() <= function.__annotations__.keys():
            from .config.keywords import refuse_keywords

            refuse_keywords(function, given, Config)
        return function(*args, **given)

    return called


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The outcome of one run: the project's folder, its server, the changes of its files, and
    every problem that did not end the run.
    """

    folder: Path
    server: Server
    changes: Changes
    problems: tuple[Problem, ...]

    def __repr__(self) -> str:
        """Return a short line for a notebook: folder, numbers of tools and problems."""
        tools, problems = len(self.server.tools), len(self.problems)
        counts = f"{plural(tools, 'tool')}, {plural(problems, 'problem')}"
        return f"<Generated {str(self.folder)!r}: {counts}>"


@_checked
def generate(
    document: FilePath | None = None,
    output: FilePath | None = None,
    *,
    config: Config | None = None,
    force: bool = False,
    accept_changes: bool = False,
    update: bool = False,
    adopt: bool = False,
    renew: bool = False,
    dry_run: bool = False,
) -> Generated:
    """Generate a project from a document, or generate an existing project again.

    `document` is a path, a URL or an app (`MODULE:NAME`). It replaces the sources of `config`, and
    may be left out if `output` is a project. `output` is the project's folder; without it, the
    folder is named after the server. `force` overwrites generated files that were edited.
    `accept_changes` accepts changes of a document that would otherwise be refused. `update` reads
    the document anew if the project has a copy. `adopt` takes over the generated files of a project
    whose lock is missing or damaged. `renew` writes anew the files that are written once and were
    never edited. `dry_run` writes nothing.

    Returns the folder, what happened to each file, and every problem that did not end the run.
    Raises McpgenError: `UsageError`, `DocumentError`, `RefusedError` or `OutputConflictError` of
    `mcpgen.problems`. The folder is then as before, unless the disk failed in the middle of a run.
    """
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


@_checked
def check(folder: FilePath = ".", *, update: bool = False) -> Report:
    """Check that a project is up to date, and that the user's code fits it. Nothing is written.
    `update` reads the document anew where the project has a copy of it.

    Returns a report: `passed`, `stale` (sentences on the changes `generate` would make) and
    `problems` (faults only the user can mend). Raises McpgenError without a project, and for an
    unreadable document.
    """
    from .project import check as checked  # late, as what `diff` imports: `generate` needs neither

    return checked.check(Path(folder), Problems(), update=update)


@_checked
def diff(old: FilePath, new: FilePath) -> Diff:
    """Compare two servers as their callers see them; each is a document or a project's folder.

    Returns the changes, the gravest first; `kind` is the gravest class (`security`, `breaking`,
    `additive`, `text`), or None where nothing changed. Raises McpgenError where a side cannot be
    read.
    """
    from .compare import servers
    from .project.sides import side_of_document

    before = side_of_document(os.fspath(old), None, None, Problems())
    return servers.diff(before, side_of_document(os.fspath(new), None, before, Problems()))
