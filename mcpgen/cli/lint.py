"""`mcpgen lint`: what is wrong with a document, and an overlay with the repairs that can be
known.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from .screen import Screen, shown

if TYPE_CHECKING:
    from ..config import Config
    from ..problems import Problems

Client = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        metavar="NAME",
        help="Also say what this client does not take. Repeatable; `all` for all.",
    ),
]
FixOverlay = Annotated[
    Path | None,
    typer.Option(
        "--fix-overlay",
        metavar="FILE",
        help="Write an OpenAPI Overlay with the repairs that can be known.",
    ),
]


def lint(
    spec: opt.Documents = None,
    overlay: opt.Overlays = None,
    client: Client = None,
    fix_overlay: FixOverlay = None,
    profile: opt.ProfileOption = opt.Profile.portable,
    ref_root: opt.RefRoot = None,
    max_bytes: opt.MaxBytes = None,
    strict: opt.Strict = False,
    quiet: opt.Quiet = False,
    output_format: opt.FormatOption = opt.Format.text,
    debug: opt.Debug = False,
) -> int:
    """Check an API description, without generating anything.

    Ends with 1 when there are errors, with `--strict` also for warnings. The overlay of
    `--fix-overlay` is for its author to read: what only they can know is left to them as a comment.
    """
    from ..lint.clients import check_client
    from ..problems import Problems
    from ..project.run import Request, run
    from .problem_output import print_problems

    screen = Screen(quiet=quiet)
    problems = Problems()
    config = opt.config(spec, overlay, profile=profile, ref_root=ref_root, max_bytes=max_bytes)
    with screen.working("starting") as step:
        made = run(Request(config=config), problems, step, files=False, thorough=True)
    for name in client or ():
        check_client(made.server, name, problems)
    print_problems(screen, problems, made.document, output_format.value, limit=10_000)
    if fix_overlay is not None:
        _write_overlay(screen, config, fix_overlay)
    if output_format is opt.Format.text:
        screen.remark(_conclusion(problems), style="")
    return (
        1
        if problems.has_errors or (strict and any(item.severity == "warning" for item in problems))
        else 0
    )


def _conclusion(problems: Problems) -> str:
    counts = {
        kind: sum(item.severity == kind for item in problems)
        for kind in ("error", "warning", "note")
    }
    said = [
        f"{count:,} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if count
    ]
    return ", ".join(said) + "; `mcpgen explain CODE` says more" if said else "no problems found"


def _write_overlay(screen: Screen, config: Config, path: Path) -> None:
    """Write the repairs; the document is read again, as its author wrote it."""
    from ..lint.repairs import overlay, repairs
    from ..pipeline import open_document
    from ..problems import Problem, Problems, UsageError

    if path.exists():
        raise UsageError(
            Problem(
                code="E0901",
                severity="error",
                message=f"`{path}` exists already",
                hint="name another file, or remove this one: it may hold your own repairs",
            )
        )
    document = open_document(config, Problems())
    found = repairs(document)
    path.write_text(overlay(document), encoding="utf-8", newline="\n")
    known = sum(repair.known for repair in found)
    screen.remark(
        f"{shown(str(path))}: {known:,} repairs to review, {len(found) - known:,} left to you as"
        " comments",
        style="",
    )
