"""Several files as one document: definitions of tools beside each other, and beside at most one API
description.
"""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..problems import UsageError
from . import recognise
from .definitions import SOURCES
from .source import Source
from .text import Text, problem

Read = tuple[Source, Text, Any]
_ENDINGS = (".json", ".yaml", ".yml")


def expand(names: Sequence[str | os.PathLike[str]]) -> list[str | os.PathLike[str]]:
    """The names of documents, a folder of definitions being the files in it. Raises UsageError for
    none at all.
    """
    out: list[str | os.PathLike[str]] = []
    for name in names:
        folder = Path(name)
        inside = sorted(folder.iterdir()) if len(os.fspath(name)) < 4096 and folder.is_dir() else []
        found = [
            path
            for path in inside
            if path.suffix in _ENDINGS and path.is_file() and not path.name.startswith(".")
        ]
        # A folder that holds an API description is a mistake to be told of, not a list to be read.
        described = any(path.stem.lower() in ("openapi", "swagger") for path in found)
        out += found if found and not described else [name]
    if not out:
        raise UsageError(problem("E0127", "no document was named", "mcpgen"))
    return out


def beside(
    names: Sequence[str | os.PathLike[str]], read: Sequence[Read]
) -> tuple[Source, Text, dict[str, Any], Path]:
    """One document of many: its source, text and root, in which the others are named, and the
    folder they share.

    Raises UsageError where more than one describes an API, or where one is not a file.
    """
    for name, (source, text, tree) in zip(names, read, strict=True):
        if source.path is None:
            hint = "give files, or one URL alone"
            raise UsageError(
                problem(
                    "E0127",
                    f"`{os.fspath(name)[:80]}` is not a file, and several were named",
                    "mcpgen",
                    hint=hint,
                )
            )
        recognise.tree(text, tree)
    apis = [
        entry
        for entry in read
        if type(entry[2]) is dict and ("openapi" in entry[2] or "swagger" in entry[2])
    ]
    if len(apis) > 1:
        shown = ", ".join(f"`{source.name}`" for source, _, _ in apis[:3])
        raise UsageError(
            problem(
                "E0127", f"one API description is needed, {len(apis)} were given: {shown}", "mcpgen"
            )
        )
    paths = [
        Path(os.path.realpath(source.path)) for source, _, _ in read if source.path is not None
    ]
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    if apis:
        source, text, root = apis[0]
    else:
        # Nothing is read from it: the folder itself is the document, and its files stand in it.
        source = Source(
            name=os.path.relpath(folder), kind="path", path=folder / f"{folder.name}.tools"
        )
        text, root = Text(source.name, "{}"), {}
    here = Path(os.path.realpath(source.path)).parent if source.path is not None else folder
    root[SOURCES] = [
        {"$ref": urllib.parse.quote(Path(os.path.relpath(path, here)).as_posix())}
        for path, (other, _, _) in zip(paths, read, strict=True)
        if other is not source
    ]
    return source, text, root, folder
