"""The project that a command works on."""

from __future__ import annotations

from pathlib import Path

from ..problems import Problem, UsageError


def named_or_here(folder: Path) -> Path:
    """Return the folder that was named; without a name the project that this folder is in, or this
    folder where it is in none.
    """
    from ..paths import here

    if folder != Path():
        return folder
    return here() or folder


def generated_project(folder: Path) -> Path:
    """Return the project of `named_or_here`, which must have a lock. Commands call this before the
    slow imports for comparing. Raises UsageError (E1310) without a lock.
    """
    from ..lock.text import require_lock

    project = named_or_here(folder)
    require_lock(project)
    return project


def project_folder(folder: Path) -> Path:
    """Return the project named, or the project around this folder.

    Raises UsageError without a project.
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
