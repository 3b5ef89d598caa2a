"""`mcpgen lint`: what is wrong with a document, and an overlay with the repairs that can be
known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .options import Format
from .problem_output import problem_counts
from .screen import Screen, shown

if TYPE_CHECKING:
    from ..config import Config
    from ..problems import Problems

VIOLATIONS = ("E0404", "E0408", "E0602")
"""Codes of what OpenAPI does not allow, and a server can do with."""


def lint(
    *,
    config: Config,
    client: list[str] | None = None,
    fix_overlay: Path | None = None,
    strict: bool = False,
    quiet: bool = False,
    output_format: Format = "text",
) -> int:
    """Check an API description for what a server cannot use. For its style, run Redocly, Spectral
    or vacuum.

    What the OpenAPI version of the document does not allow is an error here.

    Ends with 1 when there are errors; with `--strict`, warnings count as errors. Read the overlay
    of `--fix-overlay` before you use it: comments in it mark what only the API's author can know.
    """
    from ..lint.clients import check_client, without_limits
    from ..live.tools import own_tools
    from ..problems import Problems
    from ..project.run import CommandInput, run
    from .output_file import refuse_others
    from .problem_output import print_problems, tell_kept

    refuse_others({"--fix-overlay": fix_overlay})
    screen = Screen(quiet=quiet)
    problems = Problems()
    with screen.working("starting") as step:
        made = run(CommandInput(config=config, severity="error"), problems, step, files=False)
    problems.items[:] = [
        replace(item, severity="error") if item.code in VIOLATIONS else item for item in problems
    ]
    tell_kept(screen, problems)
    functions = own_tools(made.folder, made.server) if client else ()
    for name in client or ():
        check_client(made.server, name, problems, functions)
    print_problems(screen, problems, made.document, output_format, limit=10_000)
    if fix_overlay is not None:
        _write_overlay(screen, config, fix_overlay)
    if output_format == "text":
        screen.remark(_conclusion(problems), style="")
        for title in without_limits(client or ()):
            screen.remark(f"no limit of {title} is known", style="")
    has_warnings = any(problem.severity == "warning" for problem in problems)
    return int(problems.has_errors or (strict and has_warnings))


def _conclusion(problems: Problems) -> str:
    counts = problem_counts(problem.severity for problem in problems)
    if not counts:
        return "no problems found"
    return f"{counts}; `mcpgen explain CODE` says more"


def _write_overlay(screen: Screen, config: Config, path: Path) -> None:
    """Write the repairs of a document, read again as its author wrote it; none is written without
    one.
    """
    from ..lint.repairs import overlay, repairs
    from ..pipeline import open_document
    from ..problems import Problems
    from ..text import plural

    document = open_document(config, Problems())
    actions = repairs(document)
    known = sum(repair.known for repair in actions)
    text = overlay(document, actions)
    if not text:
        message = f"{shown(str(path))} is not written: no repair follows from the document"
        if actions:
            message += f", and {len(actions):,} need what only its author knows"
        screen.remark(message, style="")
        return
    path.write_text(text, encoding="utf-8", newline="\n")
    screen.remark(
        f"{shown(str(path))}: {plural(known, 'repair')} to review, {len(actions) - known:,} left to"
        " you as comments",
        style="",
    )
