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


def is_once(path: str) -> bool:
    """Whether the file at `path` is written when it is missing and never touched again."""
    return any(
        path.count("/") == pattern.count("/") and fnmatchcase(path, pattern) for pattern in ONCE
    )
