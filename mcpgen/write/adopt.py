"""Generated files of a project whose lock is gone: which of them mcpgen takes over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..lock import text_hash
from ..paths import GENERATED, packages, read_plain
from .ownership import is_once

ROOMS = ("tools", "runtime")
"""Folders of a package that hold nothing but generated files."""


def adopted(project: Path, files: Iterable[str]) -> dict[str, frozenset[str]]:
    """Every file that stands where a generated one goes, and every file in a folder of generated
    ones, with the hash it has.
    """
    paths = {path for path in files if not is_once(path)}
    for package in packages(paths):
        paths |= set(_in_rooms(project, package))
    hashes = {}
    for path in paths:
        content = read_plain(project, path)
        if isinstance(content, bytes):
            hashes[path] = frozenset({text_hash(content)})
    return hashes


def _in_rooms(project: Path, package: str) -> Iterator[str]:
    for room in ROOMS:
        for path in (project / "src" / package / room).rglob("*"):
            name = path.relative_to(project).as_posix()
            if path.is_file() and GENERATED.fullmatch(name):
                yield name
