"""The end of a run: what was generated goes to the disk, unless something speaks against it."""

from __future__ import annotations

from dataclasses import replace

from ..write import Changes, write
from .refusals import end_if_empty
from .run import Run
from .user_code import planned_problems, refuse_idle_guards


def save(
    run: Run,
    *,
    force: bool = False,
    accept: bool = False,
    adopt: bool = False,
    renew: bool = False,
    dry_run: bool = False,
) -> Changes:
    """Write a run, by the rules of `write`, after a look at what depends on the tools that go.

    Raises what `write` raises, RefusedError where the tool of a guard goes, and DocumentError or
    UsageError where there is no tool to write.
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
    return replace(changes, problems=(*changes.problems, *planned))
