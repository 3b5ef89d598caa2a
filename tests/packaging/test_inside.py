"""A package inside an app's own: `mcpgen generate MODULE:NAME -o src/shop/mcp --inside`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands import Command, mcpgen

__all__ = ["mcpgen"]

APP = """\
from fastapi import FastAPI, Header

app = FastAPI(title="Shop")


@app.get("/books/{id}", operation_id="get_book")
def get_book(id: int, x_shelf: str = Header("none")) -> dict[str, str]:
    "Return a book."
    return {"id": str(id), "shelf": x_shelf}
"""
MOUNTED = """

from shop.mcp import mount

app = mount(app)
"""
MORE = """\
from .. import tool


@tool(read_only=True)
def add_up(first: int, second: int) -> int:
    "Add two numbers."
    return first + second
"""
ASK = """\
import json, sys
from shop.main import app
from starlette.testclient import TestClient

name, arguments = json.loads(sys.argv[1])
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
call["params"] = {"name": name, "arguments": arguments}
fields = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
print(json.dumps(TestClient(app).post("/mcp", json=call, headers=fields).json()["result"]))
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository of an app, which is the current folder."""
    folder = tmp_path / "the shop"
    package = folder / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "main.py").write_text(APP)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    return folder


@pytest.fixture
def home(repository: Path, mcpgen: Command) -> Path:
    """The package of its tools, which the app mounts."""
    made = mcpgen("generate", "shop.main:app", "-o", "src/shop/mcp", "--inside")
    assert made.code == 0, made.err
    assert "pip install 'aiohttp>=" in made.out
    with (repository / "src" / "shop" / "main.py").open("a") as file:
        file.write(MOUNTED)
    return repository / "src" / "shop" / "mcp"


def asked(repository: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call that goes to the mounted app."""
    environment = {**os.environ, "PYTHONPATH": str(repository / "src")}
    command = [sys.executable, "-c", ASK, json.dumps([tool, arguments])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_folder_is_a_package_and_no_project(home: Path, repository: Path) -> None:
    assert asked(repository, "get_book", id=3)["structuredContent"] == {"id": "3", "shelf": "none"}
    names = {path.name for path in home.iterdir()}
    assert {"__init__.py", "mcpgen.toml", "mcpgen.lock", "hooks.py", "custom", "tools"} <= names
    assert names.isdisjoint({"pyproject.toml", "README.md", "Makefile", "tests", "src", ".github"})


def test_check_is_red_when_an_endpoint_changes_under_its_tool(
    home: Path, repository: Path, mcpgen: Command
) -> None:
    assert mcpgen("check", home).code == 0
    main = repository / "src" / "shop" / "main.py"
    main.write_text(main.read_text().replace("{id}", "{number}").replace("id: int", "number: int"))
    changed = mcpgen("check", home)
    assert changed.code == 1
    assert "the document changed" in changed.err


def test_functions_and_edits_stay_while_the_app_mounts_the_package(
    home: Path, repository: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "hooks.py").write_text((home / "hooks.py").read_text() + "\n# mine\n")
    monkeypatch.chdir(home)
    assert mcpgen("add", "tool", "count_shelves", "--python", "--read-only").code == 0
    (home / "custom" / "more.py").write_text(MORE)
    assert mcpgen("check").code == 1
    assert mcpgen("generate").code == 0
    assert mcpgen("check").code == 0
    assert (home / "hooks.py").read_text().endswith("# mine\n")
    assert asked(repository, "add_up", first=2, second=3)["structuredContent"] == {"result": 5}
    assert mcpgen("verify").code == 0


def test_a_call_and_the_settings_of_a_client_name_the_package_by_its_place(
    home: Path, repository: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(repository.parent))
    monkeypatch.setenv("SHOP_MCP_BASE_URL", "https://shop.example.com")
    called = mcpgen("call", "get_book", "id=3", "--dry-run")
    assert "GET https://shop.example.com/books/3" in called.err
    [entry] = mcpgen("install", "claude-code", "--print").json["mcpServers"].values()
    assert entry["args"][-2:] == ["-m", "shop.mcp"]
    assert entry["env"]["PYTHONPATH"].split(os.pathsep)[0] == str(repository / "src")


def test_a_dependency_that_the_app_lacks_is_named_in_its_manifest(
    home: Path, repository: Path, mcpgen: Command
) -> None:
    manifest = repository / "pyproject.toml"
    manifest.write_text('[project]\nname = "shop"\ndependencies = ["fastapi", "mcp>=2.3"]\n')
    lacking = mcpgen("check", home)
    assert lacking.code == 1
    assert "pyproject.toml:3:1" in lacking.err
    assert '"anyio>=' in lacking.err
    assert '"mcp>=2.3,' not in lacking.err


def test_a_workflow_and_a_hook_go_to_the_root_of_the_repository(
    home: Path, repository: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    assert mcpgen("add", "github-workflow").code == 0
    assert mcpgen("add", "pre-commit").code == 0
    workflow = yaml.safe_load((repository / ".github/workflows/mcpgen.yml").read_text())
    steps = {step.get("name"): step for step in workflow["jobs"]["check"]["steps"]}
    [hook] = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text())["repos"][0][
        "hooks"
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in (steps["Check that the tools fit the app"]["run"], hook["entry"]):
        done = subprocess.run(
            ["bash", "-ec", command], cwd=repository, env={**os.environ, "PATH": path}, check=False
        )
        assert done.returncode == 0
    assert (repository / steps["Install mcpgen"]["working-directory"] / "mcpgen.lock").is_file()
    again = mcpgen("add", "pre-commit")
    assert again.code == 2
    assert 'entry: "mcpgen check src/shop/mcp"' in again.err


def test_what_a_server_of_its_own_needs_is_refused(
    home: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    for thing in ("docker", "kubernetes", "registry"):
        refused = mcpgen("add", thing)
        assert refused.code == 2
        assert "part of an app" in refused.err
    assert not (home / "Dockerfile").exists()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ([], "`--inside` needs the folder of the package"),
        (["-o", "mcp"], "would be the module `mcp`"),
        (["-o", "src/shop/my-mcp"], "cannot import a package `my-mcp`"),
        (["-o", "src/shop/class"], "cannot import a package `class`"),
    ],
)
def test_a_place_that_python_cannot_import_is_refused(
    repository: Path, mcpgen: Command, output: list[str], said: str
) -> None:
    refused = mcpgen("generate", "shop.main:app", "--inside", *output)
    assert refused.code == 2
    assert said in refused.err
    assert {path.name for path in repository.iterdir()} == {".git", "src"}


def test_a_project_stays_inside_its_app(home: Path, mcpgen: Command) -> None:
    settings = home / "mcpgen.toml"
    settings.write_text(settings.read_text().replace("inside = true\n", ""))
    refused = mcpgen("check", home)
    assert "`inside` is chosen once" in mcpgen("generate", "-o", home).err + refused.err
    assert not (home / "src").exists()
