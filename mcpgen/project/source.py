"""Files of the user's code as syntax trees, and problems that point into them."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection
from pathlib import Path

from ..problems import Place, Problem


def parsed(path: Path) -> ast.Module | Problem | None:
    """The syntax tree of a file, None where there is no file, a Problem where it is not Python."""
    try:
        return ast.parse(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (SyntaxError, ValueError) as error:
        place = Place(file=str(path), line=getattr(error, "lineno", 0) or 0)
        return Problem(
            code="E1312", severity="error", message=f"not readable as Python: {error}", place=place
        )


def problem_at(
    code: str, message: str, folder: Path, path: Path, node: ast.stmt | ast.expr, hint: str = ""
) -> Problem:
    """An error at a node of a file, with the line it is on."""
    lines = path.read_text("utf-8-sig", errors="replace").splitlines()
    line = node.lineno
    excerpt = ((line, lines[line - 1]),) if 0 < line <= len(lines) else ()
    name = relative(folder, path)
    place = Place(file=name, line=line, column=node.col_offset + 1, excerpt=excerpt)
    return Problem(code=code, severity="error", message=message, hint=hint, place=place)


def relative(folder: Path, path: Path) -> str:
    """A path as the user sees it: from the project's folder."""
    return path.relative_to(folder).as_posix()


def near(name: str, names: Collection[str], *, cutoff: float = 0.6) -> str:
    """A question that offers the nearest name; empty where none is near."""
    close = difflib.get_close_matches(name, sorted(names), n=1, cutoff=cutoff)
    if not close:
        return ""
    return f"did you mean `{close[0]}`?"
