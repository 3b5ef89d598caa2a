"""Which Python a project's server runs with."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mcpgen.live import environment
from mcpgen.problems import UsageError

PYPROJECT = '[project]\nname = "x"\ndependencies = ["mcp>=2.3,<3"]\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without an environment, and an empty cache."""
    monkeypatch.delenv("MCPGEN_PYTHON", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PYPROJECT)
    return folder


class Installer:
    """Takes the place of venv, uv and pip; `failures` is what each of these says that fails."""

    def __init__(self) -> None:
        self.failures: dict[str, str] = {}
        self.installed: list[tuple[str, list[str]]] = []

    def create(self, folder: Path, **_: Any) -> None:
        (folder / "bin").mkdir(exist_ok=True)

    def run(self, words: list[str], **_: Any) -> Any:
        name = "pip" if "-m" in words else "uv"
        self.installed.append((name, words[words.index("-qq") + 1 :]))
        said = self.failures.get(name, "")
        return subprocess.CompletedProcess(words, int(bool(said)), "", said)


@pytest.fixture
def installer(monkeypatch: pytest.MonkeyPatch) -> Installer:
    """Nothing is really installed."""
    made = Installer()
    monkeypatch.setattr(environment.venv, "create", made.create)
    monkeypatch.setattr(environment.subprocess, "run", made.run)
    monkeypatch.setattr(environment.shutil, "which", lambda name: f"/programs/{name}")
    return made


@pytest.mark.parametrize(("failures", "used"), [({}, ["uv"]), ({"uv": "no"}, ["uv", "pip"])])
def test_an_environment_is_made_once_and_shared(
    project: Path, installer: Installer, failures: dict[str, str], used: list[str]
) -> None:
    installer.failures, announced = failures, []  # type: ignore[var-annotated]
    first = environment.python_of(project, announced.append)
    second = environment.python_of(project, announced.append)
    assert first == second
    assert Path(first).is_relative_to(project.parent / "cache" / "mcpgen")
    assert installer.installed == [(name, ["mcp>=2.3,<3"]) for name in used]
    assert len(announced) == 1


def test_other_dependencies_have_another_environment(project: Path, installer: Installer) -> None:
    first = environment.python_of(project, str)
    (project / "pyproject.toml").write_text(PYPROJECT.replace("2.3", "2.4"))
    assert environment.python_of(project, str) != first


def test_a_failed_installation_is_explained_and_removed(
    project: Path, installer: Installer
) -> None:
    installer.failures = {"uv": "no index", "pip": "ERROR: no matching distribution"}
    with pytest.raises(UsageError) as refused:
        environment.python_of(project, str)
    (problem,) = refused.value.problems
    assert problem.code == "E1177"
    assert problem.notes == ("ERROR: no matching distribution",)
    assert list((project.parent / "cache" / "mcpgen" / "servers").iterdir()) == []


def test_the_projects_own_environment_comes_first(project: Path, installer: Installer) -> None:
    (project / ".venv").mkdir()
    assert ".venv" not in environment.python_of(project, str)
    (project / ".venv" / "ready").touch()
    assert environment.python_of(project, str).startswith(str(project / ".venv"))


def test_a_named_python_comes_before_every_other(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCPGEN_PYTHON", "/opt/python")
    assert environment.python_of(project, str) == "/opt/python"


def test_a_folder_without_a_package_is_refused(project: Path) -> None:
    with pytest.raises(UsageError, match="package of a server"):
        environment.package_of(project)


def test_a_folder_that_no_variable_can_name_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "a:b" / "src" / "shop_mcp"
    assert environment.import_path(tmp_path / "src" / "shop_mcp") == str(tmp_path / "src")
    with pytest.raises(UsageError, match="cannot import from") as caught:
        environment.import_path(home)
    assert caught.value.problems[0].hint == "give the folder a name without it"
