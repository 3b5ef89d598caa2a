"""The end of a run: what was generated goes to the disk, unless something speaks against it."""

from __future__ import annotations

import os
from dataclasses import replace

from ..ir import Server
from ..load.source import FOLDER
from ..problems import DocumentError, UsageError
from ..render.parts import features
from ..text import plural
from ..write import Changes, write
from .manifest import missing_dependencies
from .run import Run
from .user_code import planned_problems, refuse_idle_guards

EMPTY = "E0432"


def save(
    run: Run,
    *,
    force: bool = False,
    accept: bool = False,
    adopt: bool = False,
    renew: bool = False,
    dry_run: bool = False,
) -> Changes:
    """Write a run by the rules of `write`, and return its changes, with warnings about user code
    that will not fit.

    Raises what `write` raises, RefusedError if the tool of a guard is removed or renamed (unless
    `accept`), and DocumentError or UsageError if there is no tool to write.
    """
    end_if_empty(run.server)
    if not accept:
        refuse_idle_guards(run)
    planned = planned_problems(run)
    changes = write(
        run.files,
        run.folder,
        lock_facts=run.facts,
        force=force,
        accept=accept,
        adopt=adopt,
        renew=renew,
        dry_run=dry_run,
    )
    if run.updated and not dry_run:
        for path in changes.unchanged:
            if path.startswith(f"{FOLDER}/"):  # its age counts from today
                os.utime(run.folder / path)
    if run.lock is not None:
        needs = missing_dependencies(run.folder, **features(run.server))
        planned += [replace(need, severity="warning") for need in needs]
    return replace(changes, problems=(*changes.problems, *planned))


def end_if_empty(server: Server) -> None:
    """Raise if a server has no tool and no function: UsageError (exit code 2) when all operations
    were filtered, DocumentError (exit code 1) when there are none or none could be read.
    """
    if server.tools or server.has_functions:
        return
    operations = plural(len(server.skips), "operation")
    skipped = [skip for skip in server.skips if not skip.filtered]
    if skipped:
        raise DocumentError.of(
            EMPTY,
            f"no tool came of the {operations} of the document: nothing was written",
            "the problems above say why; mend the document, or give the files it refers to",
        )
    if server.skips:
        raise UsageError.of(
            EMPTY,
            f"the filters leave nothing of the {operations} of the document: nothing was written",
            "loosen the filters on the command line or under `[select]` in `mcpgen.toml`",
        )
    if not server.calls_api:
        raise DocumentError.of(
            EMPTY,
            "the list is empty, there is no tool in it: nothing was written",
            "a list of tools is the `tools` that a server answers to `tools/list`",
        )
    raise DocumentError.of(
        EMPTY,
        "the document has no operations: nothing was written",
        "give the document that has the API's `paths`; this one may be a part of it",
    )
