"""Where the tools may work: below one folder, `TOOLBOX_FOLDER` or the working folder."""

from __future__ import annotations

import os
from pathlib import Path

from .. import ToolError

SOME = 10
"""Names of a folder that a message lists."""


def root() -> Path:
    """The data folder."""
    return Path(os.environ.get("TOOLBOX_FOLDER") or ".").resolve()


def inside(path: str, *, kind: str = "file") -> Path:
    """The file (`kind` "any": or folder) a path names. Raises ToolError for what is not there or
    not below the folder.

    Links are followed before the check, so that a link out of the folder leads nowhere.
    """
    if "\0" in path or Path(path).is_absolute() or ".." in Path(path).parts:
        raise ToolError(
            f"`{path[:100]}` is not below the data folder; give a path relative to it, without `..`"
        )
    try:
        found = (root() / path).resolve(strict=True)
    except (OSError, RuntimeError):
        raise ToolError(f"there is no `{path[:100]}` in the data folder{_beside(path)}") from None
    if not found.is_relative_to(root()):
        raise ToolError(f"`{path[:100]}` leads out of the data folder")
    if kind == "file" and not found.is_file():
        raise ToolError(f"`{path[:100]}` is not a file")
    return found


def _beside(path: str) -> str:
    """Name some of what the folder of a missing path has, where that is a folder of ours."""
    folder = (root() / path).parent.resolve()
    if not folder.is_dir() or not folder.is_relative_to(root()):
        return ""
    names = sorted(each.name for each in folder.iterdir())
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return f"; its folder has {', '.join(names[:SOME])}{more}" if names else "; its folder is empty"
