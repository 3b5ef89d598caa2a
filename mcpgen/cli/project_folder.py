"""The project that a command works on."""

from __future__ import annotations

from pathlib import Path

from ..problems import Problem, UsageError


def named_or_here(folder: Path) -> Path:
    """The folder that was named; without a name the project that this folder is in, or this folder
    where it is in none.
    """
    from ..paths import here

    if folder != Path():
        return folder
    return here() or folder


def generated_project(folder: Path) -> Path:
    """The project of `named_or_here`, which has a lock. Commands that compare with it ask for it
    before they import what compares. Raises UsageError (E1310) where there is no lock.
    """
    from ..lock.text import require_lock

    project = named_or_here(folder)
    require_lock(project)
    return project


def project_folder(folder: Path) -> Path:
    """The project that was named, or the one that this folder is in.

    Raises UsageError where there is none.
    """
    from ..paths import here, is_project

    if folder == Path():
        found = here()
        if found is not None:
            return found
    elif is_project(folder):
        return folder
    message = "this folder is in no project"
    if folder != Path():
        message = f"`{folder}` is not a project"
    hint = "name one with `--project DIR`; `mcpgen generate openapi.yaml` makes one"
    raise UsageError(Problem(code="E1106", severity="error", message=message, hint=hint))
