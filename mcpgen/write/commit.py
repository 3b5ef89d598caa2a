"""Bring a project from one state to the next, file by file, so that a killed run can be completed.

1. Write every new file to a private folder inside the project, unreadable for other users.
2. Put the new lock beside the old one, as `mcpgen.lock.new`.
3. Move each file into its place, and remove each file that is no longer generated.
4. Rename `mcpgen.lock.new` to `mcpgen.lock`.

Each step is one `rename`, so a reader sees a file as it was or as it will be. A run that ends
before step 2 has changed nothing. A run that ends later leaves both locks, and the next run
completes it: a file is mcpgen's when its hash is in either lock.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import itertools
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..lock import NAME, PENDING, text_hash
from ..paths import Obstacle, obstacle, read_plain
from ..problems import OutputConflictError, Problem

if sys.platform != "win32":
    import fcntl

FILE_MODE = 0o644
FOLDER_MODE = 0o755
PRIVATE_PREFIX = ".mcpgen-"
PRIVATE_NAME = re.compile(r"\.mcpgen-[a-z0-9_]{8}")
"""The names `tempfile.mkdtemp` makes with that prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of a run on a project. Paths are relative to it, with `/`.

    `moves` are (old, new) paths. `hashes`: path → hash when it was compared, None without a file; a
    file that changed since is not touched. `first_locks`, (name, content), are written first; with
    `new_lock` the last step moves `mcpgen.lock.new` into place, else that is removed. Folders of
    `emptied` paths and of `left_packages` are removed when they are empty.
    """

    writes: Mapping[str, bytes]
    removes: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]
    hashes: Mapping[str, str | None]
    first_locks: tuple[tuple[str, bytes], ...]
    new_lock: bool
    emptied: tuple[str, ...]
    left_packages: tuple[str, ...]


def commit(folder: Path, work: Work) -> None:
    """Do the work. `folder` is a real path (no links in it); it is made if missing.

    Raises OutputConflictError, which says whether nothing was changed, or `mcpgen.lock.new` is in
    its place: then the next run completes this one.
    """
    begun = False
    new_folder = not folder.exists()
    try:
        _make_folder(folder)
        with _alone(folder):
            _remove_leftovers(folder)
            with _private(folder) as private:
                numbers = itertools.count()
                locks = [
                    (name, _prepare(private / str(next(numbers)), text))
                    for name, text in work.first_locks
                ]
                files = {
                    path: _prepare(private / str(next(numbers)), work.writes[path])
                    for path in _order(work)
                }
                begun = True
                for name, prepared in locks:
                    prepared.replace(folder / name)
                    _sync_folder(folder)
                _apply(folder, work, files)
    except OSError as error:
        if not begun and new_folder:
            _remove_empty(folder)
        raise OutputConflictError(explained(folder, error, begun=begun)) from error
    except OutputConflictError:
        if not begun and new_folder:
            _remove_empty(folder)
        raise


def write_file(path: Path, text: str) -> None:
    """Replace a file, or create it and its folder, in one step: a reader sees the old or the new
    content. An existing file keeps its permissions. Raises OutputConflictError; nothing was changed
    then.
    """
    folder = path.parent
    try:
        _make_folder(folder)
        with _alone(folder), _private(folder) as private:
            _prepare(private / "0", text.encode(), _mode(path)).replace(path)
            _sync_folder(folder)
    except OSError as error:
        raise OutputConflictError(explained(folder, error)) from error


def leftovers(folder: Path) -> list[Path]:
    """Return the private folders that killed runs left in a project: this user's, closed to
    others.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return []
    return [folder / name for name in names if _is_leftover(folder / name)]


def _is_leftover(place: Path) -> bool:
    if PRIVATE_NAME.fullmatch(place.name) is None:
        return False
    status = place.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == 0o700


def _order(work: Work) -> list[str]:
    """Return the paths to write, the configuration first: with it the next run knows the
    document.
    """
    return sorted(work.writes, key=lambda path: (path != "mcpgen.toml", path))


def _apply(folder: Path, work: Work, files: Mapping[str, Path]) -> None:
    """Do steps 3 and 4. Every path is checked once more right before it is changed."""
    for old, new in work.moves:
        _move(folder, old, new)
    for path in files:
        _make_parents(folder, path)
    for path in (*files, *work.removes):
        current = read_plain(folder, path)
        if current is not None:
            _check_unchanged(folder, path, current, work)
        if path in files:
            files[path].replace(folder / path)
        else:
            (folder / path).unlink(missing_ok=True)
    _prune(folder, work.emptied)
    for package in work.left_packages:
        _prune_tree(folder, package)
    for parent in sorted({(folder / path).parent for path in files}):
        _sync_folder(parent)
    if work.new_lock:
        (folder / PENDING).replace(folder / NAME)
    else:
        (folder / PENDING).unlink(missing_ok=True)
    _sync_folder(folder)


def _check_unchanged(folder: Path, path: str, content: bytes | Obstacle, work: Work) -> None:
    """Raise OutputConflictError (E1209) unless a file has the content it had when it was compared,
    or is to get.
    """
    if isinstance(content, Obstacle):
        raise OutputConflictError(_changed(folder, f"{content} now"))
    current = text_hash(content)
    if current == work.hashes.get(path):
        return
    if path in work.writes and current == text_hash(work.writes[path]):
        return
    raise OutputConflictError(_changed(folder, f"`{path}` was changed meanwhile"))


def _changed(folder: Path, reason: str) -> Problem:
    return Problem(
        code="E1209",
        severity="error",
        message=f"`{folder}` was changed while mcpgen was writing to it: {reason}",
        hint="run `mcpgen generate` again: it completes this run",
    )


def _move(folder: Path, old: str, new: str) -> None:
    """Move a file of the user; raise OutputConflictError if the new path exists, or for a link."""
    for path in (old, new):
        blocked = obstacle(folder, str(PurePosixPath(path).parent / "x"))
        if blocked is not None:
            raise OutputConflictError(_changed(folder, f"{blocked} now"))
    if os.path.lexists(folder / new):
        raise OutputConflictError(_changed(folder, f"`{new}` is there now"))
    _make_parents(folder, new)
    (folder / old).rename(folder / new)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder, where the system can. Raises OutputConflictError if another process did."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputConflictError(_busy(folder)) from None
        except OSError:
            pass  # a file system without locks: `_check_unchanged` is what is left
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


@contextlib.contextmanager
def _private(folder: Path) -> Iterator[Path]:
    """Make a private folder (0700) with a random name, and yield it; it is removed at the end of
    the block.
    """
    place = Path(tempfile.mkdtemp(prefix=PRIVATE_PREFIX, dir=folder))
    try:
        yield place
    finally:
        _discard(place)


def _remove_leftovers(folder: Path) -> None:
    for place in leftovers(folder):
        _discard(place)


def _discard(place: Path) -> None:
    """Remove a private folder and the numbered files in it; a folder with other files stays. No
    errors.
    """
    with contextlib.suppress(OSError):
        for path in list(place.iterdir()):
            if path.name.isdecimal():
                path.unlink(missing_ok=True)
        place.rmdir()


def _mode(path: Path) -> int:
    """Return the permissions of a file, 0644 if it is missing."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return FILE_MODE


def _prepare(path: Path, content: bytes, mode: int = FILE_MODE) -> Path:
    """Write a new file with these permissions, whatever the umask, flush it to the disk, and return
    it.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    return path


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_folder(folder: Path) -> None:
    if not folder.exists():
        folder.mkdir(parents=True)
        folder.chmod(FOLDER_MODE)


def _make_parents(folder: Path, path: str) -> None:
    """Make the folders above a file, 0755 whatever the umask. Raises OutputConflictError."""
    here = folder
    for part in PurePosixPath(path).parts[:-1]:
        here = here / part
        try:
            here.mkdir()
            here.chmod(FOLDER_MODE)
        except FileExistsError:
            if not stat.S_ISDIR(here.lstat().st_mode):
                shown = here.relative_to(folder).as_posix()
                raise OutputConflictError(
                    _changed(folder, f"`{shown}` is not a folder now")
                ) from None


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _prune(folder: Path, paths: Iterable[str]) -> None:
    """Remove the folders above these files that are empty, and compiled modules in them."""
    for path in paths:
        if obstacle(folder, path) is not None:
            continue
        _remove_compiled(folder, PurePosixPath(path))
        for parent in PurePosixPath(path).parents:
            if parent == PurePosixPath("."):
                break
            try:
                (folder / parent).rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                break


def _remove_compiled(folder: Path, path: PurePosixPath) -> None:
    """Remove the compiled files of a removed module (`runtime/__pycache__/app.*.pyc`)."""
    cache = path.parent / "__pycache__"
    if path.suffix != ".py" or obstacle(folder, f"{cache}/x") is not None:
        return
    with contextlib.suppress(OSError):
        for compiled in (folder / cache).glob(f"{glob.escape(path.stem)}.*.pyc"):
            compiled.unlink()
        (folder / cache).rmdir()


def _prune_tree(folder: Path, path: str) -> None:
    """Remove a folder, `path` with its `/`, and the folders below, as far as they are empty."""
    if obstacle(folder, f"{path}x") is not None:
        return
    for here, _, _ in os.walk(folder / path, topdown=False):
        _remove_empty(Path(here))


HINTS = {
    errno.ENOSPC: "free some space and run the command again",
    errno.EDQUOT: "free some space and run the command again",
    errno.EROFS: "choose a folder on a file system that can be written",
    errno.EACCES: "choose a folder you may write to, or change its permissions",
    errno.EPERM: "choose a folder you may write to, or change its permissions",
    errno.ENOENT: "choose a folder below one that exists and can be written",
    errno.ENAMETOOLONG: "choose a shorter folder or server name",
}


def explained(
    folder: Path, error: OSError, doing: str = "write to", *, begun: bool = False
) -> Problem:
    """Return the problem (E1207) of an OSError: the fault, the path, and whether the run had begun
    to change the project.
    """
    reason = (error.strerror or str(error)).lower()
    state = "nothing was changed"
    hint = HINTS.get(error.errno or 0, "")
    if begun:
        state = "the run is unfinished"
        hint = "mend the cause and run `mcpgen generate` again: it completes this run"
    notes = (f"at `{error.filename}`",) if error.filename else ()
    return Problem(
        code="E1207",
        severity="error",
        message=f"cannot {doing} `{folder}`: {reason}; {state}",
        hint=hint,
        notes=notes,
    )
