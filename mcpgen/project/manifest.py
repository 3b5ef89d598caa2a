"""The project's own `pyproject.toml`, which was written once and is the user's, against what the
generated code needs today.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..load.values import as_object, as_text
from ..problems import Place, Problem
from ..render.parts import requirements

NAME = "pyproject.toml"
WIDTH = 100
"""Columns of a copied runtime."""
EXCLUDING = ("extend-exclude", "exclude", "force-exclude")
"""Keys of black with the paths to skip."""


def package_version(folder: Path) -> str:
    """Return the version of a project's package, `0` where its `pyproject.toml` does not say it."""
    try:
        manifest = tomllib.loads((folder / NAME).read_text("utf-8-sig"))
        return str(manifest["project"]["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return "0"


def manifest_problems(folder: Path, package: str, **features: bool) -> Iterator[Problem]:
    """Yield the dependencies that a project's `pyproject.toml` lacks, and its mentions of an old
    package. `features` are those of `render.parts`.
    """
    manifest, lines = _read(folder)
    yield from missing_dependencies(folder, **features)
    yield from _old_commands(manifest, package, lines)
    if (folder / "src" / package / "runtime").is_dir():
        yield from _own_style(as_object(as_object(manifest.get("tool")).get("black")), lines)


def missing_dependencies(folder: Path, **features: bool) -> Iterator[Problem]:
    """Yield the dependencies that a project's `pyproject.toml` lacks; none if it names none."""
    manifest, lines = _read(folder)
    dependencies = as_object(manifest.get("project")).get("dependencies")
    if isinstance(dependencies, list):
        yield from _missing_dependencies(dependencies, requirements(**features), lines)


def _read(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Read the manifest and its lines; both empty if it is missing or unreadable."""
    try:
        text = (folder / NAME).read_text("utf-8-sig")
        return tomllib.loads(text), text.splitlines()
    except (OSError, ValueError):
        return {}, []


def _old_commands(manifest: Mapping[str, Any], package: str, lines: list[str]) -> Iterator[Problem]:
    """Yield a problem for each command of a missing package: the server was renamed."""
    commands = as_object(as_object(manifest.get("project")).get("scripts"))
    for command, entry_point in commands.items():
        module = as_text(entry_point).partition(":")[0].partition(".")[0]
        if module.endswith("_mcp") and module != package:
            yield Problem(
                code="E1318",
                severity="error",
                message=f"the command `{command}` in `{NAME}` starts `{module}`, which is gone",
                hint=f"the file is yours: say `{package}`",
                place=_place(lines, rf"\"?{re.escape(command)}\"?\s*="),
            )


def _own_style(black: Mapping[str, Any], lines: list[str]) -> Iterator[Problem]:
    """Yield a style of black that the copied runtime does not have, unless black passes over it."""
    excluded = "".join(as_text(black.get(key)) for key in EXCLUDING)
    if black.get("line-length", WIDTH) == WIDTH or "runtime" in excluded:
        return
    keys = [key for key in EXCLUDING if key in black]
    hint = "add what follows below `[tool.black]`"
    if keys:
        hint = f"name `/runtime/` in `{keys[0]}`, too"
    yield Problem(
        code="E1321",
        severity="warning",
        message=f"black in `{NAME}` would format the copied runtime anew, which is {WIDTH} wide",
        hint=hint,
        place=_place(lines, r"\[tool\.black\]"),
        detail="" if keys else 'extend-exclude = "/runtime/"\n',
    )


def _missing_dependencies(
    dependencies: list[Any], needed: list[str], lines: list[str]
) -> Iterator[Problem]:
    present = {_normalised(str(requirement)) for requirement in dependencies}
    missing = [requirement for requirement in needed if _normalised(requirement) not in present]
    if missing:
        names = ", ".join(f"`{_normalised(requirement)}`" for requirement in missing)
        yield Problem(
            code="E1320",
            severity="error",
            message=f"`{NAME}` lacks {names}, which the generated server imports",
            hint="add what follows to `dependencies` under `[project]`",
            place=_place(lines, r"dependencies\s*="),
            detail="".join(f'    "{requirement}",\n' for requirement in missing),
        )


def _normalised(requirement: str) -> str:
    """Return the name of a requirement as package indexes compare names (PEP 503)."""
    name = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
    if name is None:
        return ""
    return re.sub(r"[-_.]+", "-", name.group(1)).lower()


def _place(lines: list[str], pattern: str) -> Place:
    """Return the first line that begins with the pattern."""
    for number, line in enumerate(lines, 1):
        if re.match(pattern, line):
            return Place(file=NAME, line=number, column=1, excerpt=((number, line),))
    return Place(file=NAME)
