"""`mcpgen diff`: what changes for the model and for callers, tool by tool."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .screen import Screen

if TYPE_CHECKING:
    from ..compare.sides import Side
    from ..problems import Problems


def diff(
    sides: list[str] | None = None,
    against: str | None = None,
    templates: bool = False,
    update: bool = False,
    output_format: Literal["text", "json", "markdown", "changelog"] = "text",
    exit_zero: bool = False,
    quiet: bool = False,
) -> int:
    """Show what changes for callers.

    Compares two documents, a project with its document, or with `--against` a project with a
    revision of it. A project's document from a URL is read from its copy in `document/`, with
    `--update` from the URL. The exit code is the gravest class of change: 0 none, 10 text only, 11
    additive, 12 breaking, 13 must be accepted: another origin, base path, method or credential,
    more destructive tools, or the loss of many tools. `mcpgen generate` refuses the last without
    `--accept-changes`.
    """
    from ..compare import reports
    from ..compare.servers import diff as compare
    from ..paths import here
    from ..problems import Problems, UsageError
    from .problem_output import print_interruption, tell_kept

    screen = Screen(quiet=quiet)
    names = list(sides or ())
    if templates:
        is_new = _show_templates(screen, names, against)
        return 10 * int(is_new and not exit_zero)
    if len(names) > 2 - bool(against):
        allowed = "one side can be compared with a revision" if against else "two can be compared"
        hint = "`mcpgen diff --help` shows what can be compared"
        raise UsageError.of("E1317", f"{allowed}, not {len(names)}", hint)
    if update and against:
        message = "`--against` compares what is generated, so there is nothing to fetch"
        raise UsageError.of("E1317", message, "leave out `--update`, or `--against`")
    problems = Problems()
    print_interruption(screen, here())
    with screen.working("comparing"):
        old, new = _sides(names, against, problems, update=update)
        difference = compare(old, new)
    tell_kept(screen, problems, "diff")
    if output_format == "json":
        screen.data(json.dumps(reports.as_data(difference), indent=2))
    elif output_format == "markdown":
        screen.data(reports.as_markdown(difference))
    elif output_format == "changelog":
        screen.data(reports.as_changelog(difference, _version(here())))
    else:
        screen.data(reports.as_text(difference))
    if exit_zero:
        return 0
    return difference.exit_code


def _show_templates(screen: Screen, names: list[str], against: str | None) -> bool:
    """Print what is new in the templates; return whether anything is. Raises UsageError for
    names.
    """
    from ..paths import here
    from ..problems import Problems, UsageError
    from ..project.check import template_differences
    from ..write.templates import ADVICE

    if names or against:
        message = "`--templates` compares this project with nothing else"
        raise UsageError.of("E1317", message, "run `mcpgen diff --templates` alone")
    with screen.working("comparing"):
        differences = list(template_differences(_required(here()), Problems()))
    for file, text in differences:
        screen.data(f"{text}{file.path}: {ADVICE[file.state]}\n")
    if not differences:
        screen.remark("no file would be written differently")
    return bool(differences)


def _version(project: Path | None) -> str:
    """Return the version of a project's package, `0` if it has none and for None."""
    from ..project.manifest import package_version

    if project is None:
        return "0"
    return package_version(project)


def _sides(
    names: list[str], against: str | None, problems: Problems, *, update: bool
) -> tuple[Side, Side]:
    """Return the old and new side: revision and project, two names, or project and document. Tools
    keep their old names.
    """
    from ..compare.sides import side_of_project
    from ..paths import here
    from ..project.revision import side_of_revision
    from ..project.sides import side_of_document

    project = here()
    if against is not None:
        new = Path(names[0]) if names else _required(project)
        return side_of_revision(new, against), side_of_project(new)
    if len(names) == 2:
        old = side_of_document(names[0], project, None, problems)
    else:
        old = side_of_project(_required(project))
        old = replace(old, own=old.lock.own)  # what changed in `custom/` since the last run
    new_name = names[-1] if names else None
    return old, side_of_document(new_name, project, old, problems, update=update)


def _required(project: Path | None) -> Path:
    """Return the project around this folder. Raises UsageError (E1310) without a project."""
    from ..problems import UsageError

    if project is None:
        hint = "name both sides: `mcpgen diff OLD NEW`"
        raise UsageError.of("E1310", "this folder is in no project", hint=hint)
    return project
