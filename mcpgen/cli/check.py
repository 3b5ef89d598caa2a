"""`mcpgen check`: is the project what it would be if it were generated now? For CI and pre-commit
hooks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from .screen import Screen

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="[DIR]", help="The project's folder. Default: the project this folder is in."
    ),
]


def check(
    folder: Folder = Path(),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> int:
    """Exit with 1 when the project is not what document, configuration and this version would give.

    Also told: customisations, hooks and custom tools that no longer fit anything. Nothing is
    written and none of your code is run. When nothing changed, nothing is generated, so the check
    is quick enough for a pre-commit hook.
    """
    from ..problems import Problems
    from ..project.check import check as compare
    from ..project.run import here
    from .problem_output import print_problems, problem_data

    screen = Screen(quiet=quiet or as_json)
    problems = Problems()
    project = (here(folder) or folder) if folder == Path() else folder
    with screen.working("checking"):
        report = compare(project, problems)
    found = Problems(items=list(report.problems))
    if as_json:
        data = {
            "passed": report.passed,
            "stale": list(report.stale),
            "problems": problem_data(found, None),
        }
        screen.data(json.dumps(data, indent=2))
        return 0 if report.passed else 1
    print_problems(screen, found, None, "text")
    for sentence in report.stale:
        screen.err.print(f"not up to date: {sentence}")
    if report.stale:
        edited = any(sentence.endswith("was edited") for sentence in report.stale)
        hint = (
            "move the edits (`mcpgen generate` says where), then run it"
            if edited
            else "run `mcpgen generate`"
        )
        screen.err.print(
            f"  hint: {hint}; `mcpgen diff` shows what changes for callers", style="dim"
        )
    elif report.passed:
        screen.remark("up to date")
    return 0 if report.passed else 1
