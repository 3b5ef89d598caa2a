"""`mcpgen inspect`: the tools a document would become, and its problems. Nothing is generated."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .problem_output import problem_counts
from .screen import Screen, shown

if TYPE_CHECKING:
    from ..catalogue.summary import Summary
    from ..config import Config
    from ..ir import Auth, Tool
    from ..lint.hidden_text import SuspiciousText
    from ..project.run import Run

MOST_OFFENDERS = 5
MOST_LISTED = 12


def inspect(
    *,
    config: Config,
    html: Path | None = None,
    markdown: Path | None = None,
    strict: bool = False,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Show what a document would become.

    Shows the API's address, credentials, tools that delete, sizes, skipped operations and
    suspicious text. `mcpgen lint` lists the document's problems. A project with functions is asked
    for them, as its server lists them. Nothing is written but the files of `--html` and
    `--markdown`, which need no server and load nothing.
    """
    from ..catalogue.pages import MARK
    from ..catalogue.summary import other_origins, summarise
    from ..lint.hidden_text import findings
    from ..problems import Problems
    from ..project.run import request_of, run
    from .output_file import refuse_others, write_file
    from .problem_output import end_if_strict, print_interruption, problem_data, tell_kept

    refuse_others({"--html": html, "--markdown": markdown}, MARK)
    screen = Screen(quiet=quiet, as_json=as_json)
    problems = Problems()
    with screen.working("starting") as step:
        made = run(request_of(config), problems, step, files=False)
        functions = _functions(screen, made)
        texts = _catalogue(made, functions, html, markdown)
    for path, text in texts.items():
        write_file(screen, path, text)
    tell_kept(screen, problems)
    print_interruption(screen, made.folder)
    summary = summarise(made.document, made.server, functions)
    odd = list(findings(made.document.root))
    if as_json:
        data = {
            **summary.data(),
            "credentials": [_credential(auth) for auth in made.server.auth],
            "other_origins": other_origins(made.server),
            "suspicious": list(map(asdict, odd)),
            "problems": problem_data(problems, made.document),
        }
        screen.data(json.dumps(data, indent=2))
    elif not quiet:
        _show(screen, summary, odd)
        _show_problem_count(screen, [problem.severity for problem in problems])
    end_if_strict(strict, problems)
    return 0


def _functions(screen: Screen, made: Run) -> tuple[dict[str, Any], ...]:
    """Return the Tool objects of the user's code; if it cannot be loaded, print the reason and
    return none.
    """
    from ..live.tools import own_tools
    from ..problems import McpgenError

    try:
        return own_tools(made.folder, made.server)
    except McpgenError as error:
        for problem in error.problems:
            screen.remark(f"functions are not counted: {shown(problem.message)}")
        return ()


def _catalogue(
    made: Run, functions: tuple[dict[str, Any], ...], html: Path | None, markdown: Path | None
) -> dict[Path, str]:
    """Return path → text of the catalogue for the paths given."""
    from ..catalogue import pages
    from ..catalogue.model import Catalogue

    forms = {html: pages.html, markdown: pages.markdown}
    return {
        path: write(Catalogue(made.document, made.server, functions))
        for path, write in forms.items()
        if path is not None
    }


def _credential(auth: Auth) -> dict[str, Any]:
    """Return the place and the sources of a credential, for `--json`; no secret."""
    names = ("name", "kind", "place", "wire_name", "variables", "token_url")
    return {name: getattr(auth, name) for name in names}


def _show(screen: Screen, summary: Summary, odd: Sequence[SuspiciousText]) -> None:
    """Print everything for people, the most important first."""
    from ..catalogue.summary import credential_goes, other_origins
    from . import tables

    server = summary.server
    tables.show_facts(screen, summary)
    tables.show_toolsets(screen, summary)
    _show_rows(
        screen,
        "credentials",
        [
            (
                shown(auth.name),
                f"{shown(credential_goes(auth))} ← {', '.join(auth.variables) or 'nothing'}",
            )
            for auth in server.auth
        ],
    )
    _show_rows(
        screen,
        "requests elsewhere",
        [(shown(url), _some(names)) for url, names in other_origins(server).items()],
    )
    destructive = sorted((tool for tool in server.tools if tool.hints.destructive), key=_severity)
    _show_rows(
        screen,
        f"tools that change or delete: {len(destructive):,}",
        [(tool.name, f"{tool.origin.method} {shown(tool.origin.path)}") for tool in destructive],
        cut=True,
    )
    _show_rows(
        screen,
        "largest tools",
        [(shown(name), tables.size(size)) for name, size in summary.largest(MOST_OFFENDERS)],
    )
    tables.show_skips(screen, server.skips, most=MOST_LISTED)
    _show_rows(
        screen,
        "text to look at",
        [(one.what, f"#{shown(one.pointer)}: {shown(one.excerpt)}") for one in odd],
    )
    advice = tables.smaller_list(summary)
    if advice:
        screen.out.print(f"note: {advice}")
        screen.out.print()


def _severity(tool: Tool) -> bool:
    """Return the key for sorting: DELETE first, other tools in the order of the list."""
    return tool.origin.method != "DELETE"


def _show_rows(
    screen: Screen, title: str, rows: Sequence[tuple[str, str]], *, cut: bool = False
) -> None:
    """Print a heading and two columns, cut to `MOST_LISTED` rows; nothing without rows."""
    from . import tables

    if not rows:
        return
    screen.out.print(title, style="bold")
    table = tables.grid(cut=cut)
    for word, text in rows[:MOST_LISTED]:
        table.add_row(word, text)
    screen.out.print(table)
    if len(rows) > MOST_LISTED:
        screen.out.print(
            f"  … and {len(rows) - MOST_LISTED:,} more (`--json` lists all)", style="dim"
        )
    screen.out.print()


def _some(names: list[str]) -> str:
    text = ", ".join(names[:4])
    if len(names) > 4:
        text += f" and {len(names) - 4} more"
    return text


def _show_problem_count(screen: Screen, severities: list[str]) -> None:
    counts = problem_counts(severities)
    if counts:
        screen.out.print(f"problems: {counts}; `mcpgen lint` lists them")
    else:
        screen.out.print("problems: none")
