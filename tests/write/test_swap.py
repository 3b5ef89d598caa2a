"""A project is seen as it was or as it will be: whatever moment a run is killed at, whatever the
disk refuses.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcpgen.problems import OutputConflictError
from mcpgen.write import recover, write

from .folders import MINE, NEW, OLD, child, facts, project, put, tree

WAYS = ["exchange", "in place"]
MOMENTS = 400
"""More than a run has."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of `swap`: exchanging folders, and renaming files in place."""
    if request.param == "in place":
        monkeypatch.setenv("MCPGEN_NO_EXCHANGE", "1")
    return str(request.param)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of runs; what a kill leaves does not depend on when the disk has written it."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


def states(tmp_path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What the folder holds before and after."""
    before = tree(project(tmp_path / "reference"))
    write(NEW, tmp_path / "reference", lock_facts=facts("2"))
    return before, tree(tmp_path / "reference")


def test_a_run_killed_at_any_moment_leaves_the_old_or_the_new_project(
    tmp_path: Path, way: str
) -> None:
    before, after = states(tmp_path)
    seen = set()
    for moment in range(1, MOMENTS):
        folder = project(tmp_path / f"p{moment}")
        code = child(lambda to=folder: write(NEW, to, lock_facts=facts("2")), at=moment, do="kill")
        if way == "exchange":
            assert tree(folder) in (before, after), f"mixed after a kill at moment {moment}"
        recover(folder)
        assert tree(folder) in (
            before,
            after,
        ), f"mixed after a kill at moment {moment} and the next command"
        seen.add("old" if tree(folder) == before else "new")
        write(NEW, folder, lock_facts=facts("2"))
        assert tree(folder) == after
        assert sorted(path.name for path in tmp_path.iterdir() if ".mcpgen" in path.name) == []
        if code == 0:
            break
    assert code == 0, "the run never came to its end"
    assert seen == {"old", "new"}


def test_a_first_run_killed_at_any_moment_leaves_nothing_or_everything(tmp_path: Path) -> None:
    write(OLD, tmp_path / "reference", lock_facts=facts())
    whole = tree(tmp_path / "reference")
    for moment in range(1, MOMENTS):
        folder = tmp_path / f"p{moment}"
        code = child(lambda to=folder: write(OLD, to, lock_facts=facts()), at=moment, do="kill")
        assert tree(folder) in ({}, whole), f"mixed after a kill at moment {moment}"
        write(OLD, folder, lock_facts=facts())
        assert tree(folder) == whole
        if code == 0:
            break
    assert code == 0


def test_a_disk_that_is_full_at_any_moment_leaves_the_old_project_and_a_clear_error(
    tmp_path: Path, way: str
) -> None:
    before, after = states(tmp_path)
    refused = 0
    for moment in range(1, MOMENTS):
        folder = project(tmp_path / f"p{moment}")
        code = child(lambda to=folder: write(NEW, to, lock_facts=facts("2")), at=moment, do="fail")
        assert code in (0, 4), f"not a clear error at moment {moment}"
        assert tree(folder) in (
            (before,) if code == 4 else (before, after)
        ), f"mixed at moment {moment}"
        refused += code == 4
        if code == 0 and tree(folder) == after and moment > 100:
            break
    assert refused > 10


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system")
def test_a_file_system_that_is_full_keeps_the_old_project(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        before = tree(project(disk / "shop"))
        large = {**NEW, "src/shop_mcp/server.py": "x = 1\n" * 100_000}
        with pytest.raises(
            OutputConflictError, match="no space left on device; nothing was changed"
        ):
            write(large, disk / "shop", lock_facts=facts("2"))
        assert tree(disk / "shop") == before
        assert [path.name for path in disk.iterdir()] == ["shop"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


KILLED = """
import sys
sys.path[:0] = [{root!r}, {root!r} + '/tests']
from pathlib import Path
from mcpgen.write import write
from write.folders import NEW, OLD, facts
folder = Path(sys.argv[1])
print("ready", flush=True)
while True:
    write(NEW, folder, lock_facts=facts("2"))
    write(OLD, folder, lock_facts=facts())
"""


def test_kill_9_at_random_moments_never_leaves_a_mixed_folder(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    put(tmp_path / "shop", {"README.md": "mine\n", "mcpgen.toml": ""})
    write(OLD, tmp_path / "shop", lock_facts=facts())
    old = tree(tmp_path / "shop")
    write(NEW, tmp_path / "shop", lock_facts=facts("2"))
    new = tree(tmp_path / "shop")
    chance = random.Random(7)
    for _ in range(int(os.environ.get("MCPGEN_KILLS", "20"))):
        running = subprocess.Popen(
            [sys.executable, "-c", KILLED.format(root=root), str(tmp_path / "shop")],
            stdout=subprocess.PIPE,
        )
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.08))
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
        assert tree(tmp_path / "shop") in (old, new)


def test_the_folder_itself_stays_the_same_one(tmp_path: Path, way: str) -> None:
    folder = project(tmp_path / "shop")
    inode = folder.stat().st_ino
    write(NEW, folder, lock_facts=facts("2"))
    assert folder.stat().st_ino == inode


def test_what_somebody_writes_into_the_exchanged_folder_after_a_kill_is_not_lost(
    tmp_path: Path,
) -> None:
    """A shell whose folder was exchanged goes on writing into the one that is out of sight."""
    for moment in range(1, MOMENTS):
        folder = project(tmp_path / f"p{moment}")
        shell = os.open(folder, os.O_RDONLY)
        code = child(lambda to=folder: write(NEW, to, lock_facts=facts("2")), at=moment, do="kill")
        time.sleep(0.001)
        descriptor = os.open("later.txt", os.O_CREAT | os.O_WRONLY, dir_fd=shell)
        os.write(descriptor, b"kept")
        os.close(descriptor)
        os.close(shell)
        recover(folder)
        assert (folder / "later.txt").read_text() == "kept", f"lost after a kill at moment {moment}"
        if code == 0:
            break
    assert code == 0


def test_two_runs_at_once_do_not_meet(tmp_path: Path) -> None:
    folder = project(tmp_path / "shop")
    script = (
        "import fcntl, os, sys, time; os.mkdir(sys.argv[1], 0o700); d = os.open(sys.argv[1] +"
        " '/owner', os.O_RDWR | os.O_CREAT); fcntl.flock(d, fcntl.LOCK_EX); print('held',"
        " flush=True); time.sleep(60)"
    )
    stage = tmp_path / ".shop.mcpgen-stage"
    other = subprocess.Popen([sys.executable, "-c", script, str(stage)], stdout=subprocess.PIPE)
    assert other.stdout is not None
    other.stdout.readline()
    try:
        with pytest.raises(OutputConflictError, match="another mcpgen is writing"):
            write(NEW, folder, lock_facts=facts("2"))
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
    write(NEW, folder, lock_facts=facts("2"))
    assert not stage.exists()


def test_a_stage_that_somebody_else_put_there_is_not_trusted(tmp_path: Path) -> None:
    folder = project(tmp_path / "shop")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".shop.mcpgen-stage").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputConflictError, match="not a stage of yours"):
        write(NEW, folder, lock_facts=facts("2"))
    assert tree(tmp_path / "elsewhere") == {}


def test_links_hard_links_and_permissions_of_the_user_survive(tmp_path: Path, way: str) -> None:
    folder = project(tmp_path / "shop")
    (folder / "link").symlink_to("notes.txt")
    (folder / "broken").symlink_to("nowhere")
    (folder / "notes.txt").chmod(0o600)
    (folder / "closed").mkdir(mode=0o500)
    inode = (folder / "notes.txt").stat().st_ino
    write(NEW, folder, lock_facts=facts("2"))
    assert (folder / "link").readlink() == Path("notes.txt")
    assert (folder / "broken").is_symlink()
    assert (folder / "notes.txt").stat().st_mode & 0o777 == 0o600
    assert (folder / "notes.txt").stat().st_ino == inode
    assert (folder / "closed").stat().st_mode & 0o777 == 0o500
    assert [path.name for path in tmp_path.iterdir()] == ["shop"]
    assert set(MINE) <= set(tree(folder))


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_clear_error(tmp_path: Path) -> None:
    folder = project(tmp_path / "shop")
    before = tree(folder)
    for place in (folder, tmp_path):
        place.chmod(0o500)
    try:
        with pytest.raises(OutputConflictError, match="permission denied; nothing was changed"):
            write(NEW, folder, lock_facts=facts("2"))
    finally:
        for place in (tmp_path, folder):
            place.chmod(0o700)
    assert tree(folder) == before


def test_a_read_only_file_system_is_a_clear_error(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        sys.platform != "linux"
        or os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "tmpfs", str(disk)], capture_output=True
        ).returncode
    ):
        pytest.skip("cannot mount a file system here")
    try:
        before = tree(project(disk / "shop"))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(OutputConflictError, match="read-only file system; nothing was changed"):
            write(NEW, disk / "shop", lock_facts=facts("2"))
        assert tree(disk / "shop") == before
    finally:
        subprocess.run(["umount", str(disk)], check=True)
