"""The house as it is meant to be: rooms, arrows, density, and what a generated package shows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from scripts.density import GOALS, Density, density, modules

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mcpgen"
DISTRIBUTIONS = {
    "docstring_parser": "docstring-parser",
    "jsonpath": "python-jsonpath",
    "jwt": "pyjwt",
    "pydantic_monty": "pydantic-monty",
    "jsonschema_rs": "jsonschema-rs",
    "opentelemetry": "opentelemetry-api",
    "pydantic_core": "pydantic-core",
    "sse_starlette": "sse-starlette",
}
"""Modules whose distribution has another name."""


def name_of(path: Path) -> str:
    """The dotted name of a module or package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    """What a module imports while it is itself imported, as dotted names."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    pending: list[ast.stmt] = list(ast.parse(path.read_text("utf-8")).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, (ast.If, ast.Try)):
            pending += node.body
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if is_module(inner) else base


def is_module(name: str) -> bool:
    """Whether a dotted name is a module or package of mcpgen."""
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def arrows() -> dict[str, set[str]]:
    """Module → the modules of mcpgen that it imports."""
    names = {name_of(path): path for path in modules(PACKAGE)}
    return {name: names.keys() & set(imports(path)) - {name} for name, path in names.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A circle of imports, or an empty list."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for target in sorted(graph[name]):
            found = visit(target, [*way, name])
            if found:
                return found
        done.add(name)
        return []

    for name in sorted(graph):
        found = visit(name, [])
        if found:
            return found
    return []


def test_a_circle_of_imports_is_noticed() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b"}, "b": set()}) == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle(arrows()) == []


def test_nothing_below_the_commands_imports_them() -> None:
    for name, targets in arrows().items():
        if not name.startswith(("mcpgen.cli", "mcpgen.__main__")):
            assert not [target for target in targets if target.startswith("mcpgen.cli")], name


def test_facts_import_nothing_of_ours() -> None:
    assert {
        name: targets
        for name, targets in arrows().items()
        if name.startswith("mcpgen.runtime.facts") and targets
    } == {}


def test_at_most_ten_modules_lie_at_the_top() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 10


def declared(key: str = "dependencies") -> set[str]:
    """The distributions that a generated server with an API depends on, or those of an extra."""
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


def test_a_generated_package_fits_on_one_screen() -> None:
    config = Config(sources=(str(ROOT / "samples" / "specs" / "bookshop.yaml"),))
    files = pipeline.generate(config, Problems())[2]
    rooms = {path.split("/")[2] for path in files if path.startswith("src/bookshop_mcp/")}
    assert len(rooms) <= 10
    assert {"hooks.py", "auth.py", "custom", "runtime", "tools"} <= rooms


def test_a_server_without_functions_brings_nothing_that_reads_them() -> None:
    config = Config(sources=(str(ROOT / "samples" / "specs" / "bookshop.yaml"),))
    files = pipeline.generate(config, Problems())[2]
    assert not [path for path in files if "/runtime/parts/functions/" in path]
    assert "docstring-parser" not in files["pyproject.toml"]
    assert "import tool" not in files["src/bookshop_mcp/__init__.py"]


def test_a_server_without_an_api_brings_no_http_client() -> None:
    config = Config(sources=(str(ROOT / "samples" / "specs" / "tools" / "calculator.json"),))
    files = pipeline.generate(config, Problems())[2]
    assert not [path for path in files if "/runtime/client/" in path or path.endswith("/auth.py")]
    assert "aiohttp" not in files["pyproject.toml"]
