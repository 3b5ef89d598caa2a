"""The gate for every path that mcpgen reads, writes or removes in a project.

The paths of a plan are the generator's own; those of a lock came with the folder. Both must be
relative, lie inside the folder, and name a file that mcpgen generates. Nothing is ever reached
through a link.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

from .problems import RefusedError

CONFIG: Final = "mcpgen.toml"
"""The file that makes a folder a project."""
FORBIDDEN: Final = frozenset('<>:"\\|?*')
"""Characters that Windows does not allow in the name of a file."""

DOCUMENT: Final = r"document/([\w-][\w.-]*/)*[\w-][\w.-]*"
PACKAGE: Final = (
    r"(?!(?i:custom/|hooks\.py|auth\.py))(\w+/)*"
    r"(\w+\.(py|json|toml)|py\.typed|catalogue\.html|LICENSE)"
)
GENERATED: Final = re.compile(
    rf"""
    (server|manifest)\.json
    | clients/[\w-]+\.(json|toml|yaml)
    | skills/[\w-]+/SKILL\.md
    | tests/\w+\.(py|json)
    | {DOCUMENT}
    | src/\w+/{PACKAGE}
    """,
    re.ASCII | re.VERBOSE,
)
"""Files that mcpgen owns in a project: no hidden file, nothing in the user's own places."""
INSIDE: Final = re.compile(f"{DOCUMENT}|{PACKAGE}", re.ASCII)
"""Those of a project that is a package itself, inside another one."""
FACTS: Final = "api.json"
"""A file that each package of a server has."""
ONCE: Final = tuple(
    (
        "mcpgen.toml pyproject.toml README.md Dockerfile Makefile .dockerignore .env.example "
        ".gitignore .mcpbignore .github/workflows/mcpgen.yml src/*/custom/*.py src/*/hooks.py "
        "src/*/auth.py custom/*.py hooks.py auth.py"
    ).split()
)
"""Files that are written once and then belong to the user. Paths are relative to the project; `*`
means a single name, as the package's folder is named after the server.
"""

NO_TEMPLATE: Final = ("mcpgen.toml", "src/*/custom/[!_]*.py", "custom/[!_]*.py")
"""Those that hold nothing but the user's choices and code."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The reason why a path is unreachable: `path` is a link, or is not what it must be."""

    path: str
    kind: str

    def __str__(self) -> str:
        return f"`{self.path}` is {self.kind}"


@lru_cache(10_000)
def checked(path: str) -> str:
    """Return a path unchanged. Raises ValueError unless the generator may write it: relative, with
    `/`, no `..`, printable ASCII, no spaces, legal on Windows.
    """
    parts = PurePosixPath(path).parts
    problems = (
        not parts,
        path.startswith("/"),
        "/".join(parts) != path,
        any(part in (".", "..") or part.endswith((".", " ")) for part in parts),
        any(not (" " < char <= "~") or char in FORBIDDEN for char in path),
    )
    if any(problems):
        raise ValueError(f"not a path mcpgen writes to: {path!r}")
    return path


def generated(paths: Collection[str]) -> re.Pattern[str]:
    """Return the pattern of all paths that mcpgen owns in a project with these files; a project
    with `api.json` lies inside another package.
    """
    return INSIDE if FACTS in paths else GENERATED


def check_generated(paths: Collection[str]) -> None:
    """Raise ValueError for a path of no file that mcpgen generates: a lock may not name it."""
    pattern = generated(paths)
    for path in paths:
        if pattern.fullmatch(checked(path)) is None:
            raise ValueError(f"not a file mcpgen generates: {path!r}")


def check_paths(paths: Iterable[str]) -> None:
    """Raise ValueError when two paths are one file on a file system that ignores case, or a file is
    also a folder.
    """
    originals: dict[str, str] = {}
    for path in paths:
        other = originals.setdefault(checked(path).casefold(), path)
        if other != path:
            raise ValueError(f"`{other}` and `{path}` are the same file where case is ignored")
    for path in originals.values():
        parent = path
        while parent := parent.rpartition("/")[0]:
            if parent.casefold() in originals:
                raise ValueError(f"`{parent}` would be both a file and a folder")


def obstacle(folder: Path, path: str) -> Obstacle | None:
    """Find an obstacle on the path of a project's file; None if the file, or nothing, is there.

    Looks at the file itself and every folder above it, and follows no link.
    """
    here = str(folder)
    parts = PurePosixPath(path).parts
    for depth, part in enumerate(parts, start=1):
        here = f"{here}/{part}"
        try:
            mode = os.lstat(here).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        name = "/".join(parts[:depth])
        if stat.S_ISLNK(mode):
            return Obstacle(name, "a symbolic link")
        if depth < len(parts) and not stat.S_ISDIR(mode):
            return Obstacle(name, "not a folder")
        if depth == len(parts) and not stat.S_ISREG(mode):
            return Obstacle(name, "not a file")
    return None


def read_all(folder: Path, paths: Iterable[str]) -> dict[str, bytes | Obstacle | None]:
    """Return path → result of `read_plain`. Raises OSError."""
    return {path: read_plain(folder, path) for path in paths}


def read_plain(folder: Path, path: str) -> bytes | Obstacle | None:
    """Return the bytes of a file of the project, None where there is none, an Obstacle for a link,
    or something that is no file, at or above it. Raises OSError.
    """
    blocked = obstacle(folder, path)
    if blocked is not None:
        return blocked
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(folder / path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def is_once(path: str) -> bool:
    """Return whether the file at `path` is the user's once it is written."""
    return _matches(path, ONCE)


def once_among(paths: Iterable[str]) -> set[str]:
    """Return those paths that are the user's once they are written."""
    return {path for path in paths if is_once(path)}


def has_template(path: str) -> bool:
    """Return whether a file is written once from a template (`README.md`, `hooks.py`); `path` is
    relative to the project. False for files of every run, `mcpgen.toml` and modules of `custom/`.
    """
    return is_once(path) and not _matches(path, NO_TEMPLATE)


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(
        path.count("/") == pattern.count("/") and fnmatchcase(path, pattern) for pattern in patterns
    )


def roots(paths: Collection[str]) -> set[str]:
    """Return the folders of packages among files: `src/x/`, and the empty text for a project inside
    another package.
    """
    parts = [path.split("/") for path in paths]
    found = {f"src/{names[1]}/" for names in parts if len(names) > 2 and names[0] == "src"}
    return found | {""} if FACTS in paths else found


def homes(folder: Path) -> list[Path]:
    """Return all entries of a project's `src/`, sorted, packages or not; `[folder]` for a project
    inside another package.
    """
    return [folder] if (folder / FACTS).is_file() else sorted(folder.glob("src/*"))


def import_root(package: Path) -> Path:
    """Return the folder that a package is imported from: the nearest one above without
    `__init__.py`.
    """
    return next(above for above in package.parents if not (above / "__init__.py").is_file())


def repository(folder: Path) -> Path | None:
    """Return the root of the git repository that a folder lies in; None outside one."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def template_root() -> Path:
    """Return the folder of templates: shipped inside the package, else beside it in a checkout."""
    package = Path(__file__).parent
    shipped = package / "templates"
    if shipped.is_dir():
        return shipped
    return package.parent / "templates"


def refuse_devices(folder: Path) -> None:
    """Raise RefusedError for a pipe or a device where a project has a file of the user's, which is
    read to its end.
    """
    paths = [folder / CONFIG, folder / "pyproject.toml"]
    for home in homes(folder):
        paths += [home / "hooks.py", *(home / "custom").rglob("*")]
    for path in paths:
        try:
            kind = stat.S_IFMT(path.stat().st_mode)
        except OSError:
            continue
        if kind not in (stat.S_IFREG, stat.S_IFDIR):
            hint = "put a file in its place, or remove it: reading it may never end"
            raise RefusedError.of("E0104", "not a regular file", hint, file=str(path))


def is_project(folder: Path) -> bool:
    """Return whether a folder holds `mcpgen.toml`."""
    return (folder / CONFIG).is_file()


def here(start: Path = Path()) -> Path | None:
    """Return the nearest folder with a `mcpgen.toml`, from `start` upwards; None without one."""
    folder = start.absolute()
    if is_project(folder):
        return start
    return next(filter(is_project, folder.parents), None)
