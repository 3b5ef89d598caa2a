"""`mcpgen score`: how well tools inform a model, and the first things to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .screen import Screen, shown

if TYPE_CHECKING:
    from ..config import Config
    from ..score import Improvement, Score, ToolList

MOST_WORST = 5


def score(
    *,
    config: Config,
    command: str | None = None,
    url: str | None = None,
    minimum: float | None = None,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Score a list of tools.

    Takes a document, a project, a file of tools (a captured answer to `tools/list`), or a running
    server. Rules judge purpose, distinctness, usage, arguments, output, annotations and size from 1
    to 5; no model is asked, and the same list gives the same score. The changes worth most come
    first, with the lines of `mcpgen.toml` that make them.
    """
    from ..problems import Problems
    from ..score import score_tools
    from ..score.changes import changes
    from ..score.lists import tools_of_config, tools_of_server
    from .problem_output import tell_kept

    problems = Problems()
    screen = Screen(quiet=quiet, as_json=as_json)
    if command is not None:
        listed = tools_of_server(command, remote=False)
    elif url is not None:
        listed = tools_of_server(url, remote=True)
    else:
        listed = tools_of_config(config, problems)
        tell_kept(screen, problems)
    result = score_tools(listed.tools)
    first = changes(result, listed)
    improvements = [change.data() for change in first]
    data = {"name": listed.name, **result.data(), "changes": improvements}
    screen.result(data, lambda: _show(screen, listed, result, first))
    if minimum is None or result.score >= minimum:
        return 0
    screen.err.print(f"the score {result.score:.2f} is below {minimum:g}")
    return 1


def _show(screen: Screen, listed: ToolList, result: Score, first: list[Improvement]) -> None:
    from ..text import plural
    from . import tables

    screen.out.print(
        f"{shown(listed.name)}: {result.score:.2f} of 5 ({plural(len(result.tools), 'tool')}: mean"
        f" {result.mean:.2f}, lowest {result.minimum:.2f}; together {result.coherence:.2f})"
    )
    screen.out.print()
    dimensions = tables.grid()
    for name, value in result.dimensions.items():
        dimensions.add_row(name, f"{value:.2f}")
    screen.out.print(dimensions)
    screen.out.print()
    screen.out.print("lowest", style="bold")
    worst = tables.grid()
    for tool in sorted(result.tools, key=lambda tool: (tool.score, tool.name))[:MOST_WORST]:
        weakest = min(tool.dimensions, key=lambda name: tool.dimensions[name])
        dimension = f"{weakest} {tool.dimensions[weakest]:.1f}"
        worst.add_row(shown(tool.name), f"{tool.score:.2f}", dimension)
    screen.out.print(worst)
    screen.out.print()
    if first:
        screen.out.print("changes worth most", style="bold")
    seen: set[str] = set()
    for number, change in enumerate(first, 1):
        _show_change(screen, number, change, seen)


def _show_change(screen: Screen, number: int, change: Improvement, seen: set[str]) -> None:
    """Print a change with its lines of `mcpgen.toml`, unless `seen` has them; adds them to
    `seen`.
    """
    names = ", ".join(shown(name) for name in change.tools[:3])
    if len(change.tools) > 3:
        names += f" and {len(change.tools) - 3:,} more"
    screen.out.print(f"{number:2}. +{change.gain:.2f}  {names}: {change.advice}")
    if change.lines in seen:
        return
    seen.add(change.lines)
    for line in change.lines.splitlines():
        screen.out.print(f"      {shown(line)}", style="cyan")
