"""The project that a command works on."""

from __future__ import annotations

from pathlib import Path

from ..problems import Problem, UsageError


def named_or_here(folder: Path) -> Path:
    """Return the folder that was named; for `.` the project around the current folder, or `.`
    itself without a project.
    """
    from ..paths import here

    if folder != Path():
        return folder
    return here() or folder


def generated_project(folder: Path) -> Path:
    """Return the folder of `named_or_here`; raise UsageError (E1310) if it has no lock."""
    from ..lock.text import require_lock

    project = named_or_here(folder)
    require_lock(project)
    return project


def project_folder(folder: Path) -> Path:
    """Return the project named, or for `.` the project around the current folder.

    Raises UsageError (E1106) without a project.
    """
    from ..paths import here, is_project, refuse_devices

    if folder == Path():
        folder = here() or folder
    refuse_devices(folder)
    if is_project(folder):
        return folder
    message = "this folder is in no project"
    if folder != Path():
        message = f"`{folder}` is not a project"
    hint = "name one with `--project DIR`; `mcpgen generate openapi.yaml` makes one"
    raise UsageError(Problem(code="E1106", severity="error", message=message, hint=hint))
