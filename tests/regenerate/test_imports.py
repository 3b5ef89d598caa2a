"""What user code imports from the generated package, and what it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpgen.problems import Problems
from mcpgen.project.check import check
from mcpgen.render.parts import requirements

from .shop import package, project


@pytest.mark.parametrize(("line", "code", "hint"), [
    (
        "from ..runtime.results.content import Text, hidden",
        "E1319",
        "write `from .. import Text`; the package offers no `hidden`",
    ),
    ("from ..runtime.client import ApiError as Mine", "E1319", "import ApiError as Mine`"),
    ("from .. import runtime", "E1319", "the package offers `Answer`, `Api`, "),
    ("import corner_shop_mcp.runtime.app", "E1319", "did you mean `App`?"),
    ("from corner_shop_mcp.runtime.app import App", "E1319", "`from corner_shop_mcp import App`"),
    ("from ..content import Text", "E1315", "write `from .. import Text`"),
    ("from .. import TooolError", "E1315", "did you mean `ToolError`?"),
    ("from ..tools.bocks import list_books", "E1315", "did you mean `books`?"),
    ("from ..models import Bock", "E1315", "did you mean `Book`?"),
])  # fmt: skip
def test_an_import_of_the_inside_or_of_nothing_is_named(
    tmp_path: Path, line: str, code: str, hint: str
) -> None:
    folder = project(tmp_path)
    (package(folder) / "custom" / "shared.py").write_text(f"{line}\n")
    (problem,) = check(folder, Problems()).problems
    assert (problem.code, problem.severity) == (code, "error")
    assert hint in problem.hint


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


def test_check_names_missing_dependencies(tmp_path: Path) -> None:
    folder = project(tmp_path)
    manifest = folder / "pyproject.toml"
    needed = requirements(calls_api=True)
    gone = [line for line in needed if line.startswith(("anyio", "yarl"))]
    text = manifest.read_text()
    for line in gone:
        text = text.replace(f'    "{line}",\n', "")
    manifest.write_text(text)
    (missing,) = check(folder, Problems()).problems
    assert (missing.code, missing.severity) == ("E1320", "error")
    assert [line.strip(' ",') for line in missing.detail.splitlines()] == gone


def test_the_template_names_what_a_server_without_an_api_needs_too() -> None:
    of_an_api = set(requirements(calls_api=True)) - set(requirements())
    assert {text.partition(">")[0] for text in of_an_api} == {"aiohttp", "httpcore2", "yarl"}
