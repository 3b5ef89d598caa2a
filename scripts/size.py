"""Measure how much there is to own: of mcpgen, of what it generates, and on the way through both.

`python -m scripts.size` prints each figure beside its goal. `tests/test_house.py` holds the limits:
no figure may get worse.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import mcpgen
from mcpgen import Config
from mcpgen.cli.new import new

from . import english
from .density import ROOT, modules, parsed
from .imports import arrows, in_circles

CHECKOUT = ROOT.parent
BOOKSHOP = CHECKOUT / "samples" / "specs" / "bookshop.yaml"
GOALS = {
    "lines of code of mcpgen": 43_500,
    "lines of code of its runtime": 13_200,
    "modules of a copied runtime": 33,
    "lines of a copied runtime": 8_700,
    "modules of src, runtime installed": 12,
    "lines of src, runtime installed": 600,
    "files of a new project": 35,
    "lines of Python of a new project": 4_500,
    "entries at the root of a project": 12,
    "variables in a README": 15,
    "lines of names and sentences": 1_800,
    "lines of projection": 1_300,
    "modules of a run": 110,
    "switches of a run": 1_500,
    "modules of a call": 20,
    "switches of a call": 80,
    "frames of a call": 14,
    "modules in circles of imports": 0,
    "comprehensions in 1,000 lines of parse": 30,
    "docstrings that begin with a question": 0,
    "dense sentences in 1,000": 30,
    "sentences with a word to avoid": 0,
    "class names with several meanings": 8,
    "lines of the changelog of a version": 150,
    "lines of test code": 46_600,
    "kilobytes of the package": 3_200,
}
"""At most. Lines of code are without blank lines, comments and docstrings; other lines are all."""
Figures = dict[str, int | None]
"""Name → today's figure; None for what does not exist yet."""

_NAMES_AND_SENTENCES = tuple(
    (
        "parse/naming parse/lead_in.py parse/describe.py parse/first_sentences.py "
        "parse/repeated.py data/words.toml"
    ).split()
)
_QUESTION = re.compile(r"(What|Where|Who|Whose|Whom|Why|How)\b")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def docstrings(path: Path) -> list[ast.Constant]:
    """Return the texts of a module that stand alone, as docstrings do."""
    found = [node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Expr)]
    return [
        node for node in found if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def code_lines(path: Path) -> int:
    """Count the lines of a module without blank lines, comments and docstrings."""
    code = {
        number
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            code.update(_span(node))  # what looks like a comment in a text is none
    for node in docstrings(path):
        code.difference_update(_span(node))
    return len(code)


def _span(node: ast.expr) -> range:
    """Return the numbers of the lines that a node stands on."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def lines(paths: Iterable[Path]) -> int:
    """Count all lines of some files."""
    return sum(path.read_text("utf-8").count("\n") for path in paths)


def of_source() -> Figures:
    """Measure the checkout."""
    sizes = {path: code_lines(path) for path in modules(ROOT)}
    texts = [str(node.value) for path in sizes for node in docstrings(path)]
    nodes = [node for path in modules(ROOT / "parse") for node in ast.walk(parsed(path))]
    comprehensions = sum(isinstance(node, _COMPREHENSIONS) for node in nodes)
    changelog = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    tests = modules(CHECKOUT / "tests")
    sentences = english.sentences()
    return {
        "lines of code of mcpgen": sum(sizes.values()),
        "lines of code of its runtime": sum(
            size for path, size in sizes.items() if path.is_relative_to(ROOT / "runtime")
        ),
        "lines of names and sentences": sum(
            lines(modules(ROOT / name)) or lines([ROOT / name]) for name in _NAMES_AND_SENTENCES
        ),
        "lines of projection": lines(modules(ROOT / "parse" / "projection")),
        "modules in circles of imports": len(in_circles(arrows(late=True))),
        "comprehensions in 1,000 lines of parse": round(
            1000 * comprehensions / lines(modules(ROOT / "parse"))
        ),
        "docstrings that begin with a question": sum(
            bool(_QUESTION.match(text.strip())) for text in texts
        ),
        "dense sentences in 1,000": round(10 * english.share(sentences)),
        "sentences with a word to avoid": len(english.avoided(sentences)),
        "class names with several meanings": len(_repeated_classes(sizes)),
        "lines of the changelog of a version": changelog.split("\n## ")[1].count("\n"),
        "lines of test code": lines(path for path in tests if "expected" not in path.parts),
        "kilobytes of the package": _kilobytes(ROOT, CHECKOUT / "templates"),
    }


def _kilobytes(*folders: Path) -> int:
    """Return the size of the files below some folders, without what Python compiles."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    sizes = [path.stat().st_size for path in files if path.parent.name != "__pycache__"]
    return round(sum(sizes) / 1000)


def _repeated_classes(paths: Iterable[Path]) -> list[str]:
    """Return the public names that more than one class has."""
    nodes = [node for path in paths for node in ast.walk(parsed(path))]
    counts = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    return [name for name, count in counts.items() if count > 1 and not name.startswith("_")]


def of_bookshop(folder: Path) -> Figures:
    """Generate the bookshop's project in a folder, and measure it."""
    server = mcpgen.generate(BOOKSHOP, folder).server
    runtime = list(modules(folder / "src" / server.package / "runtime"))
    readme = (folder / "README.md").read_text("utf-8")
    return {
        "modules of a copied runtime": len(runtime),
        "lines of a copied runtime": lines(runtime),
        "entries at the root of a project": len(list(folder.iterdir())),
        "variables in a README": len(set(re.findall(rf"{server.env_prefix}_[A-Z_]+", readme))),
    }


def of_installed(folder: Path) -> Figures:
    """Generate the bookshop's project without the runtime in a folder, and measure it."""
    source: list[Path] | None = None
    if "runtime" in {field.name for field in fields(Config)}:
        options: dict[str, Any] = {"runtime": "installed"}
        mcpgen.generate(BOOKSHOP, folder, config=Config(**options))
        source = list(modules(folder / "src"))
    return {
        "modules of src, runtime installed": None if source is None else len(source),
        "lines of src, runtime installed": None if source is None else lines(source),
    }


def of_new(folder: Path) -> Figures:
    """Run `mcpgen new` for a folder, and measure the project."""
    new(str(folder), yes=True, quiet=True)
    return {
        "files of a new project": sum(path.is_file() for path in folder.rglob("*")),
        "lines of Python of a new project": lines(modules(folder)),
    }


def of_walks() -> Figures:
    """Follow a run and a call, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.walk"],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        check=True,
    )
    counts: Figures = json.loads(done.stdout)
    return counts


def figures(folder: Path) -> Figures:
    """Measure everything; what has to be generated is in a folder that is empty before."""
    return {
        **of_source(),
        **of_bookshop(folder / "bookshop"),
        **of_installed(folder / "installed"),
        **of_new(folder / "weather"),
        **of_walks(),
    }


def main() -> None:
    """Print every figure beside its goal."""
    with tempfile.TemporaryDirectory() as folder:
        today = figures(Path(folder))
    print(f"{'':40}{'today':>9}{'at most':>9}")
    for name, goal in GOALS.items():
        figure = today[name]
        print(f"{name:40}{'not yet' if figure is None else f'{figure:,}':>9}{goal:9,}")


if __name__ == "__main__":
    main()
