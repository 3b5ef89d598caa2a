"""The last stage: {path: text} onto the disk, by way of `mcpgen.lock`.

`write` is the whole of it: compare (`changes`), refuse or go on, swap (`swap`). Nothing outside the
folder is touched, and inside it nothing that the lock does not name, except files that do not exist
yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..lock import NAME, Lock, ToolLock, dump, facts, read_lock, text_hash, with_files
from ..problems import OutputConflictError, Problem
from .changes import Changes, Conflict, check_paths, compare, conflict_error
from .safety import refuse_unaccepted
from .swap import commit, explained, recover

__all__ = [
    "Changes",
    "Conflict",
    "Lock",
    "ToolLock",
    "facts",
    "is_once",
    "read_lock",
    "recover",
    "text_hash",
    "write",
]

CONFIG_NAME = "mcpgen.toml"
HARMLESS = {CONFIG_NAME, ".git"}
"""What may stand in a folder that is to become a project: the configuration, and a fresh
repository.
"""


def is_once(path: str) -> bool:
    """Whether a file is written only where it is missing and belongs to the user from then on."""
    from ..render.ownership import (
        is_once as rendered_once,
    )  # late: `check` needs the lock, not the whole renderer

    return path == CONFIG_NAME or rendered_once(path)


def write(
    files: Mapping[str, str | bytes],
    folder: str | Path,
    *,
    lock_facts: Lock,
    force: bool = False,
    accept: bool = False,
    dry_run: bool = False,
) -> Changes:
    """Make the folder hold these files, all of them or none, and record them in `mcpgen.lock`.

    `lock_facts` is what `facts` made of the server. `force` overwrites generated files that were
    edited and strangers in the place of generated files; `accept` lets changes of origin,
    credentials and destructive behaviour through. With `dry_run` nothing is written and conflicts
    are returned instead of raised.

    Raises OutputConflictError (exit code 4) when the folder is not ours, when files were edited or
    stand in the way, or when the disk refuses; RefusedError (exit code 3) when a change needs
    `accept`. In all of them the folder is as before.
    """
    check_paths([*files, NAME])
    project = Path(folder).resolve()
    recover(project)
    lock = read_lock(project)
    if lock is None:
        _check_free(project)
    elif not accept:
        refuse_unaccepted(lock, lock_facts)
    try:
        changes = compare(files, project, lock.files if lock else {}, is_once)
    except OSError as error:
        raise OutputConflictError(explained(project, error, "read")) from error
    if dry_run:
        return replace(changes, dry_run=True)
    standing = tuple(
        conflict for conflict in changes.conflicts if not (force and _forcible(conflict, lock))
    )
    if standing:
        raise conflict_error(project, standing)
    forced = [conflict.path for conflict in changes.conflicts]
    updated = tuple(sorted((*changes.updated, *(path for path in forced if path in files))))
    removed = tuple(sorted((*changes.removed, *(path for path in forced if path not in files))))
    changes = replace(changes, updated=updated, removed=removed, conflicts=())
    owned = {path: content for path, content in files.items() if not is_once(path)}
    _swap(project, files, changes, dump(with_files(lock_facts, owned)))
    return changes


def _swap(
    project: Path, files: Mapping[str, str | bytes], changes: Changes, lock_text: str
) -> None:
    writes = {path: _bytes(files[path]) for path in (*changes.created, *changes.updated)}
    if not _says(project / NAME, lock_text):
        writes[NAME] = lock_text.encode()
    if writes or changes.removed:
        commit(project, writes, changes.removed)


def _says(path: Path, text: str) -> bool:
    try:
        return text_hash(path.read_bytes()) == text_hash(text)
    except OSError:
        return False


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _forcible(conflict: Conflict, lock: Lock | None) -> bool:
    """Whether `force` may overwrite: never through a link, and strangers only inside a project that
    is ours already.
    """
    return conflict.kind == "edited" or (conflict.kind == "stranger" and lock is not None)


def _check_free(project: Path) -> None:
    """Refuse a folder that holds something and is not ours: neither a lock nor a configuration says
    so.
    """
    try:
        names = sorted(entry.name for entry in project.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise OutputConflictError(
            Problem(
                code="E1201",
                severity="error",
                message=f"`{project}` is a file, not a folder",
                hint="choose another folder with `--output`",
            )
        ) from None
    except OSError as error:
        raise OutputConflictError(explained(project, error, "read")) from error
    if CONFIG_NAME in names or not set(names) - HARMLESS:
        return
    shown = ", ".join(f"`{name}`" for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    raise OutputConflictError(
        Problem(
            code="E1201",
            severity="error",
            message=f"`{project}` is not empty and was not made by mcpgen: it holds {shown}{more}",
            hint=(
                "choose a new folder, or make this one a project of mcpgen by putting a"
                " `mcpgen.toml` into it"
            ),
        )
    )
