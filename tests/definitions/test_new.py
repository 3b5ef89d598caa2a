"""`mcpgen new` and `mcpgen add tool`: a project that runs at once, and one more tool in it."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from mcpgen.cli import run

Mcpgen = Callable[..., int]


@pytest.fixture
def mcpgen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mcpgen:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: run([str(word) for word in words])


@pytest.fixture
def demo(mcpgen: Mcpgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, as the current folder."""
    assert mcpgen("new", "demo", "--yes", "--quiet") == 0
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


@pytest.fixture
def shop(mcpgen: Mcpgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of an API, as the current folder."""
    sample = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"
    assert mcpgen("generate", sample, "-o", "shop", "--quiet") == 0
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


def generated_tests(folder: Path, *paths: str) -> str:
    """The last line of the project's own tests."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout
    return done.stdout.splitlines()[-1]


def test_functions_are_scored_and_no_selection_is_proposed_for_them(
    demo: Path, mcpgen: Mcpgen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    assert mcpgen("score", "--json") == 0
    scored = json.loads(capsys.readouterr().out)
    assert [tool["name"] for tool in scored["tools"]] == ["count_words"]
    assert all(change["lines"] == "" for change in scored["changes"])
    assert mcpgen("suggest") == 0
    assert "no operations to choose among" in capsys.readouterr().err
    (demo / "src" / "demo_mcp" / "api.json").write_text("{}")
    assert mcpgen("score") == 2
    assert "cannot be listed" in capsys.readouterr().err


def test_a_wrong_transport_is_asked_for_again(
    mcpgen: Mcpgen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = io.StringIO("for demos\nfoo\nhttp\ny\n")
    monkeypatch.setattr(answers, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", answers)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert mcpgen("new", "demo") == 0
    asked = capsys.readouterr().out
    assert asked.count("Transport (stdio or http)") == 2
    assert "Error: write `stdio` or `http`" in asked


def test_a_new_project_runs_its_tests_and_takes_more_tools(
    mcpgen: Mcpgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mcpgen("new", "demo", "--yes", "--description", "Counts things.") == 0
    folder = tmp_path / "demo"
    assert "passed" in generated_tests(folder)
    readme = (folder / "README.md").read_text()
    assert all(
        word in readme
        for word in ("next three steps", "mcpgen add tool", "mcpgen generate", "make test")
    )
    monkeypatch.chdir(folder)
    assert mcpgen("check") == 0
    words = (
        "--description", "Find a book.", "--argument", "title:string!: Title", "--argument",
        "tags:string[]",
    )  # fmt: skip
    assert mcpgen("add", "tool", "find_book", *words, "--argument", "unit:page|line") == 0
    tools = json.loads((folder / "tools.json").read_text())["tools"]
    title = tools[0]["inputSchema"]["properties"]["title"]
    assert title == {"type": "string", "description": "Title"}
    assert [one["name"] for one in tools] == ["find_book"]
    assert tools[0]["inputSchema"]["required"] == ["title"]
    stub = (folder / "src" / "demo_mcp" / "custom" / "find_book.py").read_text()
    assert "tags: list[str] | None = None" in stub and 'Literal["page", "line"]' in stub
    assert mcpgen("check") == 0 and "passed" in generated_tests(folder)


def test_a_new_project_starts_with_a_tool_in_one_short_file(demo: Path) -> None:
    package = demo / "src" / "demo_mcp"
    assert [*(package / "tools").glob("*.json"), *(package / "custom").glob("*.json")] == []
    assert len((package / "custom" / "count_words.py").read_text().splitlines()) <= 30


def test_a_function_is_added_as_a_tool(mcpgen: Mcpgen, demo: Path) -> None:
    words = [
        *("--description", 'Find a "book".', "--argument", "tags:string[]"),
        *("--argument", 'title:string!: Its "title"', "--argument", "unit:page|line"),
    ]
    assert mcpgen("add", "tool", "find-book", "--python", "--read-only", *words) == 0
    assert json.loads((demo / "tools.json").read_text())["tools"] == []
    tool = listed(demo, "find-book")
    assert tool["description"] == 'Find a "book".' and tool["annotations"]["readOnlyHint"] is True
    assert tool["inputSchema"]["required"] == ["title"]
    properties = tool["inputSchema"]["properties"]
    assert list(properties) == ["title", "tags", "unit"]
    assert properties["unit"]["enum"] == ["page", "line"]
    assert properties["title"]["description"] == 'Its "title"' and mcpgen("check") == 0
    assert "passed" in generated_tests(demo)
    before = sorted(demo.rglob("*.py"))
    assert mcpgen("add", "tool", "find-book", "--python") == 2
    assert mcpgen("add", "tool", "find", "--python", "--argument", "page-size:integer") == 2
    assert mcpgen("add", "tool", "find", *("--argument", "page:integer") * 2) == 2
    assert sorted(demo.rglob("*.py")) == before


def test_the_tests_of_a_project_know_no_setting_and_any_number_of_arguments(
    mcpgen: Mcpgen, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [word for n in range(7) for word in ("--argument", f"number_{n}:integer!")]
    assert mcpgen("add", "tool", "find_book", "--python", *words) == 0
    monkeypatch.setenv("DEMO_MCP_READ_ONLY", "1")  # `find_book` may change data
    monkeypatch.setenv("DEMO_MCP_CALL_RATE", "1/m")
    assert "passed" in generated_tests(demo, "tests/test_served_functions.py")


def test_a_new_function_is_as_clean_as_the_rest(
    mcpgen: Mcpgen, demo: Path, monkeypatch: pytest.MonkeyPatch, mypy_cache: Path
) -> None:
    monkeypatch.setenv("MYPY_CACHE_DIR", str(mypy_cache))
    words = [word for n in range(9) for word in ("--argument", f"number_{n}:integer[]")]
    assert mcpgen("add", "tool", "find_book", "--python", *words, "--argument", "any:object") == 0
    paths = "src/demo_mcp/custom src/demo_mcp/__init__.py"
    for judge in (f"black --check -q {paths}", f"ruff check -q {paths}", "mypy"):
        command = [sys.executable, "-m", *judge.split()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


def examples(path: Path) -> list[str]:
    """The indented parts of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return [dedent(part) for part in re.findall(r"(?m)(?:^ {4}.*\n(?:\n+(?= {4}))?)+", text)]


def test_the_examples_in_the_files_of_the_user_run_and_are_clean(
    mcpgen: Mcpgen, shop: Path, monkeypatch: pytest.MonkeyPatch, mypy_cache: Path
) -> None:
    package = shop / "src" / "bookshop_mcp"
    custom = package / "custom"
    function, contract, module = examples(custom / "__init__.py")
    (custom / "texts.py").write_text(function)
    (custom / "reports.json").write_text(contract)
    (custom / "reports.py").write_text(module)
    hook = examples(package / "hooks.py")[-1].replace("TOOL", "remove_book")
    (package / "hooks.py").write_text(hook)
    assert mcpgen("generate", "--renew", "--quiet") == 0
    assert listed(shop, "repeat") and listed(shop, "find_title")
    monkeypatch.setenv("MYPY_CACHE_DIR", str(mypy_cache))
    paths = "src/bookshop_mcp/custom src/bookshop_mcp/hooks.py"
    for judge in (f"ruff check -q --ignore I001 {paths}", f"mypy --strict {paths}"):
        command = [sys.executable, "-m", *judge.split()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_older_project_is_told_what_functions_need(
    mcpgen: Mcpgen, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = shop / "pyproject.toml"
    manifest.write_text(f"# Mine.\n{manifest.read_text()}")
    assert mcpgen("add", "tool", "count_pages", "--python", "--argument", "title:string!") == 0
    assert '"docstring-parser' in capsys.readouterr().err
    assert (shop / "src/bookshop_mcp/runtime/parts/functions").is_dir()
    needed = 'dependencies = [\n    "docstring-parser>=0.16,<1",\n'
    manifest.write_text(manifest.read_text().replace("dependencies = [\n", needed, 1))
    assert mcpgen("check") == 0


def test_the_source_keeps_its_layout(mcpgen: Mcpgen, demo: Path) -> None:
    source = demo / "tools.json"
    assert mcpgen("add", "tool", "lend_book", "--quiet") == 0
    source.write_text(json.dumps(json.loads(source.read_text()), indent=4) + "\n")
    before = source.read_text().splitlines()
    assert mcpgen("add", "tool", "find_book", "--quiet") == 0
    after = source.read_text().splitlines()
    assert [line for line in before if line not in after] == []


def test_what_cannot_be_a_tool_changes_nothing(mcpgen: Mcpgen, demo: Path) -> None:
    before = (demo / "tools.json").read_bytes()
    wrong = [["print"], ["find book"], ["count_words"]]
    wrong += [["find", "--argument", argument] for argument in ("x:text", ":string")]
    for words in wrong:
        assert mcpgen("add", "tool", *words) == 2, words
        assert (demo / "tools.json").read_bytes() == before, words


def test_a_project_of_an_api_gets_a_list_of_its_own(mcpgen: Mcpgen, shop: Path) -> None:
    assert mcpgen("add", "tool", "count_pages", "--argument", "title:string!", "--quiet") == 0
    source = tomllib.loads((shop / "mcpgen.toml").read_text())["source"]
    assert source["path"][-1] == "tools.json"
    assert (shop / "src" / "bookshop_mcp" / "custom" / "count_pages.py").is_file()
    assert mcpgen("check") == 0 and mcpgen("add", "tool", "count_words", "--quiet") == 0
    assert len(json.loads((shop / "tools.json").read_text())["tools"]) == 2


def test_a_folder_that_is_in_use_is_left_alone(mcpgen: Mcpgen, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "note.txt").write_text("mine")
    assert mcpgen("new", "demo", "--yes") == 2
    assert [path.name for path in (tmp_path / "demo").iterdir()] == ["note.txt"]
    assert mcpgen("new", "--yes") == 2 and mcpgen("new", "123", "--yes") == 2


def test_outside_a_project_nothing_is_added(mcpgen: Mcpgen, tmp_path: Path) -> None:
    assert mcpgen("add", "tool", "find_book") == 2 and list(tmp_path.iterdir()) == []


def test_over_http_the_makefile_says_so(mcpgen: Mcpgen, tmp_path: Path) -> None:
    assert mcpgen("new", "demo", "--yes", "--transport", "http", "--quiet") == 0
    assert "ARGS ?= --http" in (tmp_path / "demo" / "Makefile").read_text()


def listed(project: Path, name: str) -> dict[str, Any]:
    """One tool of a project as clients see it."""
    package = next(project.glob("src/*/api.json")).parent.name
    script = (
        "import json, sys; sys.path.insert(0, 'src')\n"
        f"from {package} import App\n"
        f"print(json.dumps(App('{package}').catalog.listed))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True, timeout=60
    )
    tools: list[dict[str, Any]] = json.loads(done.stdout)
    return next(tool for tool in tools if tool["name"] == name)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_new_tool_is_read_only_only_when_its_author_says_so(
    mcpgen: Mcpgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    words = ["--read-only"] if read_only else []
    assert mcpgen("new", "demo", "--yes", "--quiet") == 0
    folder = tmp_path / "demo"
    monkeypatch.chdir(folder)
    assert mcpgen("add", "tool", "get_book", "--quiet", *words) == 0
    [contract] = json.loads((folder / "tools.json").read_text())["tools"]
    assert contract["annotations"]["readOnlyHint"] is read_only
    hints = listed(folder, "get_book")["annotations"]
    assert (hints["readOnlyHint"], hints["destructiveHint"]) == (read_only, not read_only)


def test_a_contract_is_tightened_for_nobody_until_its_function_is_written(
    mcpgen: Mcpgen, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mcpgen("add", "tool", "get_book", "--argument", "title:string", "--quiet") == 0
    definitions = json.loads((demo / "tools.json").read_text())
    schema = definitions["tools"][0]["inputSchema"]
    for bound in (9, 8):
        schema["properties"]["title"]["maxLength"] = bound
        (demo / "tools.json").write_text(json.dumps(definitions))
        capsys.readouterr()
        assert mcpgen("generate") == 0
        assert ("Breaking (1)" in capsys.readouterr().out) == (bound == 8)
        [stub] = demo.glob("src/*/custom/get_book.py")
        stub.write_text("def get_book(*, title: str | None = None) -> str:\n    return ''\n")


def test_the_first_tool_of_a_new_project_is_one_to_copy(
    mcpgen: Mcpgen, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mcpgen("score", "--json") == 0
    [judged] = json.loads(capsys.readouterr().out)["tools"]
    assert judged["score"] >= 4
    tool = listed(demo, "count_words")
    hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    assert [tool["annotations"][hint] for hint in hints] == [True, False, True, False]
    assert all(each["description"] for each in tool["inputSchema"]["properties"].values())


def test_another_dialect_gets_an_annotation_only_where_it_says_more_than_none(
    mcpgen: Mcpgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = {"name": "find", "description": "Find.", "input_schema": {"type": "object"}}
    (tmp_path / "tools.json").write_text(json.dumps([tool]))
    assert mcpgen("generate", "tools.json", "-o", "demo", "--quiet") == 0
    monkeypatch.chdir(tmp_path / "demo")
    assert mcpgen("add", "tool", "one", "--quiet") == 0
    assert mcpgen("add", "tool", "two", "--quiet", "--read-only") == 0
    _, one, two = json.loads((tmp_path / "tools.json").read_text())
    assert "annotations" not in one and two["annotations"] == {"readOnlyHint": True}


def test_a_new_project_has_no_part_that_it_does_not_use(mcpgen: Mcpgen, tmp_path: Path) -> None:
    assert mcpgen("new", "demo", "--yes") == 0
    folder = tmp_path / "demo"
    files = [f"/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*")]
    parts = (
        "/runtime/client /runtime/parts/search /tools/_index /clients/ /auth.py /http.py /shell.py"
    )
    for part in parts.split():
        assert not [path for path in files if part in path], part
    assert len([path for path in folder.rglob("*") if path.is_file()]) <= 60
    assert not {"--lazy", "--http"} & set(help_of(folder).split())
    configuration = folder / "mcpgen.toml"
    configuration.write_text(f"lazy = true\n{configuration.read_text()}")
    assert mcpgen("generate", "-o", folder, "--quiet") == 0 and "--lazy" in help_of(folder)


def help_of(folder: Path, *words: str) -> str:
    """What the project's server says of its options."""
    command = [sys.executable, "-m", "demo_mcp", *words, "--help"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout


@pytest.mark.parametrize(("name", "package"), [
    ("größe", "grosse_mcp"), ("arm-mcp", "arm_mcp"), ("метео", "meteo_mcp"), ("x" * 300, ""),
])  # fmt: skip
def test_a_package_is_called_like_its_project_where_it_can_be(
    mcpgen: Mcpgen, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, package: str
) -> None:
    assert mcpgen("new", name, "--yes", "--quiet") == (0 if package else 2)
    assert ("error[E1106]" in capsys.readouterr().err) is (package == "")
    assert not package or (tmp_path / name / "src" / package).is_dir()
