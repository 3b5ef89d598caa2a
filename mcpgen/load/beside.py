"""Several files as one document: API descriptions, and definitions of tools beside them."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..problems import UsageError
from . import recognise
from .definitions import SOURCES
from .source import DOCUMENT_ENDINGS, Source, is_project
from .text import SourceText

LONGEST_PATH = 4096
Name = str | os.PathLike[str]
Read = tuple[Source, SourceText, Any]
API_STEMS = ("openapi", "swagger")


def expand(names: Sequence[Name]) -> list[Name]:
    """The names of documents, with a folder of definitions replaced by its files. Raises UsageError
    if there are none.
    """
    expanded: list[Name] = []
    for name in names:
        expanded += _documents_in(Path(name)) or [name]
    if not expanded:
        raise UsageError.of("E0127", "no document was named", file="mcpgen")
    return expanded


def _documents_in(folder: Path) -> list[Name]:
    """The definitions in a folder. Empty if it is not a folder, or holds an API description or a
    project: that is a mistake, which reading the folder itself reports.
    """
    if len(str(folder)) >= LONGEST_PATH or not folder.is_dir() or is_project(folder):
        return []
    documents: list[Name] = []
    for path in sorted(folder.iterdir()):
        if not _is_document(path):
            continue
        if path.stem.lower() in API_STEMS:
            return []
        documents.append(path)
    return documents


def _is_document(path: Path) -> bool:
    if path.name.startswith("."):
        return False
    return path.suffix in DOCUMENT_ENDINGS and path.is_file()


def beside(
    names: Sequence[Name], read: Sequence[Read]
) -> tuple[Source, SourceText, dict[str, Any], Path]:
    """One document of many: its source, its text, its root, which names the others, and the folder
    they share. The first API description is the document (see `others`).

    Raises UsageError if one is not a file.
    """
    paths = []
    for name, (source, text, tree) in zip(names, read, strict=True):
        paths.append(_path_of(name, source))
        recognise.tree(text, tree)
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    main = _api_description(read)
    if main is None:
        # The folder itself is the document; nothing is read from this path.
        place = folder / f"{folder.name}.tools"
        source = Source(name=os.path.relpath(folder), kind="path", path=place)
        main = source, SourceText(source.name, "{}"), {}
    source, text, root = main
    assert source.path is not None
    here = Path(os.path.realpath(source.path)).parent
    root[SOURCES] = [
        {"$ref": urllib.parse.quote(Path(os.path.relpath(path, here)).as_posix())}
        for path, (other, _, tree) in zip(paths, read, strict=True)
        if other is not source and not recognise.describes_api(tree)
    ]
    if not root[SOURCES]:
        del root[SOURCES]
    return source, text, root, folder


def _path_of(name: Name, source: Source) -> Path:
    if source.path is None:
        raise UsageError.of(
            "E0127",
            f"`{os.fspath(name)[:80]}` is not a file, and several were named",
            "give files, or one URL alone",
            file="mcpgen",
        )
    return Path(os.path.realpath(source.path))


def others(read: Sequence[Read], root: Any) -> list[str]:
    """The files of the API descriptions besides the document."""
    return [
        os.fspath(source.path)
        for source, _, tree in read
        if source.path is not None and tree is not root and recognise.describes_api(tree)
    ]


def _api_description(read: Sequence[Read]) -> Read | None:
    """The first document that describes an API, if any."""
    apis = (entry for entry in read if recognise.describes_api(entry[2]))
    return next(apis, None)
