"""`mcpgen check`: is the project up to date? For CI and pre-commit hooks."""

from __future__ import annotations

import json
from pathlib import Path

from .screen import Screen


def check(
    folder: Path = Path(), update: bool = False, as_json: bool = False, quiet: bool = False
) -> int:
    """Check that the project is up to date.

    Ends with 1 when `mcpgen generate` would change a file, or when a customisation, hook or custom
    tool no longer fits the tools. Nothing is written, and no code of yours is run but an app that
    is the source. A document from a URL is read from its copy in `document/`, with `--update` from
    the URL.
    """
    from ..problems import Problems
    from .problem_output import kept, print_problems, problem_data, tell_kept
    from .project_folder import generated_project

    screen = Screen(quiet=quiet, as_json=as_json)
    problems = Problems()
    project = generated_project(folder)
    from ..project.check import check as compare

    with screen.working("checking"):
        report = compare(project, problems, update=update)
    tell_kept(screen, problems, "check")
    found = Problems(items=[*report.problems, *kept(problems)])
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
        again = "mcpgen generate --update" if update else "mcpgen generate"
        hint = f"run `{again}`"
        if any(sentence.endswith("was edited") for sentence in report.stale):
            hint = f"move the edits (`{again}` says where), then run it"
        screen.err.print(
            f"  hint: {hint}; `{again.replace('generate', 'diff')}` shows what changes for callers",
            style="dim",
        )
    elif report.passed:
        screen.remark("up to date")
    return int(not report.passed)
