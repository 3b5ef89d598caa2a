"""The last stage: write {path: text} to a project folder, by way of `mcpgen.lock`.

`write` compares (`changes`), refuses or continues, and replaces (`commit`). Nothing outside the
folder is touched. Inside, only files of the lock change, and new files are made; the exceptions are
`force`, and files of the user in a package that is renamed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from ..compare.names import rename_note
from ..compare.security import refuse_unaccepted
from ..lock import (
    NAME,
    PENDING,
    Lock,
    ToolLock,
    dump,
    facts,
    interruption,
    is_interrupted,
    owned,
    read_lock,
    read_pending,
    salvaged_lock,
    text_hash,
    with_files,
)
from ..paths import check_generated, check_paths, is_once, once_among, repository
from ..problems import OutputConflictError, Problem
from .changes import Changes, Conflict, adopted, compare, conflict_error
from .commit import Work, commit, explained, leftovers
from .rename import left_packages, mentions, refuse_downgrade, refuse_rename
from .rename import moves as user_moves
from .templates import renewal_of

__all__ = [
    "Changes",
    "Conflict",
    "Lock",
    "ToolLock",
    "facts",
    "interruption",
    "is_interrupted",
    "is_once",
    "owned",
    "read_lock",
    "read_pending",
    "text_hash",
    "write",
]

CONFIG_NAME = "mcpgen.toml"
WORKFLOW = ".github/workflows/mcpgen.yml"
HARMLESS = {CONFIG_NAME, ".git"}
"""Allowed content of a folder that is to become a project: the configuration, and a fresh
repository.
"""


def write(
    files: Mapping[str, str | bytes],
    folder: str | Path,
    *,
    lock_facts: Lock,
    force: bool = False,
    accept: bool = False,
    adopt: bool = False,
    renew: bool = False,
    dry_run: bool = False,
) -> Changes:
    """Make the folder hold these files and record them in `mcpgen.lock`; return the changes.

    `lock_facts` is what `facts` made of the server. `force` overwrites edited generated files and
    other files at their paths, and goes back to an older mcpgen; `accept` lets changes of security
    (`compare.security`) and of the server's name through; `adopt` takes over the generated files of
    a project whose lock is missing or damaged; `renew` replaces files that are written once and
    were never edited. With `dry_run` nothing is written, and conflicts are returned, not raised.

    Raises OutputConflictError (exit code 4) if the folder is no project, if files were edited or
    are in the way, or if a newer mcpgen made the project; RefusedError (exit code 3) if a change
    needs `accept`. The folder is then as before. After a failure of the disk, the next run
    completes this one.
    """
    check_paths([*files, NAME, PENDING])
    project = Path(folder).resolve()
    lock = salvaged_lock(project) if adopt else read_lock(project)
    pending = read_pending(project)
    last = lock or lock_facts
    if lock is None and pending is None:
        _check_free(project, files)
    if not force:
        refuse_downgrade(last, lock_facts)
    if not accept:
        refuse_unaccepted(last, lock_facts)
    ours = owned(lock, pending)
    once = once_among([*files, *ours])
    generated = {path: content for path, content in files.items() if path not in once}
    check_generated(generated)
    try:
        if adopt:
            ours |= adopted(project, generated)
        moves = user_moves(project, ours, generated)
        if not accept:
            refuse_rename(last, lock_facts, moves)
        renewal = renewal_of(
            project, (lock, pending), files, moves, generator=lock_facts.generator, renew=renew
        )
        kept = once - renewal.files.keys()
        changes = compare(files, project, ours | renewal.files, kept, moves)
    except OSError as error:
        raise OutputConflictError(explained(project, error, "read")) from error
    notes = _notes(last, lock_facts, interrupted=is_interrupted(project), dry_run=dry_run)
    notes += _idle_workflow(project, changes)
    changes = replace(changes, notes=notes, dry_run=dry_run)
    if dry_run:
        mentioned = _mentions(project, last, lock_facts, changes)
        return replace(changes, problems=(*mentioned, *renewal.problems))
    changes = _forced(project, files, changes, force=force, has_lock=bool(lock or pending))
    new_lock = replace(with_files(lock_facts, generated), once=renewal.records)
    work = _work(project, files, changes, new_lock, (lock, pending))
    if work is not None:
        commit(project, work)
    mentioned = _mentions(project, last, lock_facts, changes)
    return replace(changes, problems=(*mentioned, *renewal.problems))


def _forced(
    project: Path,
    files: Mapping[str, str | bytes],
    changes: Changes,
    *,
    force: bool,
    has_lock: bool,
) -> Changes:
    """Return the changes with every conflict resolved by `force`. Raises OutputConflictError if a
    conflict remains.
    """
    standing = tuple(
        conflict
        for conflict in changes.conflicts
        if not (force and _is_forcible(conflict, has_lock))
    )
    if standing:
        raise conflict_error(project, standing, has_lock=has_lock)
    forced = [conflict.path for conflict in changes.conflicts]
    updated = [path for path in forced if path in files]
    removed = [path for path in forced if path not in files]
    return replace(
        changes,
        updated=tuple(sorted((*changes.updated, *updated))),
        removed=tuple(sorted((*changes.removed, *removed))),
        conflicts=(),
    )


def _is_forcible(conflict: Conflict, has_lock: bool) -> bool:
    """Return whether `force` may overwrite: an edited file, and a foreign file if the project has a
    lock; never through a link.
    """
    if conflict.kind == "stranger":
        return has_lock
    return conflict.kind == "edited"


def _work(
    project: Path,
    files: Mapping[str, str | bytes],
    changes: Changes,
    new_lock: Lock,
    locks: tuple[Lock | None, Lock | None],
) -> Work | None:
    """Return the changes to make on the disk; None if there are none. `locks`: the last run's, and
    an interrupted run's.
    """
    ours = owned(*locks)
    text = dump(new_lock)
    is_recorded = _says(project / NAME, text)
    unfinished = [is_interrupted(project), *leftovers(project)]
    if all([changes.empty, is_recorded, not any(unfinished)]):
        return None
    first_locks: list[tuple[str, bytes]] = []
    if not is_recorded:
        if locks[1] is not None and not _says(project / PENDING, text):
            # The interrupted run wrote something else. Its hashes must not get lost with its lock.
            before = locks[0] or new_lock
            kept = replace(before, files={**before.files, **_present(changes, ours)})
            first_locks.append((NAME, dump(kept).encode()))
        first_locks.append((PENDING, text.encode()))
    return Work(
        writes={path: _bytes(files[path]) for path in (*changes.created, *changes.updated)},
        removes=changes.removed,
        moves=changes.moved,
        hashes=changes.hashes,
        first_locks=tuple(first_locks),
        new_lock=not is_recorded,
        emptied=tuple(path for path in ours if path not in files),
        left_packages=left_packages(ours, new_lock.files),
    )


def _present(changes: Changes, ours: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return path → hash of those files that are on the disk as a lock says."""
    return {
        path: value
        for path, value in changes.hashes.items()
        if value is not None and value in ours.get(path, ())
    }


def _idle_workflow(project: Path, changes: Changes) -> tuple[str, ...]:
    """Return a note on a new workflow below a repository's root, where no forge runs it."""
    root = repository(project)
    if WORKFLOW not in changes.created or root in (project, None):
        return ()
    below = project.relative_to(root).as_posix()
    note = f"`{WORKFLOW}` runs at the root of a repository alone: move it there, and say in it"
    return (f"{note} `defaults: {{run: {{working-directory: {below}}}}}`",)


def _notes(last: Lock, lock_facts: Lock, *, interrupted: bool, dry_run: bool) -> tuple[str, ...]:
    notes = []
    if interrupted and dry_run:
        notes.append("an earlier run was interrupted; `mcpgen generate` completes it")
    elif interrupted:
        notes.append("an earlier run was interrupted; this one completed it")
    if _is_renamed(last, lock_facts):
        notes.append(rename_note(last, lock_facts))
    return tuple(notes)


def _is_renamed(last: Lock, lock_facts: Lock) -> bool:
    """Return whether a server of the last run has another name or prefix of variables now."""
    names = [(lock.name, lock.env_prefix) for lock in (last, lock_facts)]
    return names[0] not in (("", ""), names[1])


def _mentions(project: Path, last: Lock, lock_facts: Lock, changes: Changes) -> tuple[Problem, ...]:
    """Return warnings about a renamed server's old name in the user's files."""
    if not _is_renamed(last, lock_facts):
        return ()
    moved = [old if changes.dry_run else new for old, new in changes.moved]
    return tuple(mentions(project, last, lock_facts, moved))


def _says(path: Path, text: str) -> bool:
    try:
        return text_hash(path.read_bytes()) == text_hash(text)
    except OSError:
        return False


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _check_free(project: Path, files: Mapping[str, str | bytes]) -> None:
    """Raise OutputConflictError (E1201) for a folder that holds other files than a fresh
    repository, and no `mcpgen.toml`.
    """
    try:
        names = sorted(entry.name for entry in project.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError:
        file = next(filter(Path.exists, (project, *project.parents)))
        raise OutputConflictError.of(
            "E1201", f"`{file}` is a file, not a folder", "choose another folder with `--output`"
        ) from None
    except OSError as error:
        raise OutputConflictError(explained(project, error, "read")) from error
    harmless = HARMLESS | {place.name for place in leftovers(project)}
    if CONFIG_NAME in names or not set(names) - harmless:
        return
    shown = ", ".join(f"`{name}`" for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    raise OutputConflictError.of(
        "E1201",
        f"`{project}` is not empty and was not made by mcpgen: it holds {shown}{more}",
        "choose a new folder, or make this one a project: put a `mcpgen.toml` with these"
        " lines into it and run `mcpgen generate` there",
        detail=_source_table(files),
    )


def _source_table(files: Mapping[str, str | bytes]) -> str:
    """Return the table `[source]` of the planned `mcpgen.toml` as text."""
    text = _bytes(files.get(CONFIG_NAME, '[source]\npath = "openapi.yaml"\n')).decode()
    _, header, rest = text.partition("[source]\n")
    return header + rest.partition("\n\n")[0].rstrip("\n") + "\n"
