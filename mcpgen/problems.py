"""The problems of a run, and how mcpgen reports them.

    McpgenError               ends a run; `problems` are the reasons
    ├── DocumentError         exit code 1: the document has errors
    ├── UsageError            exit code 2: the command was given something it cannot use
    ├── RefusedError          exit code 3: refused for safety
    └── OutputConflictError   exit code 4: the output folder holds files not to overwrite

Everything wrong *inside* a readable document is a `Problem`: collected, and reported in the order
of the document; one bad operation (`Unsupported`) never costs the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Self, TypedDict, Unpack

Severity = Literal["error", "warning", "note"]
RANK: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
"""Severities, the worst first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file the author wrote. Line and column count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0
    pointer: str = ""
    excerpt: tuple[tuple[int, str], ...] = ()
    width: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A message for the user, about the document or the run.

    `pointer` is a JSON Pointer into the loaded document; without a `place`, its place is shown.
    `detail` are lines that are shown as they are, below everything else: a difference between two
    files.
    """

    code: str
    severity: Severity
    message: str
    pointer: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    place: Place | None = None
    detail: str = ""


class Circumstances(TypedDict, total=False):
    """The place of a problem, and details that belong to it."""

    pointer: str
    notes: tuple[str, ...]
    place: Place | None
    detail: str


class Details(Circumstances, total=False):
    """The fields of a `Problem` that may be left out."""

    hint: str


class McpgenError(Exception):
    """A run that ends. `exit_code` is the process's; `problems` say why."""

    exit_code = 1

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("\n".join(problem.message for problem in problems))

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        hint: str,
        *,
        file: str = "",
        **circumstances: Unpack[Circumstances],
    ) -> Self:
        """Make the error of a single problem; `file` means a whole file as its place."""
        if file:
            circumstances.setdefault("place", Place(file=file))
        return cls(
            Problem(code=code, severity="error", message=message, hint=hint, **circumstances)
        )


class DocumentError(McpgenError):
    """The document has errors (exit code 1)."""


class UsageError(McpgenError):
    """The command was given something it cannot use (exit code 2)."""

    exit_code = 2


class RefusedError(McpgenError):
    """Refused for safety (exit code 3)."""

    exit_code = 3


class OutputConflictError(McpgenError):
    """The output folder is not ours to write (exit code 4)."""

    exit_code = 4


@dataclass(slots=True)
class Problems:
    """The problems of one run, in the order they were found, without repeats."""

    items: list[Problem] = field(default_factory=list)
    _keys: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, code: str, severity: Severity, message: str, **details: Unpack[Details]) -> None:
        """Collect a problem, unless there is one with its code, message and pointer."""
        problem = Problem(code=code, severity=severity, message=message, **details)
        key = (code, problem.pointer, message)
        if key in self._keys:
            return
        self._keys.add(key)
        self.items.append(problem)

    def error(
        self, code: str, message: str, *, hint: str, **details: Unpack[Circumstances]
    ) -> None:
        """Collect an error."""
        self.add(code, "error", message, hint=hint, **details)

    def warn(self, code: str, message: str, **details: Unpack[Details]) -> None:
        """Collect a warning."""
        self.add(code, "warning", message, **details)

    def note(self, code: str, message: str, **details: Unpack[Details]) -> None:
        """Collect a note."""
        self.add(code, "note", message, **details)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def has_errors(self) -> bool:
        """Whether any problem is an error."""
        return any(problem.severity == "error" for problem in self.items)


class Unsupported(Exception):
    """The operation cannot become a tool. `code` is the problem's code; `pointer` its place, empty
    for the operation itself; `hint` the remedy.
    """

    def __init__(self, code: str, reason: str, pointer: str = "", hint: str = "") -> None:
        self.code, self.reason, self.pointer, self.hint = code, reason, pointer, hint
        super().__init__(reason)
