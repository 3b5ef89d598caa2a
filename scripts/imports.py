"""Read which modules of mcpgen import which, for `scripts.size` and `tests/test_house.py`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .density import ROOT, modules, parsed

Graph = dict[str, set[str]]
"""Module → the modules of mcpgen that it imports."""


def name_of(path: Path) -> str:
    """Return the dotted name of a module or package."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, *, late: bool = False) -> Iterator[str]:
    """Yield the dotted names that a module imports while it is itself imported; with `late` also
    those that it imports in functions and for its type checker.
    """
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    for node in ast.walk(parsed(path)) if late else _at_once(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if _is_module(inner) else base


def _at_once(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that run when a module is imported, except those of TYPE_CHECKING."""
    pending = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, (ast.If, ast.Try)):
            pending += node.body
        yield node


def _is_module(name: str) -> bool:
    """Tell whether a dotted name is a module or package of mcpgen."""
    path = ROOT.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def arrows(*, late: bool = False) -> Graph:
    """Return the graph of imports."""
    names = {name_of(path): path for path in modules(ROOT)}
    return {
        name: names.keys() & set(imports(path, late=late)) - {name} for name, path in names.items()
    }


def in_circles(graph: Graph) -> set[str]:
    """Return the modules that import themselves by way of others."""
    return {name for name in graph if name in _reached(graph, name)}


def _reached(graph: Graph, start: str) -> set[str]:
    """Return what a module imports, directly or by way of others."""
    reached: set[str] = set()
    pending = list(graph[start])
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += graph[name]
    return reached
