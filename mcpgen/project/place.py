"""Where a project is. This module imports no stage: commands look here first."""

from __future__ import annotations

from pathlib import Path

from ..paths import CONFIG


def is_project(folder: Path) -> bool:
    """Return whether a folder holds a configuration of mcpgen."""
    return (folder / CONFIG).is_file()


def here(start: Path = Path()) -> Path | None:
    """The project a folder is in: the nearest one upwards that holds a `mcpgen.toml`."""
    folder = start.absolute()
    if is_project(folder):
        return start
    return next(filter(is_project, folder.parents), None)
