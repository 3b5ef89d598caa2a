"""The project's own `pyproject.toml`, which was written once and is the user's, against what the
generated code needs today.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from keyword import iskeyword
from pathlib import Path
from typing import Any

from ..load.values import as_object, as_text
from ..paths import FACTS, import_root, repository
from ..problems import Place, Problem, UsageError
from ..render.parts import requirements, runtime_requirements

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
    """Yield the problems of a project's `pyproject.toml`: missing dependencies, commands of another
    package, and a style of black that would format the runtime. `features`: of `render.parts`.
    """
    manifest, lines = _read(folder / NAME)
    yield from missing_dependencies(folder, **features)
    yield from _old_commands(manifest, package, lines)
    if (folder / "src" / package / "runtime").is_dir():
        black = as_object(manifest.get("tool")).get("black")
        if isinstance(black, dict):
            black = {key.replace("_", "-"): value for key, value in black.items()}
            yield from _own_style(black, lines)


def refuse_place(folder: Path | None) -> None:
    """Check the folder of a package inside an app. Raises UsageError without a folder, for a name
    that Python cannot import, and for the name of a module that the server itself imports.
    """
    if folder is None:
        hint = "add `--output src/shop/mcp`, with your package for `shop`"
        raise UsageError.of("E1191", "`--inside` needs the folder of the package", hint)
    package = folder.absolute()
    names = package.relative_to(import_root(package)).parts
    if any([not all(map(str.isidentifier, names)), *map(iskeyword, names)]):
        hint = "choose letters, digits and `_`, as in `src/shop/mcp`"
        raise UsageError.of("E1191", f"Python cannot import a package `{package.name}`", hint)
    taken = {_normalised(each).replace("-", "_") for each in runtime_requirements()}
    if names[0] in taken:
        message = f"`{folder}` would be the module `{names[0]}`, and hide the one it imports"
        hint = "choose a folder in your app's package, or another name"
        raise UsageError.of("E1191", message, hint)


def missing_dependencies(folder: Path, **features: bool) -> Iterator[Problem]:
    """Yield at most one error (E1320) with the dependencies that `pyproject.toml` of a project, or
    of the app around it, lacks; none if that has no list `dependencies`.
    """
    home = _home(folder.resolve()) or folder
    manifest, lines = _read(home / NAME)
    dependencies = as_object(manifest.get("project")).get("dependencies")
    if isinstance(dependencies, list):
        for problem in _missing_dependencies(dependencies, requirements(**features), lines):
            place = replace(problem.place or Place(file=NAME), file=os.path.relpath(home / NAME))
            yield problem if home == folder else replace(problem, place=place)


def _home(package: Path) -> Path | None:
    """Return the nearest folder with a manifest around a package inside an app; else None."""
    if not (package / FACTS).is_file():
        return None
    last = repository(package) or package
    between = package.parents[: len(package.relative_to(last).parts)]
    return next((each for each in between if (each / NAME).is_file()), None)


def _read(file: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the data and lines of a TOML file; both empty if it is missing or unreadable."""
    try:
        text = file.read_text("utf-8-sig")
        return tomllib.loads(text), text.splitlines()
    except (OSError, ValueError):
        return {}, []


def _old_commands(manifest: Mapping[str, Any], package: str, lines: list[str]) -> Iterator[Problem]:
    """Yield an error (E1318) for each command whose module is another package `…_mcp`: the server
    was renamed.
    """
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
    """Yield a warning (E1321) if black has another line length than the runtime's, and does not
    exclude it.
    """
    excluded = "".join(as_text(black.get(key)) for key in EXCLUDING)
    if black.get("line-length", 88) == WIDTH or "runtime" in excluded:
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
    """Return the name of a requirement as package indexes compare names (PEP 503); empty without
    one.
    """
    name = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
    if name is None:
        return ""
    return re.sub(r"[-_.]+", "-", name.group(1)).lower()


def _place(lines: list[str], pattern: str) -> Place:
    """Return the place of the first line that begins with a regular expression; else that of the
    file.
    """
    for number, line in enumerate(lines, 1):
        if re.match(pattern, line):
            return Place(file=NAME, line=number, column=1, excerpt=((number, line),))
    return Place(file=NAME)
