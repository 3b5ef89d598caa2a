"""The tool `search_files`: files below one folder, `DESK_FOLDER` or the working folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated

from pydantic import Field

from .. import Context, ToolError, tool

MOST = 100_000
"""Files that are looked at."""
STEP = 1_000
"""Files after which progress is reported."""


@dataclass
class Found:
    """Paths relative to the folder, and whether there are more than were asked for."""

    files: list[str]
    more: bool


@tool(read_only=True, open_world=False)
async def search_files(
    context: Context,
    pattern: Annotated[
        str,
        Field(
            description="Pattern of a path or a name; `*` is any text, also with slashes",
            min_length=1,
            max_length=200,
            examples=["*.csv", "reports/*.pdf"],
        ),
    ],
    limit: Annotated[int, Field(description="Files to return at most", ge=1, le=500)] = 50,
) -> Found:
    """Search the data folder for files by a pattern of their names.

    Use it when you need the path of a file that you know by its name or type. It does not look
    into files. Returns paths relative to the folder, in order.
    """
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        raise ToolError("give a pattern below the data folder: no `..`, and no slash at its start")
    found: list[str] = []
    for number, path in enumerate(_files(_root()), 1):
        if number > MOST:
            raise ToolError(f"the folder has more than {MOST:,} files; ask for fewer with a folder")
        if number % STEP == 0:
            await context.progress(number, None, f"{number:,} files")
        if fnmatch(path, pattern) or fnmatch(path.rpartition("/")[2], pattern):
            found.append(path)
    found.sort()
    return Found(found[:limit], len(found) > limit)


def _root() -> Path:
    root = Path(os.environ.get("DESK_FOLDER") or ".").resolve()
    if not root.is_dir():
        raise ToolError(
            "there is no data folder: whoever runs this server has to set `DESK_FOLDER`"
        )
    return root


def _files(root: Path) -> Iterator[str]:
    """The files below a folder, hidden ones left out; links are not followed."""
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(folder, name)
            if not name.startswith(".") and not path.is_symlink():
                yield path.relative_to(root).as_posix()
