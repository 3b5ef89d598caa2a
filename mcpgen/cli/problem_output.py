"""Problems on the screen: as text on stderr, in a form for programs on stdout."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..problems import DocumentError, Problem, Problems
from .screen import Screen, shown

if TYPE_CHECKING:
    from ..load import Document
    from .options import Format


def print_problems(
    screen: Screen, problems: Problems, document: Document | None, form: Format, *, limit: int = 20
) -> None:
    """Print what was found. Notes are left out where only problems are wanted (`--quiet`)."""
    from . import report

    found = [problem for problem in problems if not (screen.quiet and problem.severity == "note")]
    if form != "text":
        screen.data(report.render(found, document, form=form))
    elif found:
        screen.err.print(report.styled(found, document, limit=limit))


def tell_kept(screen: Screen, problems: Problems, command: str = "generate") -> None:
    """Print that copies of URLs were read, with the command that fetches them, and remove these
    notes from `problems`. Does nothing with `--json`.
    """
    if screen.as_json:
        return
    for problem in kept(problems):
        screen.remark(f"{shown(problem.message)}; `mcpgen {command} --update` fetches it")
        problems.items.remove(problem)


def kept(problems: Problems) -> list[Problem]:
    """Return the notes that copies of URLs were read."""
    return [problem for problem in problems if problem.code == "E0129"]


def print_interruption(screen: Screen, folder: Path | None) -> None:
    """Print that a run in this project was interrupted, if so."""
    from ..write import interruption, is_interrupted

    if folder is not None and is_interrupted(folder):
        print_problems(screen, Problems(items=[interruption(folder)]), None, "text")


def problem_data(problems: Problems, document: Document | None) -> list[dict[str, Any]]:
    """Return the problems for the `--json` of a command."""
    from . import report

    found: list[dict[str, Any]] = json.loads(report.render(problems, document, form="json"))[
        "problems"
    ]
    return found


def problem_counts(severities: Iterable[str]) -> str:
    """`2 errors, 1 note`, or an empty string."""
    counts = Counter(severities)
    words = []
    for severity in ("error", "warning", "note"):
        count = counts[severity]
        if count:
            words.append(f"{count:,} {severity}{'s' * (count > 1)}")
    return ", ".join(words)


def end_if_strict(strict: bool, problems: Problems) -> None:
    """Raise DocumentError (exit code 1) under `--strict` when there is anything worse than a
    note.
    """
    counted = [problem for problem in problems if problem.severity != "note"]
    if strict and counted:
        raise DocumentError.of(
            "E0902",
            f"`--strict` allows no problems, and there {_are(len(counted))}; nothing was"
            " written",
            "mend the document, or mend it with an overlay (`mcpgen lint --fix-overlay" " FILE`)",
        )


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count:,}"
