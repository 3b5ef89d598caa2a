"""`mcpgen diff`: what changes for the model and for callers, tool by tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options as opt
from .screen import Screen

if TYPE_CHECKING:
    from ..compare.servers import Side
    from ..problems import Problems


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
    Literal["text", "json", "markdown"],
    typer.Option(
        "--format", help="`markdown` is made for a comment on a pull request.", case_sensitive=False
    ),
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever changed.")]


def diff(
    sides: Sides = None,
    output_format: FormatOption = "text",
    exit_zero: ExitZero = False,
    quiet: opt.Quiet = False,
) -> int:
    """Show what changes for callers.

    Compares two documents, or a project with its document. The exit code is the gravest class of
    change: 0 none, 10 text only, 11 additive, 12 breaking, 13 must be accepted: another origin,
    base path, method or credential, more destructive tools, or the loss of many tools. `mcpgen
    generate` refuses the last without `--accept-changes`.
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
        difference = differ.diff(old, new)
    if output_format == "json":
        screen.data(json.dumps(differ.as_data(difference), indent=2))
    elif output_format == "markdown":
        screen.data(differ.as_markdown(difference))
    else:
        screen.data(differ.as_text(difference))
    if exit_zero:
        return 0
    return difference.exit_code


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
        config = replace(config, sources=(document,), project=None)
    _, server = pipeline.understand(config, problems, lock=old.lock if old else None)
    return side_of_server(server)
