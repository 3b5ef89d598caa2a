"""A run that is killed, or meets a full disk, is completed by the next one, and nothing that lies
in a project is ever an instruction.
"""

import ctypes
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgen.lock import dump, with_files
from mcpgen.problems import OutputConflictError
from mcpgen.write import Changes, is_interrupted, read_lock, read_pending, write
from mcpgen.write.commit import commit, write_file

from .folders import MINE, NEW, OLD, RUNS, child, facts, newer, project, put, removal, tree, update

MOMENTS = 400  # more than a run has
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(params=RUNS)
def kind(request: pytest.FixtureRequest) -> str:
    """The kinds of run."""
    return str(request.param)


def outcome(folder: Path, kind: str) -> dict[str, str]:
    """What a run that nobody disturbs makes."""
    prepare, work = RUNS[kind]
    prepare(folder)
    work(folder)
    return tree(folder)


def count_steps(tmp_path: Path, kind: str) -> int:
    """How many steps such a run has: one more lets it come to its end."""
    prepare, work = RUNS[kind]
    low, high = 1, MOMENTS
    while low < high:
        middle = (low + high) // 2
        folder = tmp_path / str(middle)
        prepare(folder)
        if child(work, folder, at=middle, do="kill") == 0:
            high = middle
        else:
            low = middle + 1
    return low - 1


@pytest.mark.parametrize("do", ["kill", "fail"])
def test_a_run_that_ends_at_any_step_is_completed_by_the_next_one(
    tmp_path: Path, kind: str, do: str
) -> None:
    prepare, work = RUNS[kind]
    whole = outcome(tmp_path / "reference", kind)
    steps = count_steps(tmp_path / "counted", kind)
    interrupted = 0
    for moment in range(1, MOMENTS):
        folder = tmp_path / f"p{moment}"
        prepare(folder)
        before = tree(folder)
        code = child(work, folder, at=moment, do=do)
        assert code in ((-9, 0) if do == "kill" else (4, 0)), f"no clear end at step {moment}"
        if not is_interrupted(folder) and code != 0:
            after = {path: text for path, text in tree(folder).items() if ".mcpgen-" not in path}
            assert after in (before, whole), f"changed before its lock was there at step {moment}"
        interrupted += is_interrupted(folder)
        work(folder)
        done = tree(folder)
        if do == "fail":  # an empty folder that cannot be removed stays
            done = {path: text for path, text in done.items() if not path.endswith("/")}
        assert done == whole, f"not completed after it ended at step {moment}"
        if code == 0 and moment > steps:
            break
    assert moment > steps and interrupted > 5


def test_a_killed_update_leaves_whole_files_and_may_be_taken_back(tmp_path: Path) -> None:
    before = tree(project(tmp_path / "reference"))
    update(tmp_path / "reference")
    after = tree(tmp_path / "reference")
    for moment in range(1, MOMENTS):
        folder = project(tmp_path / f"p{moment}")
        code = child(update, folder, at=moment, do="kill")
        for path, text in tree(folder).items():
            if not path.startswith(("mcpgen.lock", ".mcpgen-")):
                whole = before.get(path, ""), after.get(path, "")
                assert text in whole, f"{path} at step {moment}"
        put(folder, {"README.md": OLD["README.md"]})
        write(OLD, folder, lock_facts=facts())
        assert tree(folder) == before, f"not taken back after a kill at step {moment}"
        if code == 0:
            break
    assert code == 0


def test_a_killed_run_may_be_followed_by_one_that_wants_something_else_and_is_killed_too(
    tmp_path: Path,
) -> None:
    project(tmp_path / "reference")
    newer(tmp_path / "reference")
    whole = tree(tmp_path / "reference")
    moments = range(1, count_steps(tmp_path / "counted", "update") + 1)
    steps = []
    for moment in moments:
        folder = project(tmp_path / f"h{moment}")
        child(update, folder, at=moment, do="kill")
        steps += [moment] * is_interrupted(folder)
    for moment in steps[:: len(steps) // 4]:
        for second in range(1, MOMENTS, 2):
            folder = project(tmp_path / f"p{moment}-{second}")
            child(update, folder, at=moment, do="kill")
            code = child(newer, folder, at=second, do="kill")
            newer(folder)
            assert tree(folder) == whole, f"killed at {moment} and at {second}"
            if code == 0:
                break
        assert code == 0


def test_a_file_the_user_wrote_after_a_killed_run_is_not_overwritten(tmp_path: Path) -> None:
    folder = interrupted(tmp_path)
    (folder / "src/shop_mcp/server.py").write_text("print('mine')\n")
    with pytest.raises(OutputConflictError, match=r"server\.py` was generated and has been edited"):
        update(folder)
    assert (folder / "src/shop_mcp/server.py").read_text() == "print('mine')\n"


def test_a_file_that_changes_after_it_was_compared_is_not_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: put(folder, {"src/shop_mcp/server.py": "print('mine')\n"}))
    with pytest.raises(OutputConflictError, match=r"server\.py` was changed meanwhile") as caught:
        update(folder)
    assert "completes this run" in caught.value.problems[0].hint
    assert (folder / "src/shop_mcp/server.py").read_text() == "print('mine')\n"


@pytest.mark.parametrize("work", [update, removal])
@pytest.mark.parametrize("parent", ["src/shop_mcp/tools", "src"])
def test_a_folder_that_becomes_a_link_after_it_was_compared_is_not_followed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, parent: str,
    work: Callable[[Path], Changes],
) -> None:  # fmt: skip
    outside = tmp_path / "outside"

    def become_a_link() -> None:
        (folder / parent).rename(outside)
        (folder / parent).symlink_to(outside)

    before = tree(folder / parent)
    meanwhile(monkeypatch, become_a_link)
    with pytest.raises(OutputConflictError, match=r"is a symbolic link now|is not a folder now"):
        work(folder)
    assert tree(outside) == before


def meanwhile(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Something happens to the project between the comparison and the first write."""
    real = commit.__globals__["_apply"]

    def apply(*arguments: object) -> None:
        change()
        real(*arguments)

    monkeypatch.setitem(commit.__globals__, "_apply", apply)


@pytest.mark.parametrize(
    "error", [OSError(28, "full"), OutputConflictError.of("E1202", "full", "")]
)
def test_a_run_that_does_not_begin_leaves_no_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setitem(commit.__globals__, "_prepare", fail)
    (tmp_path / "mine").mkdir()
    for name in ("mine", "new"):
        with pytest.raises(OutputConflictError):
            write(NEW, tmp_path / name, lock_facts=facts())
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def interrupted(tmp_path: Path) -> Path:
    """A project in which an update was killed after it had replaced `server.py`."""
    for moment in range(1, MOMENTS):
        folder = project(tmp_path / f"i{moment}")
        child(update, folder, at=moment, do="kill")
        if (folder / "src/shop_mcp/server.py").read_text() == NEW["src/shop_mcp/server.py"]:
            assert is_interrupted(folder)
            return folder
    raise AssertionError


def test_a_dry_run_says_that_a_run_was_interrupted_and_writes_nothing(tmp_path: Path) -> None:
    folder = interrupted(tmp_path)
    before = tree(folder)
    changes = write(NEW, folder, lock_facts=facts("2"), dry_run=True)
    assert changes.notes == ("an earlier run was interrupted; `mcpgen generate` completes it",)
    assert tree(folder) == before
    assert update(folder).notes == ("an earlier run was interrupted; this one completed it",)


def test_a_disk_that_fills_up_in_the_middle_says_that_the_next_run_completes_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def full() -> None:
        raise OSError(28, "No space left on device", "server.py")

    with monkeypatch.context() as patch:
        meanwhile(patch, full)
        with pytest.raises(OutputConflictError, match="the run is unfinished") as caught:
            update(folder)
    assert "run `mcpgen generate` again" in caught.value.problems[0].hint
    assert caught.value.problems[0].notes == ("at `server.py`",)
    update(folder)
    assert not is_interrupted(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system")
@pytest.mark.parametrize(("options", "said"), [
    ("size=256k", "no space left on device; nothing was changed"),
    ("ro", "read-only file system; nothing was changed"),
])  # fmt: skip
def test_a_file_system_that_takes_nothing_keeps_the_old_project(
    tmp_path: Path, options: str, said: str
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        before = tree(project(disk / "shop"))
        large = {**NEW, "src/shop_mcp/server.py": "x = 1\n" * 100_000}
        subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True)
        with pytest.raises(OutputConflictError, match=said):
            write(large, disk / "shop", lock_facts=facts("2"))
        assert tree(disk / "shop") == before and [path.name for path in disk.iterdir()] == ["shop"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="root gives up what lets it write anywhere")
def test_a_read_only_folder_is_a_clear_error(folder: Path) -> None:
    libc, head, rights = (
        ctypes.CDLL(None),
        (ctypes.c_uint32 * 2)(0x20080522),
        (ctypes.c_uint32 * 6)(),
    )
    libc.capget(head, rights)
    kept, rights[0] = rights[0], rights[0] & ~6  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    before = tree(folder)
    folder.chmod(0o500)
    libc.capset(head, rights)
    try:
        with pytest.raises(OutputConflictError, match="permission denied; nothing was changed"):
            update(folder)
    finally:
        rights[0] = kept
        libc.capset(head, rights)
        folder.chmod(0o700)
    assert tree(folder) == before


def test_two_runs_at_once_do_not_meet(folder: Path) -> None:
    before = tree(folder)
    script = (
        "import fcntl, os, sys, time; d = os.open(sys.argv[1], os.O_RDONLY);"
        " fcntl.flock(d, fcntl.LOCK_EX); print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE)
    assert other.stdout is not None
    other.stdout.readline()
    try:
        with pytest.raises(OutputConflictError, match="another mcpgen is writing"):
            update(folder)
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
    assert tree(folder) == before
    update(folder)


@pytest.mark.parametrize("owner", [None, 12345])
def test_the_private_folder_of_a_killed_run_is_removed_by_the_next_one_of_its_owner(
    folder: Path, owner: int | None
) -> None:
    left = Path(tempfile.mkdtemp(prefix=".mcpgen-", dir=folder))
    (left / "0").write_text("new")
    if owner is not None:
        if os.geteuid() != 0:
            pytest.skip("needs another owner")
        os.chown(left, owner, owner)
    write(OLD, folder, lock_facts=facts())
    assert left.exists() == (owner is not None)


def test_a_folder_that_only_looks_like_a_private_one_stays(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "outside").mkdir()
    put(tmp_path, {"outside/0": "not ours"})
    (folder / ".mcpgen-linklink").symlink_to(tmp_path / "outside")
    put(folder, {".mcpgen-abcdefgh/0": "open to all", ".mcpgen-notes": "a file"})
    (folder / ".mcpgen-abcdefgh").chmod(0o755)
    put(Path(tempfile.mkdtemp(prefix=".mcpgen-", dir=folder)), {"notes.txt": "somebody's"})
    before = tree(folder)
    write(OLD, folder, lock_facts=facts())
    assert tree(folder) == before and tree(tmp_path / "outside") == {"0": "not ours"}


def test_generated_files_are_never_executable_and_readable_whatever_the_umask(folder: Path) -> None:
    (folder / "src/shop_mcp/server.py").chmod(0o777)
    before = os.umask(0o077)
    try:
        update(folder)
    finally:
        os.umask(before)
    for path in NEW:
        if path not in ("README.md", "src/shop_mcp/hooks.py", "server.json"):
            assert stat.S_IMODE((folder / path).stat().st_mode) == 0o644, path
    assert stat.S_IMODE((folder / "src/shop_mcp/models").stat().st_mode) == 0o755


def test_what_no_lock_may_name_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not a file mcpgen generates: 'x\.exe'"):
        write({**OLD, "x.exe": "x"}, tmp_path, lock_facts=facts())
    assert not [*tmp_path.iterdir()]


def test_a_folder_whose_entries_change_is_written_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setitem(commit.__globals__, "_sync_folder", synced.append)
    write_file(tmp_path / "a.toml", "name = 'shop'\n")
    assert synced == [tmp_path]
    folder = project(tmp_path / "shop")
    package = folder / "src/shop_mcp"
    assert synced[1] == synced[-1] == folder
    assert {folder, package, package / "tools"} <= set(synced[2:-1])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_one_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "mcpgen.toml"
    path.write_text("name = 'shop'\n")
    path.chmod(mode)
    before = os.umask(0o077)
    try:
        write_file(path, "name = 'store'\n")
        write_file(tmp_path / "repairs.overlay.yaml", "")
    finally:
        os.umask(before)
    assert path.read_text() == "name = 'store'\n" and stat.S_IMODE(path.stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "repairs.overlay.yaml").stat().st_mode) == 0o644


def test_links_hard_links_and_permissions_of_the_user_survive(tmp_path: Path, folder: Path) -> None:
    (folder / "link").symlink_to("notes.txt")
    (folder / "broken").symlink_to("nowhere")
    (folder / "notes.txt").chmod(0o600)
    (folder / "closed").mkdir(mode=0o500)
    before = [(folder / name).lstat() for name in ("", "notes.txt", "closed")]
    update(folder)
    after = [(folder / name).lstat() for name in ("", "notes.txt", "closed")]
    assert [(one.st_ino, one.st_mode) for one in before] == [
        (one.st_ino, one.st_mode) for one in after
    ]
    assert (folder / "link").readlink() == Path("notes.txt") and (folder / "broken").is_symlink()
    assert [path.name for path in tmp_path.iterdir()] == ["shop"] and set(MINE) <= set(tree(folder))


# -- locks that came with the folder


HOSTILE = [
    "/etc/passwd", "../home/id_rsa", "src/../../home/id_rsa", ".git/hooks/post-commit",
    ".GIT/hooks/post-commit", "src/shop_mcp/.hidden.py", "notes.txt", "mcpgen.toml", "mcpgen.lock",
    "pyproject.toml", "src/shop_mcp/hooks.py", "src/shop_mcp/Custom/mine.py",
    "src/shop_mcp/custom/deep/mine.py", "C:/x.py", "src\\shop_mcp\\x.py", "",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("name", ["mcpgen.lock", "mcpgen.lock.new"])
def test_a_lock_that_names_what_mcpgen_does_not_write_is_refused(
    folder: Path, name: str, path: str
) -> None:
    (folder / name).write_text(dump(replace(with_files(facts("2"), {}), files={path: "0" * 64})))
    before = tree(folder)
    for options in ({}, {"force": True}, {"dry_run": True}):
        with pytest.raises(OutputConflictError, match=r"not a (path|file) mcpgen") as caught:
            write(NEW, folder, lock_facts=facts("2"), **options)
        assert [problem.code for problem in caught.value.problems] == ["E1204"]
    assert tree(folder) == before


@pytest.mark.parametrize("name", ["mcpgen.lock", "mcpgen.lock.new"])
def test_a_lock_that_is_a_link_is_not_read(tmp_path: Path, folder: Path, name: str) -> None:
    (tmp_path / "elsewhere").write_text("secret")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputConflictError, match="is a symbolic link") as caught:
        update(folder)
    assert "secret" not in str(caught.value) and (tmp_path / "elsewhere").read_text() == "secret"


def test_a_lock_whose_paths_lead_over_a_link_is_refused(tmp_path: Path, folder: Path) -> None:
    (folder / "src").rename(tmp_path / "outside")
    (folder / "src").symlink_to(tmp_path / "outside")
    with pytest.raises(OutputConflictError, match="`src` is a symbolic link") as caught:
        read_lock(folder)
    assert [problem.code for problem in caught.value.problems] == ["E1204"]


def with_lock(folder: Path, **changes: object) -> None:
    """Change values of the lock of a project."""
    path = folder / "mcpgen.lock"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(("key", "value", "said"), [
    ("base_url", [], ""), ("allowed_origins", "https://x", ""), ("auth", {"key": []}, ""),
    ("security", ["key"], ""), ("tools", [{"name": 1}], ""), ("customised", {"x": ["GET /x"]}, ""),
    ("files", {"server.json": 1}, ""), ("name", None, ""), ("generator", 1, ""),
    *(("once", {path: ["0" * 64, "1.0"]}, "not a path")
      for path in ("/etc/passwd", "../home/id_rsa", "src/../../home/id_rsa", "a\\b")),
])  # fmt: skip
def test_a_value_of_a_lock_that_cannot_be_is_said(
    folder: Path, key: str, value: object, said: str
) -> None:
    with_lock(folder, **{key: value})
    with pytest.raises(OutputConflictError, match=said or "lock") as caught:
        update(folder)
    assert [problem.code for problem in caught.value.problems] == ["E1204"]


def test_a_lock_that_nests_without_end_is_said(folder: Path) -> None:
    (folder / "mcpgen.lock").write_text("[" * 200_000)
    with pytest.raises(OutputConflictError, match="cannot read `"):
        update(folder)


def test_a_lock_of_a_newer_format_says_which_version_to_install(folder: Path) -> None:
    with_lock(folder, lock=2, generator="9.9.0")
    with pytest.raises(OutputConflictError, match="its format is 2") as caught:
        update(folder)
    assert "it was written by mcpgen 9.9.0" in caught.value.problems[0].hint


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [("0.10.0", "0.9.2", True), ("0.9.2", "0.10.0", False), ("1.0", "1.0", False)],
)
def test_a_project_of_a_newer_version_is_not_taken_back_unseen(
    tmp_path: Path, old: str, new: str, refused: bool
) -> None:
    folder = tmp_path / "shop"
    write(OLD, folder, lock_facts=replace(facts(), generator=old))
    older = replace(facts("2"), generator=new)
    if refused:
        with pytest.raises(OutputConflictError, match=f"generated by mcpgen {old}"):
            write(NEW, folder, lock_facts=older)
        lock = read_lock(folder)
        assert lock is not None
        files = {path: OLD[path] for path in lock.files}
        assert lock == replace(with_files(replace(facts(), generator=old), files), once=lock.once)
    write(NEW, folder, lock_facts=older, force=refused)
    lock = read_lock(folder)
    assert lock is not None and lock.generator == new


def test_a_pending_lock_alone_owns_only_files_with_its_hashes(folder: Path) -> None:
    (folder / "mcpgen.lock").unlink()
    pending = with_files(facts("2"), {"server.json": "{}\n", "src/shop_mcp/server.py": "other"})
    (folder / "mcpgen.lock.new").write_text(dump(pending))
    assert read_pending(folder) == pending
    with pytest.raises(OutputConflictError) as caught:
        update(folder)
    assert {problem.message.split("`")[1] for problem in caught.value.problems} == {
        "src/shop_mcp/server.py",
        "src/shop_mcp/tools/books.py",
    }
