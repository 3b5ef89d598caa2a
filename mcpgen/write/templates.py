"""Files that are written once, compared with what mcpgen would write today.

The lock keeps the hash of each file as written, and the version of mcpgen then. A file with this
hash was never edited, so `mcpgen generate --renew` may write it anew. Of an edited file the new
text is only shown.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..lock import Lock, Once, text_hash
from ..paths import has_template, read_plain
from ..problems import Problem
from ..version import __version__
from .changes import difference

State = Literal["untouched", "edited", "unknown"]
"""Whether a file was edited since mcpgen wrote it; unknown of a file that was there before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """A file that mcpgen would write differently today. `generator`: its writer's version, empty if
    unknown.
    """

    path: str
    state: State
    generator: str


def records(
    folder: Path,
    locks: Sequence[Lock | None],
    files: Mapping[str, str | bytes],
    moves: Sequence[tuple[str, str]] = (),
    *,
    generator: str = __version__,
) -> dict[str, Once]:
    """Return path → record, for the next lock, of the files that are written once.

    `locks` are the lock of the last run, and the lock of an interrupted run. Without the first, the
    records are those of today's texts. `moves`: (old, new) paths.
    """
    today = {
        path: Once(hash=text_hash(content), generator=generator)
        for path, content in files.items()
        if has_template(path)
    }
    if locks[0] is None:
        return today
    known: dict[str, Once] = {}
    for lock in filter(None, reversed(locks)):
        known |= lock.once
    old_paths = {new: old for old, new in moves}
    result = {}
    for path, newest in today.items():
        old_path = old_paths.get(path, path)
        before = known.get(old_path, Once(hash="", generator=""))
        result[path] = _record(_hash_on_disk(folder, old_path), before, newest)
    return result


def _record(current: str, before: Once, newest: Once) -> Once:
    """Return the next record of a file; `current` is its hash on the disk, empty without a file."""
    if before.hash == newest.hash:
        return replace(before, newest="")
    if current in ("", newest.hash):
        return newest
    return replace(before, newest=newest.hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """The renewal of files that are written once.

    `files` are those to write anew, with the hash they have; `records` are the next lock's
    for all of them; `problems` are notes about those that stay.
    """

    files: dict[str, frozenset[str]]
    records: Mapping[str, Once]
    problems: tuple[Problem, ...]


def renewal_of(
    folder: Path,
    locks: Sequence[Lock | None],
    files: Mapping[str, str | bytes],
    moves: Sequence[tuple[str, str]],
    *,
    generator: str,
    renew: bool,
) -> Renewal:
    """Plan the renewal of the files written once; with `renew`, unedited files are written anew."""
    now = records(folder, locks, files, moves, generator=generator)
    found = outdated(folder, now)
    if not renew:
        return Renewal(files={}, records=now, problems=tuple(template_problems(found)))
    untouched = [file.path for file in found if file.state == "untouched"]
    seen = {file.path: Once(hash=now[file.path].newest, generator=generator) for file in found}
    return Renewal(
        files={path: frozenset({now[path].hash}) for path in untouched},
        records={**now, **seen},
        problems=tuple(
            _shown(file, template_difference(folder, file.path, files[file.path]))
            for file in found
            if file.state != "untouched"
        ),
    )


def outdated(folder: Path, once: Mapping[str, Once]) -> list[Outdated]:
    """Return the files of a project that mcpgen would write differently today, by path."""
    found = []
    for path, record in sorted(once.items()):
        current = _hash_on_disk(folder, path)
        if not record.newest or current in ("", record.newest):
            continue
        state: State = "edited"
        if not record.hash:
            state = "unknown"
        elif current == record.hash:
            state = "untouched"
        found.append(Outdated(path=path, state=state, generator=record.generator))
    return found


def template_difference(folder: Path, path: str, text: str | bytes) -> str:
    """Return a unified diff, uncut, from a file in the folder to `text`, its content today."""
    current = read_plain(folder, path)
    before = current if isinstance(current, bytes) else b""
    return difference(path, before, text, "yours", "today", most=sys.maxsize)


ADVICE: Mapping[State, str] = {
    "untouched": "`mcpgen generate --renew` writes it anew",
    "edited": "take over by hand what you want of it; `mcpgen generate --renew` keeps your file and"
    " remembers that you saw this",
    "unknown": "to take it, delete your file and run `mcpgen generate`; `mcpgen generate --renew`"
    " keeps your file and remembers that you saw this",
}
"""Advice on one of these files, under its difference."""


def template_problems(files: Sequence[Outdated]) -> list[Problem]:
    """Return a note (E1365) for each state among the files."""
    notes = []
    for state in ADVICE:
        group = [file for file in files if file.state == state]
        if group:
            notes.append(_note(state, group))
    return notes


def _shown(file: Outdated, text: str) -> Problem:
    """Return a note (E1365) about a file that stays, with `text`: its difference from today's."""
    return Problem(
        code="E1365",
        severity="note",
        message=f"mcpgen would write `{file.path}` differently today; it is yours and stays",
        hint="take over by hand what you want of it",
        detail=text,
    )


def _note(state: State, files: Sequence[Outdated]) -> Problem:
    names = ", ".join(f"`{file.path}`" for file in files)
    words = {
        "untouched": "nobody edited it",
        "edited": "you edited it",
        "unknown": "`mcpgen.lock` does not say whether you edited it",
    }
    message = f"mcpgen would write {names} differently today; {words[state]}"
    hint = "`mcpgen diff --templates` shows the difference and says what to do"
    if state == "untouched":
        hint = "`mcpgen diff --templates` shows the difference; `mcpgen generate --renew` writes it"
    return Problem(code="E1365", severity="note", message=message, hint=hint)


def _hash_on_disk(folder: Path, path: str) -> str:
    """Return the hash of a file; empty without a file, and for a link or folder."""
    content = read_plain(folder, path)
    if isinstance(content, bytes):
        return text_hash(content)
    return ""
