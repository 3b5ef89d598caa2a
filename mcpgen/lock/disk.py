"""The lock of a project on disk: read, never written here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..paths import Obstacle, obstacle, read_plain
from ..problems import OutputConflictError, Problem, UsageError
from ..text import shorten, visible
from ..version import __version__
from .facts import text_hash
from .model import FORMAT, Lock
from .text import parse_lock

NAME = "mcpgen.lock"
PENDING = "mcpgen.lock.new"
"""The next lock, while a run is writing and after one that was interrupted."""

ADOPT = (
    "`mcpgen generate --adopt` takes the generated files over as they are, and writes a new lock"
)
RESTORE = f"restore it from version control (`git checkout mcpgen.lock`); or else {ADOPT}"
REMOVE = (
    "remove it and run `mcpgen generate`: it only says which files an interrupted run had written"
)
MERGE = "`mcpgen generate --adopt` goes on from either side"
MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


def read_lock(folder: Path) -> Lock | None:
    """The lock of a project, or None where there is none. Raises OutputConflictError (E1204) when
    it cannot be understood, or names a path that mcpgen does not write or that leads over a link.
    """
    return _read(folder, NAME)


def salvaged_lock(folder: Path) -> Lock | None:
    """The lock of a project as far as it can be read: one side of an unresolved merge, None where
    it is missing or damaged. Raises OutputConflictError where a newer version of mcpgen wrote it,
    or where it leads over a link.
    """
    try:
        return read_lock(folder)
    except OutputConflictError:
        content = read_plain(folder, NAME)
        if not isinstance(content, bytes) or _newer_generator(content):
            raise
    for side in _sides(content.decode(errors="replace")):
        try:
            return _understood(folder, NAME, side.encode())
        except OutputConflictError:
            continue
    return None


def _sides(text: str) -> tuple[str, str]:
    """Both sides of a text with conflict markers (`git merge-file`)."""
    sides: tuple[list[str], list[str]] = ([], [])
    wanted = [0, 1]
    for line in text.splitlines(keepends=True):
        marker = line[:7]
        if marker not in MARKERS:
            for number in wanted:
                sides[number].append(line)
        elif marker == "<<<<<<<":
            wanted = [0]
        elif marker == "|||||||":
            wanted = []
        elif marker == "=======":
            wanted = [1]
        else:
            wanted = [0, 1]
    return "".join(sides[1]), "".join(sides[0])


def read_pending(folder: Path) -> Lock | None:
    """The lock that an interrupted run was writing; None where none was. Raises as `read_lock`."""
    return _read(folder, PENDING)


MAKE_ONE = (
    "give the folder of a project; `mcpgen generate openapi.yaml` makes one, and inside it"
    " `mcpgen generate` is enough"
)


def require_lock(folder: Path, hint: str = "") -> Lock:
    """The lock of a project. Raises UsageError where there is none: E1210 after an interrupted
    first run, else E1310 with the hint, or with what makes a lock here.
    """
    lock = read_lock(folder)
    if lock is not None:
        return lock
    if is_interrupted(folder):
        raise UsageError(replace(interruption(folder), severity="error"))
    message = f"`{folder}` has no `{NAME}`: nothing was generated here yet, or the lock was lost"
    if not hint:
        is_configured = (folder / "mcpgen.toml").is_file()
        hint = "run `mcpgen generate`" if is_configured else MAKE_ONE
    raise UsageError.of("E1310", message, hint)


def is_interrupted(folder: Path) -> bool:
    """Return whether a run in this project did not come to its end."""
    return os.path.lexists(folder / PENDING)


def interruption(folder: Path) -> Problem:
    """Return the warning about an interrupted run, for commands that only read the project."""
    return Problem(
        code="E1210",
        severity="warning",
        message=f"a run of mcpgen in `{folder}` was interrupted: `{PENDING}` is still there",
        hint="run `mcpgen generate`, which completes it",
    )


def owned(*locks: Lock | None) -> dict[str, frozenset[str]]:
    """Every path of these locks, with the hashes it has in them: such files are mcpgen's."""
    hashes: dict[str, frozenset[str]] = {}
    for lock in locks:
        if lock is None:
            continue
        for path, value in lock.files.items():
            hashes[path] = hashes.get(path, frozenset()) | {value}
    return hashes


def with_files(lock: Lock, files: Mapping[str, str | bytes]) -> Lock:
    """The lock that also owns these files."""
    return replace(lock, files={path: text_hash(content) for path, content in files.items()})


def _read(folder: Path, name: str) -> Lock | None:
    try:
        content = read_plain(folder, name)
    except OSError as error:
        raise _unreadable(folder, name, str(error)) from error
    if content is None:
        return None
    if isinstance(content, Obstacle):
        raise _unreadable(folder, name, str(content), _remedy(name))
    return _understood(folder, name, content)


def _understood(folder: Path, name: str, content: bytes) -> Lock:
    try:
        lock = parse_lock(content.decode())
    except (ValueError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        if _has_conflict(content):
            reason = "it holds an unresolved merge conflict"
        raise _unreadable(folder, name, reason, _remedy(name, content)) from error
    for path in lock.files:
        blocked = obstacle(folder, path)
        if blocked is not None:
            reason = f"it names `{path}`, but {blocked}"
            raise _unreadable(folder, name, reason, "move that away; mcpgen follows no link")
    return lock


def _remedy(name: str, content: bytes = b"") -> str:
    """Return the hint for a lock that this version cannot read."""
    if name == PENDING:
        return REMOVE
    if _has_conflict(content):
        return MERGE
    version = _newer_generator(content)
    if version:
        return (
            f"it was written by mcpgen {version}, this is {__version__}: install that version or a"
            " later one"
        )
    return RESTORE


def _newer_generator(content: bytes) -> str:
    """The version of mcpgen that wrote a lock of a later format, else an empty text."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    number = data.get("lock") if isinstance(data, dict) else None
    if not isinstance(number, int) or number <= FORMAT:
        return ""
    return shorten(visible(str(data.get("generator", ""))), 20) or "?"


def _has_conflict(content: bytes) -> bool:
    return b"<<<<<<<" in content and b">>>>>>>" in content


def _unreadable(
    folder: Path, name: str, reason: str, hint: str = "make it readable"
) -> OutputConflictError:
    return OutputConflictError.of("E1204", f"cannot read `{folder / name}`: {reason}", hint)
