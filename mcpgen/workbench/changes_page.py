"""Changes for callers, and generating again."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..compare.reports import HEADINGS, lines_of
from ..compare.servers import KINDS, Change, Diff, diff
from ..compare.sides import Side, side_of_project, side_of_server
from ..lock import read_lock
from ..paths import is_project
from ..pipeline import understood
from ..problems import Problems, UsageError
from ..project.run import CommandInput, run
from ..project.save import save
from ..project.sides import side_of_document
from ..write import Changes
from .bench import Bench

MOST_PAIRS = 60
"""Tools that are shown as they were beside how they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesView:
    """The comparison as shown. `groups`: class, heading, changes; `pairs`: tool, its JSON before
    and now; `consents`: what must be accepted; `first`: nothing was generated yet.
    """

    groups: tuple[tuple[str, str, tuple[Change, ...]], ...]
    pairs: tuple[tuple[str, str, str], ...]
    consents: tuple[str, ...]
    first: bool


def compared(bench: Bench, document: str = "") -> ChangesView:
    """Return the last generation compared with what would be generated now, or with another
    document. Raises McpgenError if that cannot be read.
    """
    if not _is_generated(bench.folder):
        return ChangesView(groups=(), pairs=(), consents=(), first=True)
    old = side_of_project(bench.folder)
    if document:
        if not Path(document).is_file():
            raise UsageError.of("E0101", f"there is no file `{document}`", "name a file")
        new = side_of_document(document, bench.folder, old, Problems())
    else:
        made = understood(bench.document, bench.config, Problems(), lock=bench.last_lock)
        document, config = made.facts.document, made.facts.config
        if config != old.lock.config:
            document = ""  # edits are told one by one, whoever reads the document
        new = side_of_server(made.server, document, config)
    return _comparison(diff(old, new), old, new)


def _is_generated(folder: Path) -> bool:
    return is_project(folder) and read_lock(folder) is not None


def _comparison(difference: Diff, old: Side, new: Side) -> ChangesView:
    found = ((kind, HEADINGS[kind], tuple(difference.of(kind))) for kind in KINDS)
    groups = tuple(group for group in found if group[2])
    names = dict.fromkeys(change.tool for change in difference.changes if change.tool)
    both = (
        (name, _json(old.tools.get(name)), _json(new.tools.get(name)))
        for name in list(names)[:MOST_PAIRS]
    )
    pairs = tuple(pair for pair in both if pair[1] != pair[2])
    consents = consent_lines(difference)
    return ChangesView(groups=groups, pairs=pairs, consents=consents, first=False)


def _json(tool: Mapping[str, Any] | None) -> str:
    """Return title, description and schemas of a Tool object as JSON; empty for None."""
    if tool is None:
        return ""
    names = ("title", "description", "inputSchema", "outputSchema")
    members = {name: tool.get(name) for name in names}
    return json.dumps(members, indent=2, ensure_ascii=False)


def consent_lines(difference: Diff) -> tuple[str, ...]:
    """Return a line for each change that requires consent; one for the same change of several
    tools.
    """
    return tuple(lines_of(difference.of("security")))


def generate(bench: Bench, accepted: Collection[str], *, rest: bool) -> Changes:
    """Generate the project, as `mcpgen generate` does. Raises RefusedError if a change that needs
    consent is not in `accepted` (lines). `rest`: accept the findings of writing, without such a
    change.
    """
    with bench.lock:
        if not is_project(bench.folder):
            bench.save()
        made = run(CommandInput(folder=bench.folder), Problems())
        consents: tuple[str, ...] = ()
        if _is_generated(bench.folder):
            new = side_of_server(made.server, made.facts.document, made.facts.config)
            difference = diff(side_of_project(bench.folder), new)
            consents = consent_lines(difference)
        is_accepted = set(consents) <= set(accepted) and bool(consents or rest)
        changes = save(made, accept=is_accepted)
        bench.read_again()
        return changes
