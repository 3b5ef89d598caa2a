"""A project whose runtime is a dependency: `runtime = "installed"` in `mcpgen.toml`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mcpgen.cli import app
from mcpgen.live.environment import _dependencies, variables
from mcpgen.render.parts import runtime_requirements

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"
LINE = 'runtime = "installed"\n'


def main(*arguments: str) -> str:
    """Run a command that succeeds, and return what it printed."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The bookshop's project, with the user's own code, as the current folder."""
    shutil.copy(BOOKSHOP, tmp_path)
    folder = tmp_path / "bookshop"
    main("generate", str(tmp_path / BOOKSHOP.name), "-o", str(folder), "--quiet")
    package = folder / "src" / "bookshop_mcp"
    (package / "custom" / "greet.py").write_text(
        'from .. import tool\n\n\n@tool(description="Greet.")\ndef greet(name: str) -> str:\n'
        '    return f"Hello {name}"\n'
    )
    (package / "hooks.py").write_text(
        "from . import Call\n\n\ndef before(call: Call) -> None:\n    call.arguments.pop('x', None)\n"
    )
    monkeypatch.chdir(folder)
    main("generate", "--quiet", "--renew")
    yield folder


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a project; what Python and pytest leave there is not looked at."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if "__pycache__" not in path.parts and ".pytest_cache" not in path.parts
    }


def switched(folder: Path, *options: str) -> str:
    """Ask for the installed runtime and generate; returns what was printed."""
    settings = folder / "mcpgen.toml"
    settings.write_text(LINE + settings.read_text())
    return main("generate", *options)


def test_the_package_holds_what_the_document_and_the_user_wrote(project: Path) -> None:
    before = contents(project)
    switched(project, "--renew")
    after = contents(project)
    gone = {path for path in before if path not in after}
    assert gone == {path for path in before if "/bookshop_mcp/runtime/" in path}
    changed = {path.split("/")[-1] for path in after if after[path] != before[path]}
    assert changed == {"__init__.py", "__main__.py", "README.md", "pyproject.toml"} | {
        "mcpgen.toml",
        "mcpgen.lock",
    }
    manifest = after["pyproject.toml"].decode()
    assert re.search(r'dependencies = \[\n    "mcpgen-runtime>=[\d.]+,<[\d.]+",\n\]', manifest)
    main("check")


def test_one_line_leads_back_byte_for_byte(project: Path) -> None:
    before = contents(project)
    switched(project, "--renew")
    settings = project / "mcpgen.toml"
    settings.write_text(settings.read_text().removeprefix(LINE))
    main("generate", "--quiet", "--renew")
    assert contents(project) == before


def test_the_dependency_that_a_manifest_lacks_is_named(project: Path) -> None:
    printed = switched(project)
    assert "E1320" in printed and '"mcpgen-runtime>=' in printed


def test_the_own_tests_of_a_project_pass_on_the_runtime_of_mcpgen(project: Path) -> None:
    switched(project, "--renew")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        env={**os.environ, **variables(project)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "Hello Ada" in main("call", "greet", "name=Ada", "--json")


def test_where_no_index_has_the_runtime_its_dependencies_are_installed(project: Path) -> None:
    switched(project, "--renew")
    assert _dependencies(project) == runtime_requirements()
