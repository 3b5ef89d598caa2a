"""Measure how docstrings read: dense sentences, words to avoid, exceptions that do not exist.

`python -m scripts.english [FOLDER ...]` prints the share of dense sentences of each room, then the
findings below the folders named. `tests/test_house.py` holds the limits.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .density import ROOT, modules, parsed

CHECKOUT = ROOT.parent
_POINTING = re.compile(
    r"\b(that|which|what|where|whose|those|it|one|ones|other|others|another|them)\b"
)
_AVOIDED = re.compile(
    r"\b(nobody|somebody|whoever|anybody|so many|stands?|goes on|in place of)\b", re.IGNORECASE
)
_RAISED = re.compile(r"\bRaises? `?(_?[A-Z]\w+)")


class Sentence(NamedTuple):
    """A sentence of a docstring, and the line on which the docstring begins."""

    path: Path
    line: int
    text: str

    def is_dense(self) -> bool:
        """Whether a fifth of the words point at other words (*that*, *it*, *one* …)."""
        return len(_POINTING.findall(self.text)) * 5 >= len(self.text.split()) >= 8


def sentences() -> list[Sentence]:
    """Read the docstrings of mcpgen and of the Python templates."""
    templates = CHECKOUT / "templates"
    paths = [*modules(ROOT), *modules(templates), *sorted(templates.rglob("*.py.jinja"))]
    return [
        Sentence(path, line, sentence)
        for path in paths
        for line, text in _docstrings(path)
        for sentence in re.split(r"(?<=[.;:])\s", " ".join(text.split()))
    ]


def _docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Read the docstrings of a file, with their lines."""
    if path.suffix == ".jinja":
        source = path.read_text("utf-8")
        for match in re.finditer(r'"""(.+?)"""', source, re.DOTALL):
            yield source.count("\n", 0, match.start()) + 1, match[1]
        return
    for node in ast.walk(parsed(path)):
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                yield node.lineno, text


def share(found: Iterable[Sentence]) -> float:
    """Return the percentage of dense sentences among those of eight words or more."""
    measured = [sentence.is_dense() for sentence in found if len(sentence.text.split()) >= 8]
    return 100 * sum(measured) / max(len(measured), 1)


def avoided(found: Iterable[Sentence]) -> list[Sentence]:
    """Return the sentences with a word to avoid."""
    return [sentence for sentence in found if _AVOIDED.search(sentence.text)]


def unknown_exceptions() -> set[str]:
    """Return `path: name` of each exception after `Raises` that no class or import names."""
    nodes = {path: list(ast.walk(parsed(path))) for path in modules(ROOT)}
    ours = {node.name for all_ in nodes.values() for node in all_ if isinstance(node, ast.ClassDef)}
    found = set()
    for path, all_ in nodes.items():
        used = {node.attr for node in all_ if isinstance(node, ast.Attribute)}
        used.update(node.name for node in all_ if isinstance(node, ast.alias))
        for _, text in _docstrings(path):
            named = set(_RAISED.findall(" ".join(text.split())))
            found.update(f"{path}: {name}" for name in named - ours - used - set(dir(builtins)))
    return found


def main() -> None:
    """Print the share of each room, then the findings below the folders named."""
    found = sentences()
    for room in sorted({sentence.path.parent for sentence in found}):
        here = [sentence for sentence in found if sentence.path.parent == room]
        print(f"{share(here):5.1f} %  {room.relative_to(CHECKOUT)}")
    named = tuple(str(Path(name).resolve()) for name in sys.argv[1:])
    for path, line, text in sorted({*filter(Sentence.is_dense, found), *avoided(found)}):
        if named and str(path).startswith(named):
            print(f"{path.relative_to(CHECKOUT)}:{line}: {text}")
    print(f"{share(found):5.1f} % of all, {len(avoided(found))} with a word to avoid")
    print(*sorted(unknown_exceptions()))


if __name__ == "__main__":
    main()
