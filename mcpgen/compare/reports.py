"""A diff for a terminal, for programs, for a pull request, and as a changelog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import shorten
from typing import Any

from .schemas import Kind
from .security import MOST_NAMES, listed
from .servers import KINDS, Change, Diff

HEADINGS: dict[Kind, str] = {
    "security": "Must be accepted",
    "breaking": "Breaking",
    "additive": "Additive",
    "text": "Text only",
}
LOUD = ("security", "breaking")
SCREEN = 30
"""Changes that fit a terminal of 40 lines with their headings."""
LONGEST_LINE = 160
"""Most characters of a line that summarises similar lines."""
DETAILS = re.compile(r"^in .*? tools:|`[^`]*`|“[^”]*”|\([^)]*\)|[\d\s,~+-]")
"""The parts in which similar lines may differ."""
LONGEST = 60_000
"""Characters of a comment; forges refuse more than 65,536."""
MOST = 20
"""Most changes of a class that a pull request shows unfolded."""
FEW_NAMES = 3
"""Most tools named where one cause affects many and no consent is needed."""
SIGNS = {"added": "+ ", "removed": "- ", "renamed": "~ "}
NO_SIGNS: Mapping[str, str] = {}
"""Markdown would read a sign as a list within the list."""


def as_data(difference: Diff) -> dict[str, Any]:
    """Return the diff as JSON data without its note: class, exit code, counts, every change."""
    changes = []
    for change in difference.changes:
        changes.append(
            {"class": change.kind, "event": change.event, "tool": change.tool, "text": change.text}
        )
    return {
        "class": difference.kind,
        "exit_code": difference.exit_code,
        "counts": {kind: len(difference.of(kind)) for kind in KINDS},
        "changes": changes,
    }


def as_text(difference: Diff, command: str = "mcpgen diff") -> str:
    """Return the diff for a terminal: a heading for each class, a line for each change. If that
    fills more than a screen, similar lines become one, first those of the least grave class, never
    those of `security`.
    """
    if not difference.changes:
        return "nothing changes for callers"
    entries = {kind: lines_of(difference.of(kind), SIGNS) for kind in KINDS}
    shown = dict(entries)
    for kind in ("text", "additive", "breaking"):
        if sum(map(len, shown.values())) > SCREEN:
            shown[kind] = _folded(entries[kind])
    lines = [difference.note, ""] if difference.note else []
    for kind in filter(entries.get, KINDS):
        lines.append(f"{HEADINGS[kind]} ({len(entries[kind])})")
        lines += [f"  {line}" for line in shown[kind]]
        lines.append("")
    lines.append(counts(difference))
    if shown != entries:
        lines[-1] += f"; `{command} --format changelog` lists each"
    return "\n".join(lines)


def _folded(lines: list[str]) -> list[str]:
    """Return the first line of each group that differs only in names, texts and numbers, with the
    number of the others.
    """
    groups: dict[str, list[str]] = {}
    for line in lines:
        groups.setdefault(DETAILS.sub("", line), []).append(line)
    folded = []
    for first, *others in groups.values():
        if others:
            first = shorten(first, LONGEST_LINE, placeholder="…")
            first += f" (and {len(others):,} more like it)"
        folded.append(first)
    return folded


def as_markdown(difference: Diff) -> str:
    """Return the diff as a comment on a pull request in Markdown, cut after `LONGEST`
    characters.
    """
    if not difference.changes:
        return "### MCP tools: nothing changes for callers\n"
    lines = [f"### MCP tools: {counts(difference)}", ""]
    lines += [difference.note, ""] if difference.note else []
    for kind in KINDS:
        changes = difference.of(kind)
        if changes:
            lines += _section(kind, changes)
    text = "\n".join(lines)
    if len(text) > LONGEST:
        cut = text[:LONGEST].rpartition("\n")[0]
        end = "</details>\n\n" * (cut.count("<details>") - cut.count("</details>"))
        text = f"{cut}\n\n{end}… cut here: `mcpgen diff --format changelog` lists every change\n"
    return text


def _section(kind: Kind, changes: list[Change]) -> list[str]:
    lines = [f"- {line}" for line in lines_of(changes)]
    title = f"{HEADINGS[kind]} ({len(lines)})"
    if kind in LOUD:
        title = f"⚠️ {title}"
    if kind == "text" or len(lines) > MOST:
        return [f"<details><summary>{title}</summary>", "", *lines, "", "</details>", ""]
    return [f"**{title}**", "", *lines, ""]


def as_changelog(difference: Diff, version: str) -> str:
    """Return a diff as the entry of a changelog in Markdown, under the version that follows
    `version` (`next_version`). An empty diff keeps the version, and its text says so.
    """
    number = next_version(version, difference.kind)
    lines = [f"## {number}", ""]
    for kind in KINDS:
        changes = difference.of(kind)
        if changes:
            lines += [f"### {HEADINGS[kind]}", "", *(f"* {line}" for line in lines_of(changes)), ""]
    if not difference.changes:
        lines += ["Nothing changes for callers.", ""]
    return "\n".join(lines)


def next_version(version: str, kind: Kind | None) -> str:
    """Return the version that follows a change of a class, by SemVer 2.0.0; for None the same.
    Before 1.0.0 a breaking or security change raises the second number, any other the third (item
    4).
    """
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    major, minor, patch = [*numbers, 0, 0, 0][:3]
    if kind is None:
        return version
    if kind in LOUD and major:
        return f"{major + 1}.0.0"
    if kind in LOUD or (kind == "additive" and major):
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def lines_of(changes: list[Change], signs: Mapping[str, str] = NO_SIGNS) -> list[str]:
    """Return a line for each cause among changes of one class, as one header or one shared type
    often changes many tools. A line on a single tool begins with the sign of its event.
    """
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.event, change.cause or change.text), []).append(change)
    return [_entry(cause, group, signs) for (_, cause), group in groups.items()]


def _entry(cause: str, changes: list[Change], signs: Mapping[str, str]) -> str:
    """Return the line of one change, or of the same change in many tools."""
    if len(changes) == 1:
        return _line(changes[0], signs)
    names = [change.tool for change in changes]
    most = MOST_NAMES if changes[0].kind == "security" else FEW_NAMES
    return f"in {len(names):,} tools: {cause} ({listed(names, most)})"


def _line(change: Change, signs: Mapping[str, str]) -> str:
    sign = signs.get(change.event, "")
    if not change.tool:
        return change.text
    return f"{sign}`{change.tool}` {change.text}"


def counts(difference: Diff) -> str:
    """Return the changes of a non-empty diff per class: `1 breaking, 2 text changes`. One cause
    counts once.
    """
    numbers = {kind: len(lines_of(difference.of(kind))) for kind in KINDS}
    parts = [f"{number:,} {kind}" for kind, number in numbers.items() if number]
    plural = "s" if sum(numbers.values()) > 1 else ""
    return f"{', '.join(parts)} change{plural}"
