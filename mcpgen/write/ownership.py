"""Which generated files are written once and then belong to the user. All others belong to mcpgen.

Paths are relative to the generated project; `*` stands for one name, as the package's folder is
named after the server.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

ONCE: Final = (
    "mcpgen.toml",
    "pyproject.toml",
    "README.md",
    "Dockerfile",
    "Makefile",
    ".dockerignore",
    ".env.example",
    ".gitignore",
    ".mcpbignore",
    ".github/workflows/mcpgen.yml",
    "src/*/custom/*.py",
    "src/*/hooks.py",
    "src/*/auth.py",
)


NO_TEMPLATE: Final = ("mcpgen.toml", "src/*/custom/[!_]*.py")
"""Those that hold nothing but the user's choices and code."""


def is_once(path: str) -> bool:
    """Return whether the file at `path` is written when it is missing and never touched again."""
    return _matches(path, ONCE)


def has_template(path: str) -> bool:
    """Return whether such a file comes from a template, which a later version of mcpgen may
    change.
    """
    return is_once(path) and not _matches(path, NO_TEMPLATE)


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(
        path.count("/") == pattern.count("/") and fnmatchcase(path, pattern) for pattern in patterns
    )
