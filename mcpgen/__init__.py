"""mcpgen turns an API description into an MCP server people are glad to own.

As a library: `generate`, `check` and `diff` do what the commands of these names do, and return what
the commands print. A run that cannot be finished raises `McpgenError`, whose `problems` say why.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compare.servers import Diff
    from .config import Config as Config
    from .library import Generated
    from .problems import McpgenError as McpgenError
    from .problems import Problem as Problem
    from .project.check import Report

__all__ = ["Config", "McpgenError", "Problem", "__version__", "check", "diff", "generate"]
__version__ = "0.2.0"

_HOME = {"Config": "config", "McpgenError": "problems", "Problem": "problems"}


def generate(
    document: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
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

    `document` is a path or a URL. It takes the place of the sources of `config`, and may be left
    out where `output` is a project. `output` is the project's folder; without it, the folder is
    named after the server. `force` overwrites generated files that were edited. `accept_changes`
    accepts changes of a document that would otherwise be refused. `update` reads the document anew
    where the project has a copy of it. `adopt` takes over the generated files of a project whose
    lock is missing or damaged. `renew` writes anew the files that are written once and were never
    edited. `dry_run` writes nothing.

    Returns the folder, what happened to each file, and every problem that did not end the run.
    Raises McpgenError: `UsageError`, `DocumentError`, `RefusedError` or `OutputConflictError` of
    `mcpgen.problems`. The folder is then as it was before.
    """
    from . import library

    return library.generate(
        document,
        output,
        config=config,
        force=force,
        accept_changes=accept_changes,
        update=update,
        adopt=adopt,
        renew=renew,
        dry_run=dry_run,
    )


def check(folder: str | os.PathLike[str] = ".") -> Report:
    """Check that a project is up to date, and that the user's code fits it. Nothing is written.

    Returns a report: `passed`, `stale` (sentences that say what `generate` would do) and `problems`
    (what only the user can mend). Raises McpgenError where there is no project, or where its
    document cannot be read.
    """
    from . import library

    return library.check(folder)


def diff(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Diff:
    """Compare two servers as their callers see them; each is a document or a project's folder.

    Returns the changes, the gravest first; `kind` is the gravest class (`security`, `breaking`,
    `additive`, `text`), or None where nothing changed. Raises McpgenError where a side cannot be
    read.
    """
    from . import library

    return library.diff(old, new)


def __getattr__(name: str) -> Any:
    """Import a class when it is first asked for, so that `import mcpgen` stays cheap."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
