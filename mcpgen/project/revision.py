"""A project as it was at a revision of its git repository."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

from ..compare.sides import Side, side_of_files
from ..lock import NAME, parse_lock, require_lock
from ..problems import UsageError
from .own_tools import is_own, own_tools

SECONDS = 60


def side_of_revision(project: Path, revision: str) -> Side:
    """Return the project at a git revision; without a lock there, a side without tools. Raises
    UsageError (E1362) if git fails, or the lock of the revision is unreadable.
    """
    commit = _git(
        project, revision, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"
    )
    name = commit.decode().strip()
    if not _git(project, revision, "ls-tree", name, NAME):
        lock = replace(require_lock(project), tools=(), own={})
        return replace(side_of_files(replace(lock, files={}), lambda _: None), own={})
    archive = _git(project, revision, "archive", "--format=tar", name, ".")
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() else None
            if content is not None and member.name.endswith((".json", ".py", NAME)):
                files[member.name.removeprefix("./")] = content.read()
    try:
        lock = parse_lock(files.get(NAME, b"").decode())
    except (ValueError, RecursionError) as error:
        raise _unreadable(project, revision, f"its `{NAME}` cannot be read: {error}") from error
    own = {path: content for path, content in files.items() if is_own(path)}
    return replace(side_of_files(lock, files.get), own=own_tools(own))


def _git(project: Path, revision: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(project), *arguments],
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _unreadable(project, revision, str(error)) from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().split("\n")[0]
        raise _unreadable(project, revision, reason or "git does not know it")
    return done.stdout


def _unreadable(project: Path, revision: str, reason: str) -> UsageError:
    return UsageError.of(
        "E1362",
        f"cannot read `{project}` at `{revision[:80]}`: {reason}",
        "name a commit, branch or tag, as in `mcpgen diff --against main`",
    )
