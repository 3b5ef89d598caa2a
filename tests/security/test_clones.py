"""What a stranger puts into a project before it is cloned: nothing of it is ever carried out."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from mcpgen.cli import run

READING = [["check"], ["inspect"], ["diff"], ["verify"], ["generate", "--dry-run"]]
WRITING = [["generate"], ["generate", "--force"], ["generate", "--accept-changes"]]
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Corner Shop", "version": "1"},
    "servers": [{"url": "https://shop.example"}],
    "paths": {"/books": {"get": {"operationId": "listBooks", "responses": {}}}},
}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A generated project with a repository; the current folder."""
    (tmp_path / "shop.json").write_text(json.dumps(DOCUMENT))
    folder = tmp_path / "clone"
    assert run(["generate", str(tmp_path / "shop.json"), "-o", str(folder), "-q"]) == 0
    (folder / ".git/hooks").mkdir(parents=True)
    home = tmp_path / "home"
    home.mkdir()
    (home / "id_rsa").write_text("PRIVATE KEY canary-line\n")
    monkeypatch.chdir(folder)
    return folder


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of everything below a folder."""
    found = {}
    for here, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(here) / name
            content = path.read_bytes() if path.is_file() else b""
            found[path.relative_to(folder).as_posix()] = (path.lstat().st_mode, content)
    return found


@pytest.mark.parametrize("command", [*READING, *WRITING], ids=" ".join)
@pytest.mark.parametrize("name", ["mcpgen.lock", "mcpgen.lock.new"])
@pytest.mark.parametrize("content", ["known", "unknown"])
@pytest.mark.parametrize(
    "path", ["{parent}/home/id_rsa", "../home/id_rsa", ".git/hooks/post-commit", "tests/id_rsa.py"]
)
def test_a_lock_reaches_no_file_that_mcpgen_does_not_write(
    clone: Path, capsys: pytest.CaptureFixture[str],
    command: list[str], name: str, content: str, path: str,
) -> None:  # fmt: skip
    secret = (clone.parent / "home/id_rsa").read_text()
    (clone / ".git/hooks/post-commit").write_text(secret)
    (clone / "tests/id_rsa.py").symlink_to("../../home/id_rsa")
    lock = json.loads((clone / "mcpgen.lock").read_text())
    digest = hashlib.sha256(secret.encode()).hexdigest() if content == "known" else "00"
    lock["files"][path.format(parent=clone.parent)] = digest
    (clone / name).write_text(json.dumps(lock))
    before = everything(clone.parent)
    capsys.readouterr()
    code = run(command)
    said = "".join(capsys.readouterr())
    assert everything(clone.parent) == before
    assert "canary-line" not in said
    if name == "mcpgen.lock.new" and command[0] in ("inspect", "diff"):
        assert "E1210" in said  # that a run was interrupted; the file is not opened
    else:
        assert (code, "E1204" in said) == (4, True)


def test_a_lock_with_a_value_of_another_type_is_a_problem_and_no_bug(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = json.loads((clone / "mcpgen.lock").read_text())
    (clone / "mcpgen.lock").write_text(json.dumps({**lock, "base_url": []}))
    for command in (*READING, *WRITING):
        capsys.readouterr()
        assert run(command) == 4
        assert "E1204" in capsys.readouterr().err


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_commands_that_read_say_that_a_run_was_interrupted_and_write_nothing(
    clone: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (clone / "mcpgen.lock.new").write_bytes((clone / "mcpgen.lock").read_bytes())
    before = everything(clone)
    capsys.readouterr()
    code = run(command)
    said = "".join(capsys.readouterr())
    assert "interrupted" in said
    assert "mcpgen generate" in said
    assert everything(clone) == before
    assert code == {"check": 1, "verify": 4}.get(command[0], 0)
    assert run(["generate"]) == 0
    assert not (clone / "mcpgen.lock.new").exists()
    assert run(["check"]) == 0


def test_an_executable_bit_never_comes_from_the_project(clone: Path) -> None:
    server = next(clone.glob("src/*/runtime/app.py"))
    server.unlink()
    (clone / "src").chmod(0o777)
    run(["generate"])
    assert server.stat().st_mode & 0o777 == 0o644
