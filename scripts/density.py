"""How dense the code is: decisions in 1,000 lines, complexity of functions, lines that are too long.

`python -m scripts.density [FOLDER ...]` prints a line for each folder below `mcpgen/` and one for
all of it. `tests/test_house.py` holds the whole to `GOALS`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1] / "mcpgen"
WIDTH = 100
GOALS = {"conditional": 12.0, "boolean": 25.0, "complexity": 9, "long": 0}
"""At most: conditional expressions and boolean operators in 1,000 lines, the 95th percentile of the
functions' cyclomatic complexity, and lines over 100 columns.
"""
_BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.IfExp,
    ast.ExceptHandler,
    ast.Assert,
    ast.comprehension,
    ast.match_case,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """The figures of some modules."""

    lines: int
    conditional: float
    boolean: float
    complexity: int
    long: int

    def __str__(self) -> str:
        return (
            f"{self.lines:7,} lines {self.conditional:6.1f} conditional {self.boolean:6.1f} boolean"
            f" {self.complexity:4} complexity {self.long:4} long"
        )


def density(paths: Iterable[Path]) -> Density:
    """The figures of these modules together."""
    lines = conditionals = booleans = long = 0
    complexities: list[int] = []
    for path in paths:
        text = path.read_text("utf-8")
        lines += text.count("\n")
        long += sum(len(line) > WIDTH for line in text.splitlines())
        for node in ast.walk(parsed(path)):
            conditionals += isinstance(node, ast.IfExp)
            booleans += operators(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                complexities.append(complexity(node))
    complexities.sort()
    return Density(
        lines=lines,
        conditional=1000 * conditionals / max(lines, 1),
        boolean=1000 * booleans / max(lines, 1),
        complexity=complexities[int(0.95 * len(complexities))] if complexities else 0,
        long=long,
    )


@cache
def parsed(path: Path) -> ast.Module:
    """Parse a module, once."""
    return ast.parse(path.read_text("utf-8"))


def operators(node: ast.AST) -> int:
    """The `and`s and `or`s of one node."""
    return len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0


def complexity(function: ast.AST) -> int:
    """One more than the decisions of a function (McCabe), those of nested functions included."""
    total = 1
    for node in ast.walk(function):
        total += isinstance(node, _BRANCHES)
        total += operators(node)
        if isinstance(node, ast.comprehension):
            total += len(node.ifs)
    return total


def modules(folder: Path) -> Iterator[Path]:
    """The Python modules below a folder."""
    for path in sorted(folder.rglob("*.py")):
        if "__pycache__" not in path.parts:
            yield path


def main() -> None:
    """Print the figures of the folders named, or of every room of mcpgen and of the whole."""
    folders = [Path(name) for name in sys.argv[1:]]
    if not folders:
        folders = [path.parent for path in sorted(ROOT.glob("*/__init__.py"))] + [ROOT]
    for folder in folders:
        print(f"{folder.name:12} {density(modules(folder))}")
    print(f"{'goals':12} {GOALS}")


if __name__ == "__main__":
    main()
