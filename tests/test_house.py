"""The house as it is meant to be: rooms, arrows, density, and what a generated package shows."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from scripts import english, size
from scripts.density import GOALS, Density, density, modules
from scripts.imports import arrows, imports, in_circles
from scripts.walk import Walk

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mcpgen"
DISTRIBUTIONS = {
    "docstring_parser": "docstring-parser", "jsonpath": "python-jsonpath", "jwt": "pyjwt",
    "pydantic_monty": "pydantic-monty", "jsonschema_rs": "jsonschema-rs",
    "opentelemetry": "opentelemetry-api", "pydantic_core": "pydantic-core",
    "sse_starlette": "sse-starlette",
}  # fmt: skip
"""Modules whose distribution has another name."""

LIMITS = {
    "lines of code of mcpgen": 50_073,
    "lines of code of its runtime": 15_356,
    "modules of a copied runtime": 38,
    "lines of a copied runtime": 12_195,
    "modules of src, runtime installed": 12,
    "lines of src, runtime installed": 600,
    "files of a new project": 46,
    "lines of Python of a new project": 5_698,
    "entries at the root of a project": 12,
    "variables in a README": 15,
    "lines of names and sentences": 2_389,
    "lines of projection": 2_263,
    "modules of a run": 114,
    "switches of a run": 1_620,
    "modules of a call": 20,
    "switches of a call": 80,
    "frames of a call": 14,
    "kilobytes of the package": 3_441,
    "modules in circles of imports": 0,
    "comprehensions in 1,000 lines of parse": 33,
    "docstrings that begin with a question": 0,
    "dense sentences in 1,000": 30,
    "sentences with a word to avoid": 0,
    "class names with several meanings": 8,
    "lines of the changelog of a version": 150,
    "lines of test code": 55_227,
}
"""No figure may be more: its goal once that is reached, before it at most a twentieth above today's."""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the projects that are measured; the bookshop's is `bookshop`."""
    return tmp_path_factory.mktemp("projects")


@pytest.fixture(scope="module")
def today(projects: Path) -> size.Figures:
    """Today's figures. The projects are generated then."""
    return size.figures(projects)


@pytest.mark.parametrize("name", size.GOALS)
def test_no_figure_gets_worse(today: size.Figures, name: str) -> None:
    figure, most = today[name], LIMITS[name]
    if figure is None:
        pytest.skip("not yet")
    assert figure <= most, f"{name}: {figure:,}, and at most {most:,} are allowed"
    loosest = limit(figure, size.GOALS[name])
    assert most <= loosest, f'it got better: write `"{name}": {loosest:_},` into LIMITS, or less'


def limit(figure: int, goal: int) -> int:
    """Return the most that LIMITS may hold for a figure."""
    return goal if figure <= goal else figure + figure // 20


def test_a_limit_lies_a_twentieth_above_the_figure_until_the_goal_is_reached() -> None:
    assert limit(44_000, 36_000) == 46_200 and limit(166, 110) == 174
    assert limit(35_000, 36_000) == 36_000


def test_lines_of_code_are_without_comments_and_docstrings(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""Text\n\nof a module."""\n\n# Comment\nNAME = """\n\n# a"""\n\nprint(NAME)\n'
    )
    assert size.code_lines(path) == 4


def test_a_walk_counts_the_switches_between_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "walked_first.py").write_text(
        "from walked_second import end\n\ndef start():\n    step()\n    end()\n    step()\n"
        "\ndef step():\n    pass\n"
    )
    (tmp_path / "walked_second.py").write_text("def end():\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    first = importlib.import_module("walked_first")
    with Walk(tmp_path) as walk:
        first.start()
    assert (len(walk.modules), walk.switches, walk.frames) == (2, 2, 2)


def test_a_circle_of_imports_is_noticed() -> None:
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == {"b", "c"}
    assert in_circles({"a": {"b"}, "b": set()}) == set()


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert in_circles(arrows()) == set()


def test_nothing_below_the_commands_imports_them() -> None:
    for name, targets in arrows().items():
        if not name.startswith(("mcpgen.cli", "mcpgen.__main__")):
            assert not [target for target in targets if target.startswith("mcpgen.cli")], name


def test_facts_import_nothing_of_ours() -> None:
    assert {
        name: targets
        for name, targets in arrows().items()
        if name in ("mcpgen.runtime.facts", "mcpgen.runtime.pointer") and targets
    } == {}


def test_at_most_ten_modules_lie_at_the_top() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 10


def declared(key: str = "dependencies") -> set[str]:
    """The distributions that a generated server with an API depends on, or those of an extra."""
    if key == "dependencies":
        block = (PACKAGE / "data" / "requirements.toml").read_text("utf-8")
    else:
        text = (ROOT / "templates" / "pyproject.toml.jinja").read_text("utf-8")
        block = text.partition(f"\n{key} = [")[2].partition("]\n")[0]
    return set(re.findall(r'"([a-z0-9-]+)', block))


def test_the_runtime_imports_itself_and_what_a_server_declares() -> None:
    for path in modules(PACKAGE / "runtime"):
        for name in imports(path):
            top = name.partition(".")[0]
            if name.startswith("mcpgen.runtime") or top in sys.stdlib_module_names:
                continue
            distribution = DISTRIBUTIONS.get(top, top)
            if path.name == "sandbox.py" and distribution in declared("code"):
                continue
            assert distribution in declared(), f"{path}: {name}"


def test_the_code_is_no_denser_than_its_goals() -> None:
    figures = density(modules(PACKAGE))
    for figure, goal in GOALS.items():
        assert getattr(figures, figure) <= goal, f"{figure}: {figures}"


def test_density_counts_decisions(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "def f(a, b, c):\n    if a and b or c:\n        return 1\n    return 2 if a else 3\n"
    )
    expected = Density(lines=4, conditional=250.0, boolean=500.0, complexity=5, long=0)
    assert density([path]) == expected


def test_a_sentence_is_dense_when_a_fifth_of_its_words_point_at_others() -> None:
    dense = "Returns one that only holds it with what it holds."
    plain = "Returns the only field, or the content of an envelope."
    found = [english.Sentence(ROOT, 1, text) for text in (dense, plain, "What it is.")]
    assert [sentence.is_dense() for sentence in found] == [True, False, False]
    assert english.share(found) == 50


def test_exceptions_that_docstrings_promise_exist() -> None:
    assert english.unknown_exceptions() == set()


def test_a_generated_package_fits_on_one_screen(today: size.Figures, projects: Path) -> None:
    package = projects / "bookshop" / "src" / "bookshop_mcp"
    rooms = {path.name for path in package.iterdir()}
    assert len(rooms) <= 10 and {"hooks.py", "auth.py", "custom", "runtime", "tools"} <= rooms


def test_a_server_without_functions_brings_nothing_that_reads_them(
    today: size.Figures, projects: Path
) -> None:
    project = projects / "bookshop"
    package = project / "src" / "bookshop_mcp"
    assert not (package / "runtime" / "parts" / "functions").exists()
    assert "docstring-parser" not in (project / "pyproject.toml").read_text("utf-8")
    assert "import tool" not in (package / "__init__.py").read_text("utf-8")


def test_a_server_without_an_api_brings_no_http_client() -> None:
    config = Config(sources=(str(ROOT / "samples" / "specs" / "tools" / "calculator.json"),))
    files = pipeline.generate(config, Problems())[2]
    assert not [path for path in files if "/runtime/client/" in path or path.endswith("/auth.py")]
    assert "aiohttp" not in files["pyproject.toml"]


def test_what_the_makefile_and_ci_give_to_pytest_is_there() -> None:
    for name in ("Makefile", ".ci/run"):
        text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
        for line in filter(lambda line: "-m pytest" in line, text.splitlines()):
            named = re.findall(r"(?<= )tests/[\w/.]+", line.partition("-m pytest")[2])
            assert [path for path in named if not (ROOT / path).exists()] == []
