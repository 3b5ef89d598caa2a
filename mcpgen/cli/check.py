"""`mcpgen check`: is the project up to date? For CI and pre-commit hooks."""

from __future__ import annotations

import json
from pathlib import Path

from .screen import Screen


def check(folder: Path = Path(), as_json: bool = False, quiet: bool = False) -> int:
    """Check that the project is up to date.

    Ends with 1 when `mcpgen generate` would change a file, or when a customisation, hook or custom
    tool no longer fits the tools. Nothing is written and none of your code is run.
    """
    from ..problems import Problems
    from ..project.check import check as compare
    from .problem_output import print_problems, problem_data
    from .project_folder import named_or_here

    screen = Screen(quiet=quiet, as_json=as_json)
    problems = Problems()
    with screen.working("checking"):
        report = compare(named_or_here(folder), problems)
    found = Problems(items=list(report.problems))
    if as_json:
        data = {
            "passed": report.passed,
            "stale": list(report.stale),
            "problems": problem_data(found, None),
        }
        screen.data(json.dumps(data, indent=2))
        return int(not report.passed)
    print_problems(screen, found, None, "text")
    for sentence in report.stale:
        screen.err.print(f"not up to date: {sentence}")
    if report.stale:
        hint = "run `mcpgen generate`"
        if any(sentence.endswith("was edited") for sentence in report.stale):
            hint = "move the edits (`mcpgen generate` says where), then run it"
        screen.err.print(
            f"  hint: {hint}; `mcpgen diff` shows what changes for callers", style="dim"
        )
    elif report.passed:
        screen.remark("up to date")
    return int(not report.passed)
