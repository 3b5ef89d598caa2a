"""The changes of a write, found by comparing the new files with the folder by way of the lock.

A path in the lock is mcpgen's, every other path is the user's. Nothing is merged: an edited file of
ours, or a foreign file at a path of ours, is a conflict.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..lock import text_hash
from ..paths import Obstacle, read_all, roots
from ..paths import generated as generated_in
from ..problems import OutputConflictError, Problem

ROOMS = ("tools", "runtime")
"""Folders of a package that hold nothing but generated files."""
LARGEST_DIFF = 80
"""Lines of a shown difference; what is longer is cut with a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A file in the way.

    `kind`: `edited` (ours, changed by hand), `stranger` (never ours), `link`, or `taken` (a file of
    the user that cannot move because its new place is taken). `diff` is a text for people.
    """

    path: str
    kind: str
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a write, made or planned: paths relative to the project, with `/`, sorted.

    `kept` are written-once files that exist; `moved` are files of the user (old path, new path);
    `hashes`: path → hash when it was compared; `notes` are sentences for the summary, `problems`
    are faults for the user to mend afterwards.
    """

    created: tuple[str, ...]
    updated: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    conflicts: tuple[Conflict, ...]
    moved: tuple[tuple[str, str], ...]
    hashes: Mapping[str, str | None]
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    dry_run: bool = False

    @property
    def empty(self) -> bool:
        """Whether the folder is up to date, and has no conflict."""
        return not any((self.created, self.updated, self.removed, self.moved, self.conflicts))

    def __str__(self) -> str:
        counts: list[tuple[str, Sequence[object]]] = [
            ("created", self.created),
            ("updated", self.updated),
            ("removed", self.removed),
            ("moved", self.moved),
        ]
        said = [f"{len(paths)} {word}" for word, paths in counts if paths]
        return ", ".join([*said, f"{len(self.unchanged)} unchanged"]) if said else "nothing changed"


def compare(
    files: Mapping[str, str | bytes],
    folder: Path,
    owned: Mapping[str, Collection[str]],
    once: Collection[str],
    moves: Sequence[tuple[str, str]] = (),
) -> Changes:
    """Compare `files` with `folder`, and return the changes that writing them would make.

    `owned`: path → its hashes in the locks. Files in `once` are written only when they are missing.
    `moves` are (old, new) paths of the user's files that move first: a file that arrives so is not
    missing.
    """
    written = {path.casefold(): path for path in files}
    gone = [
        path
        for path in sorted(owned)
        if path not in files
        if not _one_file(folder, path, written.get(path.casefold()))
    ]
    table = _Table(owned, read_all(folder, [*files, *gone]))
    arriving = {new for _, new in moves}
    wanted = {path: text_hash(text) for path, text in files.items() if path not in once}
    for path in sorted(files):
        if path in once:
            table.add_once(path, arrives=path in arriving)
        else:
            table.add(path, wanted[path], files[path], absent="created", same="updated")
    for path in gone:
        table.add(path, "", "", absent="", same="removed")
    for old, new in moves:
        is_taken = os.path.lexists(folder / new) or new in files.keys() - set(once)
        table.add_move(old, new, is_taken=is_taken)
    return table.changes()


class _Table:
    """The outcome for each path of a project. `contents`: what is on the disk."""

    def __init__(
        self, owned: Mapping[str, Collection[str]], contents: Mapping[str, bytes | Obstacle | None]
    ) -> None:
        self.owned, self.contents = owned, contents
        self.conflicts: list[Conflict] = []
        self.hashes: dict[str, str | None] = {}
        self.moves: list[tuple[str, str]] = []
        self.outcomes: dict[str, list[str]] = {
            word: [] for word in ("created", "updated", "removed", "unchanged", "kept")
        }

    def add_once(self, path: str, *, arrives: bool) -> None:
        """Note a file that is written once: `created` if it is missing, else `kept`."""
        missing = self.contents[path] is None and not arrives
        self.outcomes["created" if missing else "kept"].append(path)

    def add(self, path: str, wanted: str, text: str | bytes, *, absent: str, same: str) -> None:
        """Note the outcome for a file whose text is to have the hash `wanted`: `absent` without a
        file, `unchanged` for the same hash, `same` for a file with a hash in the lock, else a
        conflict.
        """
        current = self.contents[path]
        outcome = absent
        if isinstance(current, Obstacle):
            reason = f"{current}: mcpgen never writes through it\n"
            self.conflicts.append(Conflict(path=path, kind="link", diff=reason))
            return
        self.hashes[path] = None
        if current is not None:
            found = self.hashes[path] = text_hash(current)
            outcome = "unchanged" if found == wanted else same
            if outcome == same and found not in self.owned.get(path, ()):
                kind = "edited" if path in self.owned else "stranger"
                diff = difference(path, text, current, "generated", "yours")
                self.conflicts.append(Conflict(path=path, kind=kind, diff=diff))
                return
        if outcome:
            self.outcomes[outcome].append(path)

    def add_move(self, old: str, new: str, *, is_taken: bool) -> None:
        """Note the move of a user's file to another package, or the conflict `taken`."""
        if is_taken:
            reason = f"`{old}` is yours and moves to `{new}`, where another file is or goes\n"
            self.conflicts.append(Conflict(path=old, kind="taken", diff=reason))
        else:
            self.moves.append((old, new))

    def changes(self) -> Changes:
        """Return everything that was added."""
        return Changes(
            created=tuple(self.outcomes["created"]),
            updated=tuple(self.outcomes["updated"]),
            removed=tuple(self.outcomes["removed"]),
            unchanged=tuple(self.outcomes["unchanged"]),
            kept=tuple(self.outcomes["kept"]),
            conflicts=tuple(self.conflicts),
            moved=tuple(self.moves),
            hashes=self.hashes,
        )


def adopted(project: Path, generated: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return path → its hash on the disk, for files at the paths of generated files and in folders
    of generated files. Without a lock, mcpgen takes these files over.
    """
    paths = set(generated)
    pattern = generated_in(paths)
    for package in roots(paths):
        paths |= {path for path in _in_rooms(project, package) if pattern.fullmatch(path)}
    return {
        path: frozenset({text_hash(content)})
        for path, content in read_all(project, paths).items()
        if isinstance(content, bytes)
    }


def _in_rooms(project: Path, package: str) -> Iterator[str]:
    for room in ROOMS:
        for path in (project / package / room).rglob("*"):
            if path.is_file():
                yield path.relative_to(project).as_posix()


def _one_file(folder: Path, old: str, new: str | None) -> bool:
    """Return whether two paths, as `Books.py` and `books.py`, are one file here: then it is
    written, and must not be removed after that.
    """
    try:
        return new is not None and (folder / old).samefile(folder / new)
    except OSError:
        return False


def difference(
    path: str, before: str | bytes, after: str | bytes, old: str, new: str, most: int = LARGEST_DIFF
) -> str:
    """Return a unified diff between two contents of a file, with names of both sides; the lines
    after `most` are counted. For binary content, a sentence.
    """
    try:
        was, now = _lines(path, before), _lines(path, after)
    except UnicodeDecodeError:
        return f"`{path}` is not text\n"
    lines = list(difflib.unified_diff(was, now, f"{old}/{path}", f"{new}/{path}", "", "", 2, ""))
    if len(lines) > most:
        lines = [*lines[:most], f"... {len(lines) - most} more lines"]
    return "".join(f"{line}\n" for line in lines)


def _lines(path: str, content: str | bytes) -> list[str]:
    """Return the lines of a file. JSON gets one line for each value, so that a diff shows the
    changed field. Raises UnicodeDecodeError.
    """
    text = content if isinstance(content, str) else content.decode()
    if path.endswith(".json"):
        with contextlib.suppress(ValueError, RecursionError):
            text = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    return text.replace("\r\n", "\n").splitlines()


def where_edits_belong(path: str) -> str:
    """Return advice on where to keep an edit of a generated file: "wrap the behaviour in …"."""
    name = PurePosixPath(path).name
    if "/tools/" in path and name.endswith(".json"):
        return 'texts, names and hints belong in `mcpgen.toml` under `[tools."<operationId>"]`'
    if "/tools/" in path:
        return (
            "copy the function into `custom/`, where it replaces the generated tool, or wrap it in"
            " `hooks.py`"
        )
    if name == "api.json":
        return (
            "the base URL, allowed origins and answer shaping belong in `mcpgen.toml`, credentials"
            " in `auth.py`"
        )
    if name in ("TOOLS.md", "VARIABLES.md"):
        return "README.md is yours: write about tools and variables there"
    if path.startswith("document/"):
        return "change the original and run `mcpgen generate --update`, or write an overlay"
    if path.startswith("tests/"):
        return "write your own tests in a file of your own beside it"
    if path.startswith(("clients/", "server.json", "manifest.json")):
        return "copy the file under a name of your own"
    return "wrap the behaviour in `hooks.py`, `auth.py` or `custom/`"


MESSAGES = {
    "edited": "was generated and has been edited",
    "stranger": "is in the place of a generated file",
    "link": "cannot be written",
    "taken": "cannot be moved",
}
HINTS = {
    "edited": "`--force` overwrites the edit",
    "stranger": "move it away, or overwrite it with `--force`",
    "link": "move it away",
    "taken": "move one of the two away",
}
WITHOUT_LOCK = (
    "move it away; if only `mcpgen.lock` was lost, restore it (`git checkout mcpgen.lock`), or take"
    " the generated files over with `mcpgen generate --adopt`"
)
"""Hint for a foreign file if no lock lists files of mcpgen's here."""


def conflict_error(
    folder: Path, conflicts: tuple[Conflict, ...], *, has_lock: bool
) -> OutputConflictError:
    """Return the refusal to overwrite: a problem for each file, with the difference and where the
    edit belongs.
    """
    return OutputConflictError(
        *(_conflict_problem(folder, conflict, has_lock) for conflict in conflicts)
    )


def _conflict_problem(folder: Path, conflict: Conflict, has_lock: bool) -> Problem:
    hint = HINTS[conflict.kind]
    code = "E1202"
    if conflict.kind == "edited":
        hint = f"{where_edits_belong(conflict.path)}; {hint}"
    elif conflict.kind in ("stranger", "taken"):
        code = "E1203"
    if conflict.kind == "stranger" and not has_lock:
        hint = WITHOUT_LOCK
    return Problem(
        code=code,
        severity="error",
        message=(f"`{conflict.path}` {MESSAGES[conflict.kind]}: nothing was changed in `{folder}`"),
        hint=hint,
        detail=conflict.diff,
    )
