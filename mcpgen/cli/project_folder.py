"""The project that a command works on."""

from __future__ import annotations

from pathlib import Path

from ..problems import Problem, UsageError


def named_or_here(folder: Path) -> Path:
    """The folder that was named; without a name the project that this folder is in, or this folder
    where it is in none.
    """
    from ..project.run import here

    if folder != Path():
        return folder
    return here() or folder


def project_folder(folder: Path) -> Path:
    """The project that was named, or the one that this folder is in.

    Raises UsageError where there is none.
    """
    from ..project.run import here, is_project

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
