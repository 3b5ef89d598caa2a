"""Problems on the screen: text on stderr, other forms on stdout."""

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
    """Print problems: as text on stderr, at most `limit`, or in another form on stdout. `--quiet`
    leaves out notes.
    """
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
    """Return the notes (E0129) that copies of URLs were read."""
    return [problem for problem in problems if problem.code == "E0129"]


def print_interruption(screen: Screen, folder: Path | None) -> None:
    """Print that a run in this project was interrupted; nothing if none was, or for None."""
    from ..write import interruption, is_interrupted

    if folder is not None and is_interrupted(folder):
        print_problems(screen, Problems(items=[interruption(folder)]), None, "text")


def problem_data(problems: Problems, document: Document | None) -> list[dict[str, Any]]:
    """Return the problems for `--json`, one entry for each place."""
    from . import report

    found: list[dict[str, Any]] = json.loads(report.render(problems, document, form="json"))[
        "problems"
    ]
    return found


def problem_counts(severities: Iterable[str]) -> str:
    """Return a count by severity, `2 errors, 1 note`; empty without problems."""
    counts = Counter(severities)
    words = []
    for severity in ("error", "warning", "note"):
        count = counts[severity]
        if count:
            words.append(f"{count:,} {severity}{'s' * (count > 1)}")
    return ", ".join(words)


def end_if_strict(strict: bool, problems: Problems) -> None:
    """Raise DocumentError (E0902, exit code 1) if `strict` and a problem is worse than a note."""
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
