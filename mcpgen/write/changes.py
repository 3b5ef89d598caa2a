"""The changes of a write, found by comparing the new files with the folder by way of the lock.

Ownership is by place: a path in the lock is mcpgen's, every other path is the user's.
Nothing is merged. A file of ours that was edited, or a file of somebody else in the place
of ours, is a conflict that is shown and never resolved silently.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..lock import text_hash
from ..paths import Obstacle, read_plain
from ..problems import OutputConflictError, Problem

LARGEST_DIFF = 80
"""Lines of a shown difference; what is longer is cut with a count."""
LONG_LINE = 160
"""Columns of a line that is shown whole. Of a longer one only the words that changed are."""
LONGEST_COMPARED = 40_000
"""Characters of two lines whose words are compared, which takes the square of their length."""
CONTEXT = 40
"""Columns shown on either side of a changed word in a long line."""
_WORDS = re.compile(r"\w+|\W")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A file that stands in the way.

    `kind`: `edited` (ours, changed by hand), `stranger` (never ours), `link`, or `taken` (a file of
    the user that cannot move because its new place is taken).
    """

    path: str
    kind: str
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a write, made or planned: paths relative to the project, with `/`, sorted.

    `kept` are written-once files that exist already and are the user's; `moved` are files
    of the user (old path, new path); `hashes` are those of the files when they were
    compared; `notes` are sentences for the summary and `problems` are faults that only the
    user can mend afterwards.
    """

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    hashes: Mapping[str, str | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    dry_run: bool = False

    @property
    def empty(self) -> bool:
        """Whether the folder already is what it should be."""
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
    is_once: Callable[[str], bool],
    moves: Sequence[tuple[str, str]] = (),
) -> Changes:
    """Compare `files` with `folder`, and return the changes that writing them would make.

    `owned` maps each path of the locks to the hashes it has in them. `moves` are files of
    the user that are moved first: a file that is written only once is then no longer
    missing.
    """
    table = _Table(folder, owned)
    arriving = {new for _, new in moves}
    for path in sorted(files):
        table.add_file(path, files[path], once=is_once(path), arrives=path in arriving)
    written = {path.casefold(): path for path in files}
    for path in sorted(owned):
        if path in files or is_once(path) or _one_file(folder, path, written.get(path.casefold())):
            continue
        table.add_gone(path)
    for old, new in moves:
        table.add_move(old, new, generated=new in files and not is_once(new))
    return table.changes()


class _Table:
    """The outcome for each path, while a project is compared."""

    def __init__(self, folder: Path, owned: Mapping[str, Collection[str]]) -> None:
        self.folder = folder
        self.owned = owned
        self.conflicts: list[Conflict] = []
        self.hashes: dict[str, str | None] = {}
        self.moves: list[tuple[str, str]] = []
        self.outcomes: dict[str, list[str]] = {
            word: [] for word in ("created", "updated", "removed", "unchanged", "kept")
        }

    def add_file(self, path: str, text: str | bytes, *, once: bool, arrives: bool) -> None:
        """A file of the plan."""
        current = read_plain(self.folder, path)
        if once:
            missing = current is None and not arrives
            self._put("created" if missing else "kept", path)
            return
        if isinstance(current, Obstacle):
            self.conflicts.append(_blocked(path, current))
            return
        if current is None:
            self.hashes[path] = None
            self._put("created", path)
            return
        self.hashes[path] = text_hash(current)
        if self.hashes[path] == text_hash(text):
            self._put("unchanged", path)
        elif self.hashes[path] in self.owned.get(path, ()):
            self._put("updated", path)
        else:
            kind = "edited" if path in self.owned else "stranger"
            self.conflicts.append(_conflict(path, current, text, kind))

    def add_gone(self, path: str) -> None:
        """A file of the last run that is not in the plan."""
        current = read_plain(self.folder, path)
        if current is None:
            return
        if isinstance(current, Obstacle):
            self.conflicts.append(_blocked(path, current))
            return
        self.hashes[path] = text_hash(current)
        if self.hashes[path] in self.owned[path]:
            self._put("removed", path)
        else:
            self.conflicts.append(_conflict(path, current, "", "edited"))

    def add_move(self, old: str, new: str, *, generated: bool) -> None:
        """A file of the user that goes to another package."""
        if generated or os.path.lexists(self.folder / new):
            reason = f"`{old}` is yours and moves to `{new}`, where another file is or goes\n"
            self.conflicts.append(Conflict(path=old, kind="taken", diff=reason))
        else:
            self.moves.append((old, new))

    def changes(self) -> Changes:
        """Everything that was added."""
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

    def _put(self, word: str, path: str) -> None:
        self.outcomes[word].append(path)


def _blocked(path: str, blocked: Obstacle) -> Conflict:
    return Conflict(path=path, kind="link", diff=f"{blocked}: mcpgen never writes through it\n")


def _one_file(folder: Path, old: str, new: str | None) -> bool:
    """Return whether `Books.py` and `books.py` are one file here: then it is written and must not
    be removed after that.
    """
    try:
        return new is not None and (folder / old).samefile(folder / new)
    except OSError:
        return False


def _conflict(path: str, found: bytes, wanted: str | bytes, kind: str) -> Conflict:
    return Conflict(path=path, kind=kind, diff=difference(path, found, wanted))


def difference(path: str, found: bytes, wanted: str | bytes) -> str:
    """A unified diff from what mcpgen would write to what stands in the folder.

    It is the edit as a patch, except for long lines (a tool is one line of JSON), of which only the
    changed words are shown, with what is around them.
    """
    try:
        ours = _lines(path, wanted)
        theirs = _lines(path, found)
    except UnicodeDecodeError:
        return f"`{path}` is not text\n"
    names = (f"generated/{path}", f"yours/{path}")
    diff = difflib.unified_diff(ours, theirs, *names, "", "", 2, "")
    lines = _readable(list(diff))
    if len(lines) > LARGEST_DIFF:
        lines = [*lines[:LARGEST_DIFF], f"... {len(lines) - LARGEST_DIFF} more lines"]
    return "".join(f"{line}\n" for line in lines)


def _readable(diff: list[str]) -> list[str]:
    """The lines of a unified diff, long ones cut to what changed in them."""
    lines: list[str] = []
    old: list[str] = []
    for line in diff:
        if line.startswith("-") and len(line) > LONG_LINE:
            old.append(line[1:])
        elif line.startswith("+") and old:
            lines += _changed_words(old.pop(0), line[1:])
        else:
            lines += [f"-{_start(removed)}" for removed in old]
            lines.append(line[:1] + _start(line[1:]))
            old.clear()
    return lines + [f"-{_start(removed)}" for removed in old]


def _changed_words(old: str, new: str) -> list[str]:
    """Return the replacements in a long line: two lines for each place."""
    if len(old) + len(new) > LONGEST_COMPARED:
        return [f"-{_start(old)}", f"+{_start(new)}"]
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    words = difflib.SequenceMatcher(None, before, after, autojunk=False)
    lines = []
    for kind, start, end, start_after, end_after in words.get_opcodes():
        if kind == "equal":
            continue
        left = "".join(before[:start])[-CONTEXT:]
        right = "".join(before[end:])[:CONTEXT]
        removed = _start("".join(before[start:end]))
        added = _start("".join(after[start_after:end_after]))
        lines += [f"-...{left}{removed}{right}...", f"+...{left}{added}{right}..."]
    return lines


def _start(text: str) -> str:
    """A text that is not too long for one line."""
    if len(text) <= LONG_LINE:
        return text
    return f"{text[:LONG_LINE]}..."


def _lines(path: str, content: str | bytes) -> list[str]:
    """The lines of a file; JSON in one line for each value, so that the field that differs shows.
    Raises UnicodeDecodeError.
    """
    text = content if isinstance(content, str) else content.decode()
    if path.endswith(".json"):
        with contextlib.suppress(ValueError, RecursionError):
            text = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    return text.replace("\r\n", "\n").splitlines()


def where_edits_belong(path: str) -> str:
    """The place where an edit of this generated file survives."""
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
    if name == "VARIABLES.md":
        return "README.md is yours: write about variables there"
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
    """The refusal to overwrite: one problem for each file, with the difference and where the edit
    belongs.
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
