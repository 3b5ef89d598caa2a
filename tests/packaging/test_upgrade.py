"""Projects that an earlier mcpgen made and people have edited since, after today's generated them
again: no name changed, no edit and no part is lost, nothing is called breaking, and the workflow is
green with no edit by hand but the lines for `pyproject.toml` that `check` prints.

`before/` holds what people wrote. With MCPGEN_WHEEL (`make upgrade`) every step runs in
environments that the workflow and the project's Makefile make.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from mcpgen.compare.sides import Side, side_of_project
from tests.longrun.seeded_edits import NOUNS, Api
from tests.packaging.test_workflow import REAL_WHEEL, REPOSITORY, Host

RELEASE = "ffa151218d9c2362305d41eb429e291d7d3dac98"
"""The commit whose projects are kept."""
BEFORE = Path(__file__).parent / "before"
LINES = ("E1320", "E1321")
"""Codes whose remedy is lines below the one that is shown, in `pyproject.toml`."""
VARIABLE = re.compile(r"^\| `(\w+)` \|", re.M)
SPECS = REPOSITORY / "samples" / "specs"


def large() -> str:
    """A document of 160 operations with eight tags."""
    api = Api(3)
    for _ in range(136):
        api.add_operation()
    for _, _, operation in api.operations():
        operation["tags"] = [next(noun for noun in NOUNS if noun in operation["operationId"])]
    return json.dumps(api.document)


def text_of(name: str) -> Callable[[], str]:
    return lambda: (SPECS / name).read_text("utf-8")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A project: its folder in `before/`, and how it was made first."""

    document: Callable[[], str] | None
    name: str
    added: tuple[str, ...] = ()
    """Things of `mcpgen add`."""

    def command(self) -> list[str]:
        if self.document is None:
            return ["new", self.name, "--yes"]
        return ["generate", "document.yaml", "--name", self.name, "-o", "work"]


KINDS = {
    "bookshop": Kind(document=text_of("bookshop.yaml"), name="bookshop", added=("docker", "skill")),
    "lending": Kind(document=text_of("swagger2.yaml"), name="lending_mcp"),
    "issues": Kind(document=text_of("tools/github.json"), name="github_mcp"),
    "library": Kind(document=large, name="library"),
    "till": Kind(document=None, name="work"),
}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release as a folder to import from."""
    command = ["git", "archive", RELEASE, "mcpgen", "templates"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"the history has no {RELEASE[:7]}: {done.stderr.decode()}")
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


class Upgrade:
    """A project of the release in a repository, and what people do with it."""

    def __init__(self, folder: Path, release: Path, kind: str) -> None:
        self.folder, self.release, self.edits = folder, release, BEFORE / kind
        self.host = Host(folder)
        self.work = self.host.work
        made = KINDS[kind]
        if made.document is not None:
            (folder / "document.yaml").write_text(made.document(), "utf-8")
        self.old(*made.command(), cwd=folder)
        shutil.copytree(self.edits, self.work, dirs_exist_ok=True)
        self.old("generate", "--accept-changes", cwd=self.work)
        for thing in made.added:
            self.old("add", thing, cwd=self.work)
        self.host.publish()
        if REAL_WHEEL:
            self.host.install(REAL_WHEEL)

    def old(self, *words: str, cwd: Path) -> None:
        """A command of the release."""
        environment = self.host.environment
        here, environment["PYTHONPATH"] = environment["PYTHONPATH"], str(self.release)
        self.host.run("mcpgen", *words, cwd=cwd)
        environment["PYTHONPATH"] = here

    def today(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of today's mcpgen."""
        return subprocess.run(
            ["mcpgen", *words], cwd=self.work, env=self.host.environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip

    def written(self) -> dict[Path, bytes]:
        """The files that people wrote, as they stand in the project."""
        paths = [path.relative_to(self.edits) for path in self.edits.rglob("*") if path.is_file()]
        return {path: (self.work / path).read_bytes() for path in paths}

    def names(self) -> dict[str, Any]:
        """Every name that callers, clients and code of people's own may have written down, and the
        hashes of what it was made from.
        """
        side: Side = side_of_project(self.work)
        (package,) = (self.work / "src").iterdir()
        project = (self.work / "pyproject.toml").read_text("utf-8")
        return {
            "made from": [self.lock()["document"], self.lock()["config"]],
            "package": package.name,
            "command": re.findall(r"^\"?(\S+?)\"? = \"\w+\.__main__:main\"$", project, re.M),
            "credentials": self.lock()["auth"],
            "tools": {tool.name: tool.toolset for tool in side.lock.tools},
            "aliases": dict(side.aliases),
            "arguments": {
                (name, argument)
                for name, tool in side.tools.items()
                for argument in tool["inputSchema"].get("properties", {})
            },
        }

    def parts(self) -> set[str]:
        """What a server has: parts of its runtime, files written once, folders, variables."""
        package = next((self.work / "src").iterdir())
        folders = {path.name for path in (package / "runtime" / "parts").iterdir()}
        variables = (self.work / "document" / "VARIABLES.md").read_text("utf-8")
        roots = {path.partition("/")[0] for path in self.lock()["files"]}
        return {*folders, *self.lock()["once"], *roots, *VARIABLE.findall(variables)}

    def lock(self) -> dict[str, Any]:
        lock: dict[str, Any] = json.loads((self.work / "mcpgen.lock").read_text("utf-8"))
        return lock

    def write_what_check_asks_for(self) -> None:
        """Write the lines for `pyproject.toml`, from the last place to the first."""
        problems = json.loads(self.today("check", "--json").stdout)["problems"]
        asked = [problem for problem in problems if problem["severity"] != "note"]
        assert {(one["code"], one["file"]) for one in asked} <= {
            (code, "pyproject.toml") for code in LINES
        }
        for problem in sorted(asked, key=lambda one: -int(one["line"])):
            path = self.work / problem["file"]
            lines = path.read_text("utf-8").splitlines()
            lines[problem["line"] : problem["line"]] = problem["detail"]
            path.write_text("\n".join([*lines, ""]), "utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_edits_stay_and_the_job_is_green(
    kind: str, tmp_path: Path, release: Path
) -> None:
    project = Upgrade(tmp_path, release, kind)
    names, parts, written = project.names(), project.parts(), project.written()

    difference = json.loads(project.today("diff", "--format", "json").stdout)
    assert [one for one in difference["changes"] if one["class"] not in ("additive", "text")] == []
    done = project.today("generate")
    assert done.returncode == 0, done.stderr
    assert project.written() == written
    today = project.names()
    assert names["arguments"] - today.pop("arguments") == set()
    assert {**today, "arguments": names["arguments"]} == names
    assert parts - project.parts() == set()

    assert project.today("generate", "--renew").returncode == 0
    assert project.written() == written
    project.write_what_check_asks_for()
    done = project.today("check")
    assert done.returncode == 0, done.stdout

    project.host.push()
    for job in ("check", "test", "update") if REAL_WHEEL else ():
        green, log = project.host.job(job)
        assert green, log
    assert not (project.folder / "request.md").exists()
