"""`mcpgen generate`: from a document to a project on disk."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import Format
from .screen import Screen, shown

if TYPE_CHECKING:
    from ..catalogue.summary import Summary
    from ..compare.servers import Diff
    from ..config import Config
    from ..ir import Server, Tool
    from ..lock.model import Lock, MatchedTools
    from ..problems import Problems
    from ..project.run import Run
    from ..write import Changes

SHOWN = 5
"""Problems a run that worked shows; `mcpgen lint` lists them all."""


def generate(
    *,
    output: Path | None = None,
    config: Config,
    strict: bool = False,
    force: bool = False,
    accept_changes: bool = False,
    dry_run: bool = False,
    update: bool = False,
    adopt: bool = False,
    renew: bool = False,
    as_json: bool = False,
    quiet: bool = False,
    output_format: Format = "text",
) -> int:
    """Generate an MCP server, or update one.

    The first run writes a project. Some of its files are yours from then on: `mcpgen.toml`, the
    README, `hooks.py`, `custom/`. The other files are mcpgen's, listed in `mcpgen.lock`. Later runs
    rewrite only mcpgen's files, and only if they were not edited. Without SPEC, the project in this
    folder is generated again, from the copy of its document in `document/` where it came from a URL
    or standard input; `--update` fetches it anew.
    """
    from ..catalogue.summary import summarise
    from ..compare.reports import as_data
    from ..problems import Problems
    from ..project.run import CommandInput, run
    from ..project.save import end_if_empty, save
    from .problem_output import end_if_strict, print_problems, tell_kept

    screen = Screen(quiet=quiet, as_json=as_json)
    problems = Problems()
    with screen.working("starting") as step:
        request = CommandInput(
            config=config, folder=output, update=update, adopt=adopt, keep=not force
        )
        made = run(request, problems, step)
    tell_kept(screen, problems)
    if not as_json:
        print_problems(screen, problems, made.document, output_format, limit=SHOWN)
    end_if_strict(strict, problems)
    end_if_empty(made.server)
    difference = _difference(made)
    with screen.working("writing") as step:
        changes = save(
            made, force=force, accept=accept_changes, adopt=adopt, renew=renew, dry_run=dry_run
        )
    left_to_the_user = list(changes.problems)
    problems.items.extend(left_to_the_user)
    if left_to_the_user and not as_json:
        print_problems(screen, Problems(items=left_to_the_user), None, "text")
    summary = summarise(made.document, made.server)
    if as_json:
        data = _data(made, summary, changes, problems)
        data["changes"] = as_data(difference)["changes"]
        screen.data(json.dumps(data, indent=2))
    elif not quiet:
        _show(screen, made, summary, changes, difference)
    return 4 if changes.conflicts else 0


def _difference(made: Run) -> Diff:
    """Return the changes for callers since the last run; empty without a lock. A stub breaks no
    caller.
    """
    from ..compare.servers import Diff, diff
    from ..compare.sides import side_of_files
    from ..paths import read_plain

    if made.lock is None or not made.lock.files:
        return Diff(())
    if _told(made.lock) == _told(made.facts):
        return Diff(())

    def before(path: str) -> bytes | None:
        content = read_plain(made.folder, path)
        return content if isinstance(content, bytes) else None

    now = replace(made.facts, files=dict.fromkeys(made.files, ""))
    found = diff(side_of_files(made.lock, before), side_of_files(now, made.files.get))
    stubs = _stubs(made) if found.of("breaking") else set()
    kept = [one for one in found.changes if (one.kind, one.tool in stubs) != ("breaking", True)]
    return replace(found, changes=tuple(kept))


def _stubs(made: Run) -> set[str]:
    """Return the tools without a request whose function is still the stub, so no call succeeded
    yet.
    """
    from ..paths import homes

    files = [path for home in homes(made.folder) for path in home.glob("custom/*.py")]
    written = "".join(path.read_text("utf-8", "replace") for path in files)
    names = (tool.name for tool in made.server.tools if tool.request is None)
    return {name for name in names if f"`{name}` is not implemented yet" in written}


def _told(lock: Lock) -> Lock:
    """Return a lock without its facts on files: what it says of the server."""
    return replace(lock, files={}, made={}, once={})


def _data(made: Run, summary: Summary, changes: Changes, problems: Problems) -> dict[str, Any]:
    """Return the summary of a run for `--json`."""
    from .problem_output import problem_data

    return {
        **summary.data(),
        "output": os.fspath(made.folder),
        "dry_run": changes.dry_run,
        "tools_moved": _moved_data(made),
        "files": {
            "created": list(changes.created),
            "updated": list(changes.updated),
            "removed": list(changes.removed),
            "moved": dict(changes.moved),
            "kept": list(changes.kept),
            "unchanged": len(changes.unchanged),
            "conflicts": [conflict.path for conflict in changes.conflicts],
        },
        "problems": problem_data(problems, made.document),
    }


def _moved_data(made: Run) -> dict[str, Any]:
    matched = _matched(made)
    return {
        "added": [tool.name for tool in matched.added],
        "gone": [tool.name for tool in matched.gone],
        "renamed": [{"from": old, "to": new} for old, new in matched.renamed],
    }


def _show(screen: Screen, made: Run, summary: Summary, changes: Changes, difference: Diff) -> None:
    """Print the summary of a run for people."""
    from . import tables

    tables.show_facts(
        screen,
        summary,
        [*_moved(made), ("written", f"{_folder(made.folder)} ({_counts(changes)})")],
    )
    tables.show_toolsets(screen, summary)
    tables.show_skips(screen, summary.server.skips)
    _show_difference(screen, difference)
    _show_conflicts(screen, changes)
    for note in (*changes.notes, *filter(None, [tables.smaller_list(summary)])):
        screen.out.print(f"note: {note}")
        screen.out.print()
    if changes.dry_run:
        for path in _planned(changes):
            screen.out.print(path)
        return
    if changes.created or changes.updated:
        tables.show_environment(screen, summary)
        if made.server.inside:
            _show_needs(screen, made.server)
        tables.show_next(screen, _next(made, first=bool(changes.created)))


def _show_difference(screen: Screen, difference: Diff) -> None:
    """Print the changes for callers as `mcpgen diff` does; nothing without any."""
    from ..compare.reports import as_text

    if not difference.changes:
        return
    screen.out.print("What changes for callers")
    for line in as_text(difference, "mcpgen diff --against HEAD").splitlines():
        screen.out.print(f"  {shown(line)}".rstrip())
    screen.out.print()


def _folder(folder: Path) -> str:
    relative = os.path.relpath(folder)
    return shown(relative if not relative.startswith("..") else os.fspath(folder)) + os.sep


def _moved(made: Run) -> Iterator[tuple[str, str]]:
    """Yield (word, names) for the tools added, gone and renamed since the last run."""
    from ..compare.security import listed

    matched = _matched(made)
    if matched.added:
        yield "added", listed([tool.name for tool in matched.added])
    if matched.gone:
        yield "gone", listed([tool.name for tool in matched.gone])
    if matched.renamed:
        yield "renamed", ", ".join(f"`{old}` to `{new}`" for old, new in matched.renamed)


def _matched(made: Run) -> MatchedTools:
    """Match the tools of the last run with those of this one; without a lock nothing moved."""
    from ..lock.model import match

    return match(made.lock or made.facts, made.facts)


def _counts(changes: Changes) -> str:
    words = ("created", "updated", "removed", "moved", "unchanged", "kept")
    said = ", ".join(f"{len(paths)} {word}" for word in words if (paths := getattr(changes, word)))
    return f"dry run: {said}" if changes.dry_run else said or "nothing"


def _planned(changes: Changes) -> Iterator[str]:
    """Yield a line for each file that a dry run would create, update, remove or move."""
    for word, paths in (
        ("create", changes.created),
        ("update", changes.updated),
        ("remove", changes.removed),
    ):
        yield from (f"  {word}  {path}" for path in paths)
    yield from (f"  move    {old} -> {new}" for old, new in changes.moved)


def _show_conflicts(screen: Screen, changes: Changes) -> None:
    """Print the files in the way, with their differences; only a dry run gets here with some."""
    for conflict in changes.conflicts:
        screen.out.print(f"in the way: {conflict.path} ({conflict.kind})", style="yellow")
        screen.out.print(conflict.diff)


def _easy_call(server: Server) -> str:
    """Return the words of a first call: of a tool that reads, if any, with the fewest required
    arguments; without tools a function's name, or `TOOL`.
    """

    def effort(tool: Tool) -> tuple[bool, bool, int]:
        required = tool.input_schema.get("required", ())
        return (not tool.hints.read_only, tool.hints.destructive, len(required))

    tool = min(server.tools, key=effort, default=None)
    if tool is None:
        return next(iter(server.functions), "TOOL")
    names = tool.input_schema.get("required", ())
    return " ".join([tool.name, *(f"{shlex.quote(name)}=..." for name in names)])


def _next(made: Run, *, first: bool) -> list[tuple[str, str]]:
    """Return (command, purpose) of each next step after a run; `first`: it created files."""
    from ..render.manifests import command

    inside = (
        ""
        if made.folder.resolve() == Path.cwd()
        else f"cd {shlex.quote(_folder(made.folder).rstrip(os.sep))} && "
    )
    steps = [(f"{inside}make test", "check every tool")]
    if made.server.inside:
        steps = list(_next_inside(made, inside, first=first))
    elif first:
        steps = [
            (f"{inside}mcpgen call {_easy_call(made.server)}", "see a call and its answer"),
            ("make test", "check every tool"),
            ("pipx install .", f"install the server, `{command(made.server)}`"),
            ("mcpgen install CLIENT", "enter it into a client's settings"),
            ("mcpgen.toml", "choose, rename and describe tools"),
            ("mcpgen add THING", "a Dockerfile, an entry of the registry, ..."),
        ]
    return steps


def _show_needs(screen: Screen, server: Server) -> None:
    """Print the command `pip install …` for what a package inside an app imports."""
    from ..render.parts import features, requirements

    command = shlex.join(["pip", "install", *requirements(**features(server))])
    screen.out.print("what the app needs besides, in its environment and its dependencies")
    screen.out.print(f"  {command}", soft_wrap=True, highlight=False)
    screen.out.print()


def _next_inside(made: Run, enter: str, *, first: bool) -> Iterator[tuple[str, str]]:
    """Yield (command, purpose) of each next step for a package inside an app; `enter`: `cd FOLDER
    && `.
    """
    from ..live.environment import package_of

    if first:
        yield f"from {package_of(made.folder)} import mount", "then `mount(app)`: MCP at `/mcp`"
        yield f"{enter}mcpgen call {_easy_call(made.server)}", "see a call and its answer"
    yield f"{enter}mcpgen check", "red when an endpoint changes under its tool"
