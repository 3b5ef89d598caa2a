"""The generated workflow, as far as it runs without its host: every `run` step of a job, in order,
in a fresh clone of the project, with the API's document on a server of its own.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.loopback import Loopback

REPOSITORY = Path(__file__).parents[2]
SPECS = REPOSITORY / "samples" / "specs"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://api.shop.example"}],
    "paths": {"/books": {"get": {
        "operationId": "listBooks",
        "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
        "responses": {"204": {"description": "none"}}}}},
}  # fmt: skip
SHIMS = {
    "python": 'exec "$PYTHON" "$@"',
    "pip": 'echo "$@" >> "$RUNNER_TEMP/pip.txt"; [ "$INDEX" = full ]',
    "mcpgen": 'exec "$PYTHON" -m mcpgen "$@"',
    # The project's own tests, without an environment of their own.
    "make": 'case "$1" in test) PYTHONPATH="$PWD/src:$PYTHONPATH" exec "$PYTHON" -m pytest -q;; esac',
    "gh": 'while [ $# -gt 0 ]; do [ "$1" = --body-file ] && cp "$2" "$RUNNER_TEMP/request.md"; shift;'
    " done",
}
"""Programs of the host."""
WHEEL = "https://files.example/mcpgen.whl"
REAL_WHEEL = os.environ.get("MCPGEN_WHEEL", "")
"""Where it is set (by `.ci/run`), every step also runs with nothing but what it installs itself."""


@dataclass
class Site:
    """A server that answers with the document; `url` is where."""

    url: str = ""
    document: Any = None


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    state = Site(document=DOCUMENT)

    server = Loopback(lambda asked: (200, {}, json.dumps(state.document).encode()))
    state.url = f"{server.url}/openapi.json"
    yield state
    server.close()


class Host:
    """A forge with one repository, and a runner with the programs of `SHIMS`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote, self.work = folder / "remote.git", folder / "work"
        programs = folder / "bin"
        programs.mkdir()
        for name, script in SHIMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
        self.environment = {
            **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHON": sys.executable, "PYTHONPATH": str(REPOSITORY), "RUNNER_TEMP": str(folder),
            "INDEX": "full", "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.example", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b.example",
        }  # fmt: skip

    def install(self, wheel: str) -> None:
        """In place of the shims: an environment of its own with mcpgen in it."""
        self.run(sys.executable, "-m", "venv", str(self.folder / "env"), cwd=self.folder)
        for name in SHIMS.keys() - {"gh"}:
            (self.folder / "bin" / name).unlink()
        programs = self.folder / "env" / "bin"
        self.environment["PATH"] = f"{programs}{os.pathsep}{self.environment['PATH']}"
        self.environment["MCPGEN"] = wheel
        del self.environment["PYTHONPATH"], self.environment["PYTHON"]
        self.run("pip", "install", "--quiet", wheel, cwd=self.folder)

    def run(self, *command: str, cwd: Path | None = None) -> None:
        """A command that must succeed."""
        subprocess.run(
            command, cwd=cwd or self.work, env=self.environment, check=True, capture_output=True
        )

    def begin(self, document: str) -> None:
        """A project from a document, pushed."""
        self.run("mcpgen", "generate", document, "-o", str(self.work), cwd=self.folder)
        self.publish()

    def publish(self) -> None:
        """The project in a repository of its own."""
        self.run("git", "init", "--quiet", "--initial-branch", "main")
        self.run("git", "init", "--quiet", "--bare", str(self.remote), cwd=self.folder)
        self.run("git", "remote", "add", "origin", str(self.remote))
        self.push()

    def push(self) -> None:
        """Everything in the work tree."""
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", "a change")
        self.run("git", "push", "--quiet", "origin", "main")

    def job(self, name: str) -> tuple[bool, str]:
        """Whether a job of the workflow is green, and its log."""
        clone = self.folder / f"clone-{name}"
        shutil.rmtree(clone, ignore_errors=True)
        source = [str(self.remote), str(clone)]
        self.run("git", "clone", "--quiet", "-b", "main", *source, cwd=self.folder)
        workflow = yaml.safe_load((clone / ".github/workflows/mcpgen.yml").read_text())
        log = ""
        for step in workflow["jobs"][name]["steps"]:
            if "run" not in step:
                continue
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=clone,
                env={"MCPGEN": WHEEL, **self.environment, "BASE": "main"}, capture_output=True,
                text=True, check=False,
            )  # fmt: skip
            log += done.stdout + done.stderr
            if done.returncode:
                return False, log
        return True, log


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Host:
    """The project of the document, as it was generated and pushed."""
    forge = Host(tmp_path_factory.mktemp("forge"))
    forge.begin(site.url)
    return forge


@pytest.fixture
def host(tmp_path: Path, site: Site, first: Host) -> Host:
    site.document = DOCUMENT
    forge = Host(tmp_path)
    for folder in ("work", "remote.git"):
        shutil.copytree(first.folder / folder, tmp_path / folder)
    forge.run("git", "remote", "set-url", "origin", str(forge.remote))
    return forge


def test_every_job_is_green_on_the_first_day(host: Host) -> None:
    for job in ("check", "test", "update"):
        green, log = host.job(job)
        assert green, log
    assert f"install {WHEEL}" in (host.folder / "pip.txt").read_text()
    assert not (host.folder / "request.md").exists()


def test_a_document_beside_the_project_is_checked_and_not_fetched(tmp_path: Path) -> None:
    document = tmp_path / "mine" / "openapi.json"
    document.parent.mkdir()
    document.write_text(json.dumps(DOCUMENT))
    host = Host(tmp_path)
    host.begin(str(document))
    document.unlink()
    green, log = host.job("check")
    assert green, log
    workflow = yaml.safe_load((host.work / ".github/workflows/mcpgen.yml").read_text())
    assert list(workflow["jobs"]) == ["check", "test"]
    assert "schedule" not in workflow[True]  # the key `on`, as YAML 1.1 reads it


@pytest.mark.skipif(not REAL_WHEEL, reason="MCPGEN_WHEEL names no wheel; takes a minute")
@pytest.mark.parametrize("name", ["bookshop.yaml", "tools/github.json"])
def test_every_job_is_green_with_the_wheel(tmp_path: Path, site: Site, name: str) -> None:
    document = yaml.safe_load((SPECS / name).read_text("utf-8"))
    site.document = json.loads(json.dumps(document, default=str))
    host = Host(tmp_path)
    host.install(REAL_WHEEL)
    host.begin(site.url)
    for job in ("check", "test", "update"):
        green, log = host.job(job)
        assert green, log
    assert not (host.folder / "request.md").exists()


def test_a_changed_document_is_proposed_with_its_difference(host: Host, site: Site) -> None:
    site.document = copy.deepcopy(DOCUMENT)
    operation = site.document["paths"]["/books"]["get"]
    operation["parameters"].append({"name": "page", "in": "query", "schema": {"type": "integer"}})
    green, log = host.job("check")
    assert green, log
    green, log = host.job("update")
    assert green, log
    request = (host.folder / "request.md").read_text()
    assert "1 additive change" in request
    assert "- `list_books` `page` is new" in request
    host.run("git", "fetch", "--quiet", "origin", "mcpgen-update")
    host.run("git", "diff", "--quiet", "HEAD", "FETCH_HEAD", "--", "pyproject.toml")


def test_a_change_that_needs_consent_is_red_with_its_reason(host: Host, site: Site) -> None:
    site.document = {**DOCUMENT, "servers": [{"url": "https://evil.example"}]}
    green, log = host.job("update")
    assert not green
    assert "evil.example" in log
    assert not (host.folder / "request.md").exists()


def test_an_edit_by_hand_is_red_with_its_reason(host: Host) -> None:
    (path,) = host.work.glob("src/*/tools/*.json")
    path.write_text(path.read_text().replace("List books", "List every book"))
    host.push()
    green, log = host.job("check")
    assert not green
    assert "was edited" in log


@pytest.mark.parametrize("problem", [{"MCPGEN": ""}, {"INDEX": "empty"}], ids=str)
def test_no_index_is_asked_and_the_job_says_what_to_set(
    host: Host, problem: dict[str, str]
) -> None:
    from mcpgen import __version__

    host.environment.update(problem)
    for job in ("check", "update"):
        green, log = host.job(job)
        assert not green
        assert "::error::Set the repository's variable MCPGEN" in log
        assert f"installs mcpgen {__version__} from" in log
    assert "MCPGEN" not in problem or not (host.folder / "pip.txt").exists()
