"""A project of version 0.1.0: generated anew it has the layout of today, and what its user's code
must change is named.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mcpgen.lock import NAME, dump, read_lock, with_files
from mcpgen.problems import Problem, Problems
from mcpgen.project.check import check
from mcpgen.project.user_code import planned_problems
from mcpgen.render.parts import requirements

from .shop import package, prepared, project

FLAT = ("answer", "api", "content", "credentials", "errors", "server", "settings", "wire")
"""Modules of version 0.1.0, which lay beside the user's files."""
MANIFEST = """\
[project]
name = "mcp-corner-shop"
dependencies = ["aiohttp>=3.14,<4", "httpcore2>=2.16,<3", "httpx2>=2.16,<3", "jsonschema-rs>=0.30,<1", "mcp>=2.3,<3", "yarl>=1.20,<2"]
"""
USER_CODE = {
    "hooks.py": "from .content import Call, ToolError\n\n\ndef before(call: Call) -> None: ...\n",
    "auth.py": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        "    from .credentials import Outgoing\n\n\n"
        "async def authorize(request: 'Outgoing') -> None: ...\n"
    ),
    "custom/mine.py": (
        "from .. import content\n"
        "from ..api import Api\n"
        "from ..errors import BadStatus, TimedOut\n"
        "from ..models.books import Book\n"
        "from ..settings import Secret\n\n\n"
        "async def mine(api: Api) -> content.Text: ...\n"
    ),
    "custom/mine.json": '[{"name": "mine", "description": "Mine."}]',
}
TEST = (
    "import corner_shop_mcp.server as served\nfrom corner_shop_mcp.server import ToolServer\n\n"
    "server = served.ToolServer\n"
)
MOVED = {
    "hooks.py": "from . import Call, ToolError\n\n\ndef before(call: Call) -> None: ...\n",
    "auth.py": USER_CODE["auth.py"].replace(".credentials", "."),
    "custom/mine.py": (
        "from .. import Api, ApiError, BadStatus, Text, models\n\n\n"
        "async def mine(api: Api) -> Text: ...\n"
    ),
}
EVERY_LINE = {
    "src/corner_shop_mcp/hooks.py:1": "write `from . import Call, ToolError`",
    "src/corner_shop_mcp/auth.py:4": "write `from . import Outgoing`",
    "src/corner_shop_mcp/custom/mine.py:1": "write `from .. import Text`",
    "src/corner_shop_mcp/custom/mine.py:2": "write `from .. import Api`",
    "src/corner_shop_mcp/custom/mine.py:3": (
        "write `from .. import ApiError as TimedOut, BadStatus`"
    ),
    "src/corner_shop_mcp/custom/mine.py:4": ("write `from ..models import Book`"),
    "src/corner_shop_mcp/custom/mine.py:5": "the package offers `Answer`, `Api`, `ApiError`",
    "tests/test_mine.py:1": (
        "write `from corner_shop_mcp import App`;"
        ' `App("corner_shop_mcp")` takes the place of `ToolServer()`'
    ),
    "tests/test_mine.py:2": (
        "write `from corner_shop_mcp import App`;"
        ' `App("corner_shop_mcp")` takes the place of `ToolServer()`'
    ),
}


@pytest.fixture
def old_project(tmp_path: Path) -> Path:
    """A project as version 0.1.0 left it, with code of the user in every place."""
    folder = project(tmp_path)
    lock = read_lock(folder)
    assert lock is not None
    files = {}
    for path in lock.files:
        if "/runtime/" in path or path.endswith("/models.py"):
            (folder / path).unlink()
        else:
            files[path] = (folder / path).read_text()
    root = f"src/{package(folder).name}"
    old = {f"{root}/{name}.py": f'"""The old `{name}`."""\n' for name in FLAT}
    files |= old | {f"{root}/models/books.py": "class Book: ...\n", f"{root}/__init__.py": ""}
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    for path, text in USER_CODE.items():
        (package(folder) / path).write_text(text)
    (folder / "tests" / "test_mine.py").write_text(TEST)
    (folder / "pyproject.toml").write_text(MANIFEST)
    (folder / NAME).write_text(dump(with_files(lock, files)).replace('"0.2.0"', '"0.1.0"'))
    return folder


def places(problems: list[Problem]) -> dict[str, str]:
    """The hint for each `file:line`."""
    hints = {}
    for problem in problems:
        assert problem.place is not None
        hints[f"{problem.place.file}:{problem.place.line}"] = problem.hint
    return hints


def generated(folder: Path) -> list[dict[str, Any]]:
    """The problems of `mcpgen generate`, from its JSON."""
    from mcpgen.cli import app

    result = CliRunner().invoke(app, ["generate", "--output", os.fspath(folder), "--json"])
    assert result.exit_code == 0, result.output
    problems: list[dict[str, Any]] = json.loads(result.stdout)["problems"]
    return problems


def test_generating_moves_a_project_of_0_1_0_and_leaves_the_users_files(old_project: Path) -> None:
    generated(old_project)
    for name in FLAT:
        assert not (package(old_project) / f"{name}.py").exists()
    assert not (package(old_project) / "models").exists()
    assert (package(old_project) / "runtime" / "app.py").is_file()
    for path, text in USER_CODE.items():
        assert (package(old_project) / path).read_text() == text
    assert (old_project / "tests" / "test_mine.py").read_text() == TEST
    assert (old_project / "pyproject.toml").read_text() == MANIFEST


def test_generating_warns_of_each_import_that_must_change(old_project: Path) -> None:
    before, _ = prepared(old_project)
    planned = list(planned_problems(before))
    assert {problem.severity for problem in planned} == {"warning"}
    assert_every_line(places(planned))
    told = [problem for problem in generated(old_project) if problem["code"] == "E1315"]
    assert len(told) == len(planned)


def test_check_fails_on_each_import_that_must_change(old_project: Path) -> None:
    generated(old_project)
    problems = [p for p in check(old_project, Problems()).problems if p.code == "E1315"]
    assert {problem.severity for problem in problems} == {"error"}
    assert_every_line(places(problems))


def assert_every_line(hints: dict[str, str]) -> None:
    assert set(hints) == set(EVERY_LINE)
    for place, hint in EVERY_LINE.items():
        assert hints[place].startswith(hint), place


def test_check_names_missing_dependencies(old_project: Path) -> None:
    generated(old_project)
    problems = check(old_project, Problems()).problems
    (missing,) = [problem for problem in problems if problem.code == "E1320"]
    lines = missing.detail.splitlines()
    assert '    "anyio>=4.9,<5",' in lines
    assert {line.split('"')[1].split(">")[0] for line in lines} == {
        *("anyio", "h11", "opentelemetry-api", "pydantic", "pydantic-core"),
        *("sse-starlette", "starlette", "uvicorn"),
    }


def test_changed_as_told_the_server_starts_and_check_passes(old_project: Path) -> None:
    generated(old_project)
    for path, text in MOVED.items():
        (package(old_project) / path).write_text(text)
    (old_project / "tests" / "test_mine.py").write_text("from corner_shop_mcp import App\n")
    lines = [p.detail for p in check(old_project, Problems()).problems if p.code == "E1320"]
    manifest = MANIFEST.replace("dependencies = [", "dependencies = [\n" + "".join(lines))
    (old_project / "pyproject.toml").write_text(manifest.replace("120", "100"))
    report = check(old_project, Problems())
    assert (report.stale, report.problems) == ((), ())
    names = asyncio.run(listed(old_project))
    assert {"mine", "list_books"} <= names


async def listed(folder: Path) -> set[str]:
    """The tools of the started server, asked through the official client."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    env = {**os.environ, "PYTHONPATH": os.fspath(folder / "src"), "MCPGEN_CORNER_SHOP_KEY": "k"}
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", package(folder).name], env=env
    )
    async with Client(parameters) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize(("line", "code"), [
    ("from ..runtime.results.content import Text", "E1319"),
    ("from .. import runtime", "E1319"),
    ("import corner_shop_mcp.runtime.app", "E1319"),
    ("from corner_shop_mcp.runtime.app import App", "E1319"),
    ("from .. import TooolError", "E1315"),
    ("from ..tools.bocks import list_books", "E1315"),
    ("from ..models import Bock", "E1315"),
])  # fmt: skip
def test_an_import_of_the_inside_or_of_nothing_is_named(
    tmp_path: Path, line: str, code: str
) -> None:
    folder = project(tmp_path)
    (package(folder) / "custom" / "shared.py").write_text(f"{line}\n")
    (problem,) = check(folder, Problems()).problems
    assert (problem.code, problem.severity) == (code, "error")


def test_what_the_package_offers_and_files_of_ones_own_may_be_imported(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (package(folder) / "words.py").write_text("from . import ToolError\n")
    (package(folder) / "custom" / "shared.py").write_text(
        "from __future__ import annotations\n"
        "import corner_shop_mcp\n"
        "from .. import ToolError, models, tools, words\n"
        "from ..models import Book\n"
        "from ..tools import books\n"
        "from ..tools.books import list_books\n"
        "from ..words import ToolError as Again\n"
        "from . import other\n"
        "from corner_shop_mcp import App\n"
        "x = models.Book, tools.books, books.add_book\n"
    )
    (package(folder) / "custom" / "other.py").write_text("")
    assert check(folder, Problems()).problems == ()


def test_the_template_names_what_a_server_without_an_api_needs_too() -> None:
    of_an_api = set(requirements(calls_api=True)) - set(requirements())
    assert {text.partition(">")[0] for text in of_an_api} == {"aiohttp", "httpcore2", "yarl"}
