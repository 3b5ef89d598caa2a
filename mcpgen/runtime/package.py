"""The package of one server: the folder around this runtime, with the tools and the user's code."""

from __future__ import annotations

import importlib
import json
import re
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

_RUNTIME = Path(__file__).parent
_DECORATED = re.compile(rb"^@(\w+\.)*tool\b", re.MULTILINE)


def decorated(package: Path) -> list[Path]:
    """The user's modules in the folder of a package that make tools of functions, by their text:
    every file below `custom/` with `@tool` at the beginning of a line.
    """
    modules = sorted((package / "custom").rglob("*.py"))
    return [path for path in modules if _DECORATED.search(path.read_bytes())]


class StartError(Exception):
    """The server cannot start as it was asked to; the text says what to change."""


@dataclass(frozen=True, slots=True)
class Package:
    """A server's package: its import name (`bookshop_mcp`) and its folder."""

    name: str
    folder: Path

    @classmethod
    def named(cls, name: str) -> Package:
        """The package of that import name. Raises ImportError where there is none."""
        module = sys.modules.get(name) or importlib.import_module(name)
        return cls(name, Path(module.__path__[0]))

    def facts(self) -> dict[str, Any]:
        """Return the facts about the API and the server: the content of `api.json`."""
        return self.json("api.json")

    def json(self, path: str) -> dict[str, Any]:
        """The JSON object in a file of the package; empty where there is no such file."""
        file = self.folder / path
        if not file.is_file():
            return {}
        content: dict[str, Any] = json.loads(file.read_bytes())
        return content

    def has(self, module: str) -> bool:
        """Return whether the package has a module of that name (`hooks`)."""
        return (self.folder / f"{module}.py").is_file()

    def module(self, name: str) -> ModuleType:
        """Import a module of the package (`tools.books`). Raises what its import raises."""
        return importlib.import_module(f"{self.name}.{name}")

    def where(self, error: BaseException, note: str = "") -> dict[str, Any]:
        """Return an error's text, and the file and line of this package it comes from.

        `file` and `line` name the innermost line of the package that is not the runtime's,
        or the innermost one of the runtime; they are missing if the error comes from
        elsewhere.
        """
        reason = f"{type(error).__name__}: {error}"
        fields: dict[str, Any] = {"reason": f"{reason} ({note})" if note else reason}
        if isinstance(error, SyntaxError):
            return fields | {"file": error.filename, "line": error.lineno}
        frame = self._frame(error)
        if frame is not None:
            fields |= {"file": frame.filename, "line": frame.lineno}
        return fields

    def _frame(self, error: BaseException) -> traceback.FrameSummary | None:
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if Path(frame.filename).is_relative_to(self.folder)]
        outside_runtime = [
            frame for frame in inside if not Path(frame.filename).is_relative_to(_RUNTIME)
        ]
        candidates = outside_runtime or inside
        return candidates[-1] if candidates else None
