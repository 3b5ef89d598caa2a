"""What a write would do, found by comparing the new files with the folder by way of the lock.

Ownership is by place: a path in the lock is mcpgen's, every other path is the user's. Nothing is
merged. A file of ours that was edited, or a file of somebody else in the place of ours, is a
conflict that is shown and never resolved silently.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..lock import text_hash
from ..problems import OutputConflictError, Problem

LARGEST_DIFF = 80
"""Lines of a shown difference; what is longer is cut with a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A file that stands in the way. `kind`: `edited` (ours, changed by hand), `stranger` (never
    ours) or `link`.
    """

    path: str
    kind: str
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a write did, or would do: paths relative to the project, with `/`, sorted.

    `kept` are written-once files that exist already and are the user's; `notes` are sentences for
    the summary.
    """

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def empty(self) -> bool:
        """Whether the folder already is what it should be."""
        return not (self.created or self.updated or self.removed or self.conflicts)

    def __str__(self) -> str:
        counts = [("created", self.created), ("updated", self.updated), ("removed", self.removed)]
        said = [f"{len(paths)} {word}" for word, paths in counts if paths]
        return ", ".join([*said, f"{len(self.unchanged)} unchanged"]) if said else "nothing changed"


def checked(path: str) -> str:
    """A path as the generator writes it, or ValueError: relative, `/`, no `..`, printable ASCII,
    legal on Windows.

    The generator names its files itself, so anything else is a bug of ours and not a fault of the
    document.
    """
    parts = PurePosixPath(path).parts
    bad = set('<>:"\\|?*')
    if (
        not parts
        or path.startswith("/")
        or "/".join(parts) != path
        or any(part in (".", "..") or part.endswith((".", " ")) for part in parts)
        or any(not (" " < char <= "~") or char in bad for char in path)
    ):
        raise ValueError(f"not a path mcpgen writes to: {path!r}")
    return path


def check_paths(paths: list[str]) -> None:
    """Raise ValueError when two paths are one file on a file system that ignores case, or a file is
    also a folder.
    """
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(checked(path).casefold(), path)
        if other != path:
            raise ValueError(f"`{other}` and `{path}` are the same file where case is ignored")
    for path in paths:
        for parent in PurePosixPath(path).parents:
            if str(parent).casefold() in seen:
                raise ValueError(f"`{parent}` would be both a file and a folder")


def compare(
    files: Mapping[str, str | bytes],
    folder: Path,
    owned: Mapping[str, str],
    is_once: Callable[[str], bool],
) -> Changes:
    """What writing `files` into `folder` would do. `owned` is the lock's table of paths and
    hashes.
    """
    created: list[str] = []
    kept: list[str] = []
    updated, removed, unchanged, conflicts = [], [], [], []
    for path in sorted(files):
        found = _read(folder, path)
        if is_once(path):
            (created if found is None else kept).append(path)
        elif found is None:
            created.append(path)
        elif isinstance(found, Conflict):
            conflicts.append(found)
        elif text_hash(found) == text_hash(files[path]):
            unchanged.append(path)
        elif path in owned and text_hash(found) == owned[path]:
            updated.append(path)
        else:
            conflicts.append(
                _conflict(path, found, files[path], "edited" if path in owned else "stranger")
            )
    written = {path.casefold(): path for path in files}
    for path in sorted(owned):
        if path in files or is_once(path) or _one_file(folder, path, written.get(path.casefold())):
            continue
        found = _read(folder, path)
        if isinstance(found, Conflict):
            conflicts.append(found)
        elif found is not None and text_hash(found) == owned[path]:
            removed.append(path)
        elif found is not None:
            conflicts.append(_conflict(path, found, "", "edited"))
    return Changes(
        created=tuple(created),
        updated=tuple(updated),
        removed=tuple(removed),
        unchanged=tuple(unchanged),
        kept=tuple(kept),
        conflicts=tuple(conflicts),
    )


def _one_file(folder: Path, old: str, new: str | None) -> bool:
    """Whether `Books.py` and `books.py` are one file here: then it is written and must not be
    removed after that.
    """
    try:
        return new is not None and (folder / old).samefile(folder / new)
    except OSError:
        return False


def _read(folder: Path, path: str) -> bytes | Conflict | None:
    """The bytes of a file, None where there is none, a Conflict where a link or a folder stands in
    the way.

    Nothing is followed: neither a link in place of the file nor one in place of a folder above it.
    """
    here = folder
    parts = PurePosixPath(path).parts
    for depth, part in enumerate(parts, start=1):
        here = here / part
        try:
            mode = here.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        last = depth == len(parts)
        if stat.S_ISLNK(mode) or not (stat.S_ISREG(mode) if last else stat.S_ISDIR(mode)):
            kind = (
                "a symbolic link"
                if stat.S_ISLNK(mode)
                else "not a file" if last else "not a folder"
            )
            shown = "/".join(parts[:depth])
            return Conflict(
                path=path,
                kind="link",
                diff=f"`{shown}` is {kind}: mcpgen never writes through it\n",
            )
    descriptor = os.open(
        here, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    )
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _conflict(path: str, found: bytes, wanted: str | bytes, kind: str) -> Conflict:
    return Conflict(path=path, kind=kind, diff=difference(path, found, wanted))


def difference(path: str, found: bytes, wanted: str | bytes) -> str:
    """A unified diff from what mcpgen would write to what stands in the folder: the edit, as a
    patch.
    """
    try:
        ours = (wanted if isinstance(wanted, str) else wanted.decode()).splitlines(keepends=True)
        theirs = found.decode().replace("\r\n", "\n").splitlines(keepends=True)
    except UnicodeDecodeError:
        return f"`{path}` is not text\n"
    lines = list(difflib.unified_diff(ours, theirs, f"generated/{path}", f"yours/{path}", n=2))
    lines = [line if line.endswith("\n") else line + "\n" for line in lines]
    if len(lines) > LARGEST_DIFF:
        lines = [*lines[:LARGEST_DIFF], f"... {len(lines) - LARGEST_DIFF} more lines\n"]
    return "".join(lines)


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
    if path.startswith("tests/"):
        return "write your own tests in a file of your own beside it"
    if path.startswith(("clients/", "server.json", "manifest.json")):
        return "copy the file under a name of your own"
    return "wrap the behaviour in `hooks.py`, `auth.py` or `custom/`"


def conflict_error(folder: Path, conflicts: tuple[Conflict, ...]) -> OutputConflictError:
    """The refusal to overwrite: one problem for each file, with the difference and where the edit
    belongs.
    """
    said = {
        "edited": ("was generated and has been edited", "`--force` overwrites the edit"),
        "stranger": (
            "stands where a generated file goes",
            "move it away, or overwrite it with `--force`",
        ),
        "link": ("cannot be written", "move it away"),
    }
    return OutputConflictError(
        *(
            Problem(
                code="E1203" if conflict.kind == "stranger" else "E1202",
                severity="error",
                message=(
                    f"`{conflict.path}` {said[conflict.kind][0]}: nothing was changed in `{folder}`"
                ),
                hint="; ".join(
                    ([where_edits_belong(conflict.path)] if conflict.kind == "edited" else [])
                    + [said[conflict.kind][1]]
                ),
                detail=conflict.diff,
            )
            for conflict in conflicts
        )
    )
