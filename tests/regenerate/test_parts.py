"""`parts` of `mcpgen.toml`: what a server has by default, on request, without, and from before."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgen.lock import text_hash
from tests.commands import Command

SPEC = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"


@pytest.fixture
def project(tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, which is the current folder."""
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    folder = tmp_path / "shop"
    assert mcpgen("generate", SPEC, "-o", folder, "--quiet").code == 0
    monkeypatch.chdir(folder)
    return folder


def modules(project: Path) -> set[str]:
    """The modules of the runtime that a project has."""
    runtime = project / "src" / "bookshop_mcp" / "runtime"
    return {path.relative_to(runtime).as_posix() for path in runtime.rglob("*.py")}


def started(project: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """The server of a project, run with these words and this standard input."""
    return subprocess.run(
        [sys.executable, "-m", "bookshop_mcp", *words],
        env={**os.environ, "PYTHONPATH": str(project / "src")},
        input=text, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_new_server_has_http_and_its_toml_says_so(project: Path) -> None:
    assert 'parts = ["http"]\n' in (project / "mcpgen.toml").read_text("utf-8")
    there = modules(project)
    assert {"transports/guard.py", "transports/http.py", "transports/exchange.py"} <= there
    assert not [path for path in there if path.startswith(("parts/install/", "parts/shell"))]
    said = started(project, "install", "cursor").stderr
    assert "this server has no command `install`: run `mcpgen add install` in its project" in said
    assert "run `mcpgen add shell` in its project" in started(project, "list").stderr
    assert "--http" in started(project, "--help").stdout


def test_a_server_without_http_serves_stdio_and_says_how_to_get_it(
    project: Path, mcpgen: Command
) -> None:
    toml = project / "mcpgen.toml"
    toml.write_text(toml.read_text("utf-8").replace('parts = ["http"]', "parts = []"), "utf-8")
    assert mcpgen("generate").code == 0
    there = modules(project)
    assert not {"transports/guard.py", "transports/http.py", "parts/http.py"} & there
    assert "_HTTP_TOKEN" not in (project / "document" / "VARIABLES.md").read_text("utf-8")
    ended = started(project, "--http", "--port", "1")
    assert ended.returncode == 2
    assert "made without `--http`: run `mcpgen add http` in its project" in ended.stderr
    assert "--http" not in started(project, "--help").stdout
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert json.loads(started(project, text=json.dumps(request) + "\n").stdout)["id"] == 1
    os.environ["BOOKSHOP_MCP_HTTP_TOKEN"] = "t" * 40
    try:
        said = started(project).stderr
    finally:
        del os.environ["BOOKSHOP_MCP_HTTP_TOKEN"]
    assert "`BOOKSHOP_MCP_HTTP_TOKEN` is read by the part `http`" in said


def test_add_enters_a_part_and_keeps_the_others(project: Path, mcpgen: Command) -> None:
    assert mcpgen("add", "shell").out == "parts      shell\n"
    assert mcpgen("add", "install").code == 0
    toml = (project / "mcpgen.toml").read_text("utf-8")
    assert 'parts = ["http", "shell", "install"]\n' in toml
    assert "list_books" in started(project, "list", "books").stdout
    assert "found here" in started(project, "install").stderr
    assert mcpgen("add", "skill").code == 0  # the shell that it teaches is there already
    assert (project / "mcpgen.toml").read_text("utf-8") == toml


@pytest.mark.parametrize(("thing", "part"), [("skill", "shell"), ("docker", "http")])
def test_files_bring_the_part_that_they_use(
    project: Path, mcpgen: Command, thing: str, part: str
) -> None:
    toml = project / "mcpgen.toml"
    toml.write_text(toml.read_text("utf-8").replace('parts = ["http"]', "parts = []"), "utf-8")
    assert mcpgen("add", thing).code == 0
    assert f'parts = ["{part}"]\n' in toml.read_text("utf-8")
    assert f"parts/{part}.py" in modules(project)


def test_code_that_sends_a_file_brings_what_writes_it(project: Path, mcpgen: Command) -> None:
    upload = "from bookshop_mcp import wire; print(wire.file('YQ==').source)"
    bare = subprocess.run(
        [sys.executable, "-c", upload], cwd=project / "src", capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert "ImportError: this server was made without `wire_files.py`" in bare.stderr
    assert "run `mcpgen generate`" in bare.stderr and "client/wire_files.py" not in modules(project)
    hooks = project / "src" / "bookshop_mcp" / "hooks.py"
    hooks.write_text("from . import wire\n\nCOVER = wire.file\n", "utf-8")
    assert mcpgen("check").code == 1
    assert mcpgen("generate").code == 0
    assert "client/wire_files.py" in modules(project)
    assert "client/wire_styles.py" not in modules(project)
    assert subprocess.check_output([sys.executable, "-c", upload], cwd=project / "src") == b"YQ==\n"


@pytest.fixture
def new_words(tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of functions alone, as the current folder."""
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    monkeypatch.chdir(tmp_path)
    assert mcpgen("new", "words", "--yes").code == 0
    monkeypatch.chdir(tmp_path / "words")


@pytest.mark.parametrize("change", ['parts = ["http"]', 'parts = []\n[answers]\nredact = ["ssn"]'])
@pytest.mark.usefixtures("new_words")
def test_a_server_of_functions_masks_secrets_once_it_has_some(mcpgen: Command, change: str) -> None:
    toml, masks = Path("mcpgen.toml"), Path("src/words_mcp/runtime/secrets.py")
    assert not masks.exists()
    assert '"words":2,"letters":3' in mcpgen("call", "count_words", "text=a bb").out
    toml.write_text(toml.read_text("utf-8").replace("parts = []", change), "utf-8")
    assert mcpgen("generate").code == 0
    assert masks.is_file()
    assert '"words":2,"letters":3' in mcpgen("call", "count_words", "text=a bb").out


@pytest.mark.usefixtures("new_words")
def test_a_server_of_functions_reads_contracts_once_it_has_some(mcpgen: Command) -> None:
    custom, reader = Path("src/words_mcp/custom"), Path("src/words_mcp/runtime/contracts.py")
    (custom / "greet.json").write_text('{"name": "greet", "description": "Greet."}')
    (custom / "greet.py").write_text('def greet() -> str:\n    return "Good day"\n')
    assert not reader.exists()
    said = mcpgen("call", "greet")
    assert said.code and "greet.json is the contract of a tool: run `mcpgen generate`" in said.err
    assert mcpgen("generate").code == 0 and reader.is_file()
    assert "Good day" in mcpgen("call", "greet").out


@pytest.fixture
def former(project: Path) -> Iterator[Path]:
    """A project as a version left it that gave `http`, `install` and `shell` to every server."""
    toml, lock = project / "mcpgen.toml", project / "mcpgen.lock"
    toml.write_text(toml.read_text("utf-8").replace('parts = ["http"]\n', ""), "utf-8")
    body = re.sub(r'  "parts": .*\n', "", lock.read_text("utf-8"))
    body = body.rpartition('\n  "integrity"')[0]
    lock.write_text(f'{body}\n  "integrity": "{text_hash(body)}"\n}}\n', "utf-8")
    yield project


def test_a_project_from_before_keeps_what_every_server_had(former: Path, mcpgen: Command) -> None:
    three = {"parts/install/command.py", "parts/shell.py", "transports/http.py"}
    for _ in range(2):
        assert mcpgen("generate").code == 0
        assert three <= modules(former)
    assert json.loads((former / "mcpgen.lock").read_text())["parts"] == ["http", "install", "shell"]
    assert mcpgen("check").code == 0
    assert mcpgen("add", "audit").code == 0
    toml = tomllib.loads((former / "mcpgen.toml").read_text("utf-8"))
    assert toml["parts"] == ["http", "install", "shell", "audit"]
    assert three <= modules(former)


def test_naming_one_of_the_three_ends_that(former: Path, mcpgen: Command) -> None:
    assert mcpgen("generate").code == 0
    toml = former / "mcpgen.toml"
    toml.write_text(f'parts = ["http"]\n{toml.read_text("utf-8")}', "utf-8")
    assert mcpgen("generate").code == 0
    assert not {"parts/install/command.py", "parts/shell.py"} & modules(former)
    assert json.loads((former / "mcpgen.lock").read_text("utf-8"))["parts"] == []


def test_tokens_of_callers_bring_http(project: Path, mcpgen: Command) -> None:
    toml = project / "mcpgen.toml"
    toml.write_text(toml.read_text("utf-8").replace('["http"]', '["oauth"]'), "utf-8")
    assert mcpgen("generate").code == 0
    assert "transports/guard.py" in modules(project)


def test_mcpgen_enters_the_server_of_a_project_into_a_client(
    project: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BOOKSHOP_MCP_API_KEY", "canary-key-0123456789")
    printed = mcpgen("install", "cursor", "--print", "--toolsets", "books", "--read-only")
    assert printed.code == 0 and "canary" not in printed.out
    ended = mcpgen("install", "cursor", "--toolsets", "books")
    assert "Written to" in ended.out and "but Cursor was not found here" in ended.out
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    entry = json.loads(path.read_text("utf-8"))["mcpServers"]["bookshop"]
    assert entry["env"]["BOOKSHOP_MCP_API_KEY"] == "canary-key-0123456789"
    assert path.stat().st_mode & 0o77 == 0
    request = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    done = subprocess.run(  # from another folder, as a client starts it
        [entry["command"], *entry["args"]], cwd=tmp_path, env=entry["env"],
        input=json.dumps(request) + "\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["id"] == 7
    assert entry["args"][-2:] == ["--toolsets", "books"]
    assert "its entry is gone" in mcpgen("uninstall", "cursor").out
    assert "bookshop" not in path.read_text("utf-8")


def test_an_entry_starts_the_command_of_the_project_where_there_is_one(
    project: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    script = project / ".venv" / "bin" / "bookshop-mcp"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n", "utf-8")
    script.chmod(0o755)
    printed = json.loads(mcpgen("install", "cursor", "--print").out)
    assert printed["mcpServers"]["bookshop"]["command"] == str(script)


@pytest.mark.parametrize(("words", "says"), [
    ([], "one of amp, "), (["curser"], "did you mean `cursor`?"),
    (["cursor", "--toolsets", "boks"], "books"), (["cursor", "--tools", "nothing"], "nothing"),
])  # fmt: skip
def test_a_client_that_does_not_get_it_is_told_of(
    project: Path, mcpgen: Command, words: list[str], says: str,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    ended = mcpgen("install", *words)
    assert ended.code == 2 and "E1179" in ended.err and says in ended.err
    assert not (tmp_path / "home").exists()
