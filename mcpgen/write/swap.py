"""All or nothing: a project is seen as it was or as it will be, and a killed run leaves one of the
two.

Everything is first written to a *stage*, a folder beside the project on the same file system, and
flushed to the disk. Then one of two ways leads on:

* **exchange** (Linux and macOS, where the file system can swap two folders in one step): a mirror
  of the project is built in the stage, user's files as hard links, generated files as they will be.
  Project and mirror are exchanged, so that the path shows the new project from one moment to the
  next; the original folder, out of sight now, is brought up to date file by file and exchanged
  back, so that shells, editors and mounts that hold the folder keep the one they know.
* **in place** (everywhere else: no exchange, no hard links, a mount point, a parent that cannot be
  written): the stage is marked as complete, then each file is renamed into its place. An error
  undoes what was done. After a kill or a power cut the folder may be mixed; the next command of
  mcpgen in it completes what the stage holds (`recover`).

A stage is private to its user (0700) and locked while it is in use; one that nobody holds was left
by a killed run.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..problems import OutputConflictError, Problem
from .changes import checked

if sys.platform != "win32":
    import fcntl

JOURNAL = "journal.json"
COMPLETE = "complete"
OWNER = "owner"
INSIDE = ".mcpgen-stage"
FILE_MODE = 0o644
FOLDER_MODE = 0o755


@dataclass(frozen=True, slots=True)
class Journal:
    """What a stage is about to do. `inode` is the project folder's, 0 where there is none yet."""

    writes: tuple[str, ...]
    removes: tuple[str, ...]
    inode: int


def commit(folder: Path, writes: Mapping[str, bytes], removes: Iterable[str]) -> None:
    """Write and remove files in one step, or change nothing and raise OutputConflictError.

    `folder` is a real path (no links in it). The paths were compared before: none leads through a
    link.
    """
    try:
        with _stage(folder) as stage:
            journal = Journal(tuple(sorted(writes)), tuple(sorted(removes)), _inode(folder))
            _fill(stage, journal, writes)
            if journal.inode == 0:
                _first(stage, folder, journal)
            elif not _exchange_in(stage, folder, journal):
                (stage / COMPLETE).touch()
                _sync_folder(stage)
                _in_place(stage, folder, journal)
    except OSError as error:
        raise OutputConflictError(explained(folder, error)) from error


def recover(folder: Path) -> bool:
    """Complete or discard what a killed run left beside or inside a project; whether there was
    anything.

    Every command that reads or writes a project calls this first. Raises OutputConflictError when
    another mcpgen is at work in the folder right now, or when the stage is not ours.
    """
    found = False
    try:
        for place in _stage_places(folder):
            if _exists(place):
                found = True
                with _locked(place, folder):
                    _finish(place, folder)
    except OSError as error:
        raise OutputConflictError(explained(folder, error)) from error
    return found


def _stage_places(folder: Path) -> tuple[Path, Path]:
    return folder.parent / f".{folder.name}.mcpgen-stage", folder / INSIDE


@contextlib.contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """A fresh, locked stage on the file system of the project; gone afterwards unless the process
    is killed.
    """
    recover(folder)
    beside, inside = _stage_places(folder)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        if folder.exists() and folder.stat().st_dev != folder.parent.stat().st_dev:
            raise OSError(errno.EXDEV, "the project is a mount point")
        beside.mkdir(mode=0o700)
        place = beside
    except FileExistsError:
        raise OutputConflictError(_busy(folder)) from None
    except OSError:
        if not folder.exists():
            raise
        inside.mkdir(mode=0o700)
        place = inside
    with _locked(place, folder):
        try:
            yield place
        finally:
            _discard(place)


@contextlib.contextmanager
def _locked(place: Path, folder: Path) -> Iterator[None]:
    """Hold a stage for this process; the kernel lets go of it when the process dies, however it
    dies.
    """
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
        raise OutputConflictError(
            Problem(
                code="E1205",
                severity="error",
                message=(
                    f"`{place}` is not a stage of yours: it is a link, a file, or belongs to"
                    " somebody else"
                ),
                hint="look at it, and remove it if you do not know it",
            )
        )
    descriptor = os.open(
        place / OWNER, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600
    )
    try:
        if sys.platform != "win32":
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OutputConflictError(_busy(folder)) from None
        yield
    finally:
        os.close(descriptor)


def _busy(folder: Path) -> Problem:
    return Problem(
        code="E1206",
        severity="error",
        message=f"another mcpgen is writing to `{folder}`",
        hint="wait for it to end and run the command again",
    )


def _fill(stage: Path, journal: Journal, writes: Mapping[str, bytes]) -> None:
    """Put the new files into the stage, then the journal: from there on a later run knows what this
    one was doing.
    """
    (stage / "new").mkdir()
    for number, path in enumerate(journal.writes):
        _write(stage / "new" / str(number), writes[path])
    data = {"writes": journal.writes, "removes": journal.removes, "inode": journal.inode}
    _write(stage / f"{JOURNAL}.part", json.dumps(data).encode())
    (stage / f"{JOURNAL}.part").replace(stage / JOURNAL)
    _sync_folder(stage)


def _write(path: Path, content: bytes) -> None:
    flags = (
        os.O_WRONLY
        | os.O_CREAT
        | os.O_EXCL
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_BINARY", 0)
    )
    descriptor = os.open(path, flags, FILE_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, FILE_MODE)
        os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _first(stage: Path, folder: Path, journal: Journal) -> None:
    """A folder that does not exist yet appears whole, by one rename."""
    tree = stage / "tree"
    tree.mkdir()
    tree.chmod(FOLDER_MODE)
    _apply(stage, tree, journal)
    _sync_folder(tree)
    tree.rename(folder)
    _sync_folder(folder.parent)


def _exchange_in(stage: Path, folder: Path, journal: Journal) -> bool:
    """The exchange way; False, with nothing changed, where this file system or this folder does not
    allow it.
    """
    tree = stage / "tree"
    if stage.parent != folder.parent or not _can_exchange():
        return False
    try:
        _mirror(folder, tree, set(journal.writes) | set(journal.removes))
        for number, path in enumerate(journal.writes):
            _make_parents(tree, path)
            os.link(stage / "new" / str(number), tree / path)
        _prune(tree, journal.removes)
        _sync_folder(tree)
        _exchange(folder, tree)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
        _remove_tree(tree)
        return False
    # From here on the path shows the new project. Should the rest fail, it keeps doing so: with
    # another inode, but
    # whole.
    with contextlib.suppress(OSError):
        _apply(stage, tree, journal)
        _exchange(folder, tree)
        _sync_folder(folder.parent)
    _rescue(tree, folder, journal, since=(stage / JOURNAL).stat().st_mtime_ns)
    return True


def _mirror(source: Path, target: Path, leave_out: set[str]) -> None:
    """The same folder once more, files as hard links, without the paths that are about to
    change.
    """
    target.mkdir()
    stack = [(source, target, "")]
    while stack:
        here, there, prefix = stack.pop()
        with os.scandir(here) as entries:
            for entry in entries:
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    (there / entry.name).mkdir()
                    stack.append((here / entry.name, there / entry.name, f"{path}/"))
                elif path not in leave_out:
                    os.link(entry.path, there / entry.name, follow_symlinks=False)
        shutil.copystat(here, there)


def _apply(stage: Path, folder: Path, journal: Journal, *, since: int | None = None) -> None:
    """Bring a folder nobody looks at up to date. Can be repeated: what was done already is passed
    over.

    With `since` (ns) files somebody wrote after that are left alone; the next comparison shows
    them.
    """
    for path in journal.removes:
        if not _newer(folder / path, since):
            (folder / path).unlink(missing_ok=True)
    for number, path in enumerate(journal.writes):
        new = stage / "new" / str(number)
        if _exists(new) and not _newer(folder / path, since):
            _make_parents(folder, path)
            new.replace(folder / path)
    _prune(folder, journal.removes)


def _newer(path: Path, since: int | None) -> bool:
    try:
        return since is not None and path.lstat().st_mtime_ns > since
    except OSError:
        return False


def _in_place(stage: Path, folder: Path, journal: Journal) -> None:
    """The same, in sight: every step is undone when one fails."""
    undo: list[tuple[Path, Path | None]] = []
    (stage / "old").mkdir()
    try:
        for number, path in enumerate((*journal.removes, *journal.writes)):
            target = folder / path
            _make_parents(folder, path)
            new = stage / "new" / str(number - len(journal.removes))
            old = stage / "old" / str(number)
            if _exists(target):
                _keep(target, old)
                undo.append((target, old))
            elif number >= len(journal.removes):
                undo.append((target, None))
            if number >= len(journal.removes):
                new.replace(target)
            else:
                target.unlink(missing_ok=True)
    except BaseException:
        (stage / COMPLETE).unlink()
        for target, old_or_none in reversed(undo):
            with contextlib.suppress(OSError):
                old_or_none.replace(target) if old_or_none else target.unlink()
        _prune(folder, journal.writes)
        raise
    _prune(folder, journal.removes)


def _keep(target: Path, old: Path) -> None:
    try:
        os.link(target, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(target, old, follow_symlinks=False)


def _make_parents(folder: Path, path: str) -> None:
    """The folders above a file, 0755 whatever the umask; never through a link."""
    here = folder
    for part in PurePosixPath(path).parts[:-1]:
        here = here / part
        try:
            here.mkdir()
            here.chmod(FOLDER_MODE)
        except FileExistsError:
            if not stat.S_ISDIR(here.lstat().st_mode):
                raise OSError(errno.ENOTDIR, "not a folder", str(here)) from None


def _prune(folder: Path, paths: Iterable[str]) -> None:
    """Remove the folders that the removal of these files has emptied, and no other."""
    for path in paths:
        for parent in PurePosixPath(path).parents:
            if parent == PurePosixPath("."):
                break
            try:
                (folder / parent).rmdir()
            except OSError:
                break


def _finish(place: Path, folder: Path) -> None:
    """What to do with a stage that was left behind: nothing was lost, so complete it, or discard
    it.
    """
    journal = _read_journal(place)
    tree = place / "tree"
    if journal is not None:
        since = (place / JOURNAL).stat().st_mtime_ns
        if (place / COMPLETE).exists():
            _apply(place, folder, journal, since=since)
        elif journal.inode and _exists(tree) and _inode(folder) != journal.inode:
            # The path shows the mirror, the new project. What somebody wrote since into the folder
            # it replaced is
            # theirs.
            _rescue(tree, folder, journal, since=since)
    _discard(place)


def _read_journal(place: Path) -> Journal | None:
    try:
        data = json.loads((place / JOURNAL).read_bytes())
    except FileNotFoundError:
        return None
    writes, removes = (tuple(checked(path) for path in data[key]) for key in ("writes", "removes"))
    return Journal(writes, removes, int(data["inode"]))


def _rescue(tree: Path, folder: Path, journal: Journal, *, since: int) -> None:
    """Move what somebody else wrote into the folder out of sight, after `since` (ns), to where it
    was meant to be.
    """
    ours = {*journal.writes, *journal.removes}
    for here, _, names in os.walk(tree):
        for name in names:
            lost = Path(here) / name
            path = lost.relative_to(tree)
            found = lost.lstat()
            if path.as_posix() in ours or found.st_nlink > 1 or found.st_mtime_ns <= since:
                continue
            with contextlib.suppress(OSError):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                lost.replace(folder / path)


def _discard(place: Path) -> None:
    """Remove a stage; the journal goes first, so that a kill meanwhile leaves nothing that looks
    like work to do.
    """
    for name in (COMPLETE, JOURNAL):
        with contextlib.suppress(OSError):
            (place / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        _remove_tree(place)


def _remove_tree(tree: Path) -> None:
    """Remove a folder of ours, folders that are mirrors of read-only ones included."""
    for here, names, _ in os.walk(tree):
        for name in names:
            if not (Path(here) / name).is_symlink():
                (Path(here) / name).chmod(0o700)
    shutil.rmtree(tree, ignore_errors=True)


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _inode(folder: Path) -> int:
    try:
        return folder.lstat().st_ino
    except FileNotFoundError:
        return 0


def _can_exchange() -> bool:
    return sys.platform in ("linux", "darwin") and os.environ.get("MCPGEN_NO_EXCHANGE") is None


def _exchange(one: Path, other: Path) -> None:
    """Swap two folders in one step: renameat2(2) on Linux, renamex_np(2) on macOS. Raises
    OSError.
    """
    library = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(os.fsencode(one), os.fsencode(other), 2)
        else:
            failed = library.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2)
    except AttributeError:
        raise OSError(errno.ENOSYS, "this system cannot exchange folders") from None
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(one))


def explained(folder: Path, error: OSError, doing: str = "write to") -> Problem:
    """An OSError in the user's words: what, where, and that nothing was lost."""
    hints = {
        errno.ENOSPC: "free some space and run the command again",
        errno.EDQUOT: "free some space and run the command again",
        errno.EROFS: "choose a folder on a file system that can be written",
        errno.EACCES: "choose a folder you may write to, or change its permissions",
        errno.EPERM: "choose a folder you may write to, or change its permissions",
        errno.ENAMETOOLONG: "choose a shorter folder or server name",
    }
    reason = (error.strerror or str(error)).lower()
    return Problem(
        code="E1207",
        severity="error",
        message=f"cannot {doing} `{folder}`: {reason}; nothing was changed",
        hint=hints.get(error.errno or 0, ""),
        notes=(f"at `{error.filename}`",) if error.filename else (),
    )
