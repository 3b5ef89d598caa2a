"""`mcpgen diff`: what changes for the model and for callers, tool by tool."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from .screen import Screen

if TYPE_CHECKING:
    from ..compare.servers import Side
    from ..problems import Problems


class DiffFormat(StrEnum):
    """How a diff is written."""

    text = "text"
    json = "json"
    markdown = "markdown"


Sides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[OLD] [NEW]",
        help=(
            "Documents or projects. With NEW alone, OLD is the project this folder is in; with"
            " neither, NEW is what that project's document says now."
        ),
        show_default=False,
    ),
]
FormatOption = Annotated[
    DiffFormat,
    typer.Option(
        "--format", help="`markdown` is made for a comment on a pull request.", case_sensitive=False
    ),
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever changed.")]


def diff(
    sides: Sides = None,
    output_format: FormatOption = DiffFormat.text,
    exit_zero: ExitZero = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> int:
    """Show what changes between two documents, or between a project and its document.

    The exit code is the gravest class: 0 nothing, 10 text only, 11 additive, 12 breaking, 13 must
    be accepted. `mcpgen generate` refuses the last without `--accept-changes`: another origin, base
    path, method or credential, more destructive tools, or the loss of many tools.
    """
    from ..compare import servers as differ
    from ..problems import Problem, Problems, UsageError
    from ..project.run import here
    from .problem_output import print_interruption

    screen = Screen(quiet=quiet)
    names = list(sides or ())
    if len(names) > 2:
        raise UsageError(
            Problem(
                code="E1317",
                severity="error",
                message=f"two sides can be compared, not {len(names)}",
            )
        )
    problems = Problems()
    print_interruption(screen, here())
    with screen.working("comparing"):
        old, new = _sides(names, problems)
        found = differ.diff(old, new)
    if output_format is DiffFormat.json:
        screen.data(json.dumps(differ.as_data(found), indent=2))
    else:
        screen.data(
            differ.as_markdown(found)
            if output_format is DiffFormat.markdown
            else differ.as_text(found)
        )
    return 0 if exit_zero else found.exit_code


def _sides(names: list[str], problems: Problems) -> tuple[Side, Side]:
    """Both sides. Tools keep their names from the old side to the new."""
    from ..compare.servers import side_of_project
    from ..problems import Problem, UsageError
    from ..project.run import here

    project = here()
    if len(names) == 2:
        old = (
            side_of_project(Path(names[0]))
            if Path(names[0]).is_dir()
            else _side(names[0], project, None, problems)
        )
    elif project is None:
        raise UsageError(
            Problem(
                code="E1310",
                severity="error",
                message="this folder is in no project",
                hint="name both sides: `mcpgen diff OLD NEW`",
            )
        )
    else:
        old = side_of_project(project)
    if names and Path(names[-1]).is_dir():
        return old, side_of_project(Path(names[-1]))
    return old, _side(names[-1] if names else None, project, old, problems)


def _side(document: str | None, project: Path | None, old: Side | None, problems: Problems) -> Side:
    """A document as a server, with the customisations of the project and the names of the old
    side.
    """
    from dataclasses import replace

    from .. import pipeline
    from ..compare.servers import side_of_server
    from ..config import Config
    from ..config.file import read_config
    from ..project.run import named

    config = read_config(project) if project is not None else Config()
    if old is not None:
        config = named(config, old.lock)
    if document is not None:
        config = replace(config, sources=(document,))
    _, server = pipeline.understand(config, problems, lock=old.lock if old else None)
    return side_of_server(server)
