"""What changes for the model and for callers, tool by tool, between two servers or a project and a
server.

Four classes, the gravest first. `security`: what must be accepted. `breaking`: a call that worked
may fail or mean something else. `additive`: what worked goes on working. `text`: words only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import ir
from ..lock import HINTS, Lock, ToolLock, facts, require_lock
from .matching import same
from .names import rename_note
from .schemas import Finding, Kind, compare_inputs, compare_outputs
from .security import Consent, by_text, consents, listed

KINDS: tuple[Kind, ...] = ("security", "breaking", "additive", "text")
EXIT_CODES: dict[Kind | None, int] = {
    None: 0,
    "text": 10,
    "additive": 11,
    "breaking": 12,
    "security": 13,
}
"""The exit code of `mcpgen diff` by the gravest class: apart from 1 to 4, which mean that the run
failed.
"""

HEADINGS: dict[Kind, str] = {
    "security": "Must be accepted",
    "breaking": "Breaking",
    "additive": "Additive",
    "text": "Text only",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: its class, what happened (`added removed renamed changed server`), the tool, a
    phrase.
    """

    kind: Kind
    event: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Diff:
    """Every change, the gravest first, then by tool."""

    changes: tuple[Change, ...]

    @property
    def kind(self) -> Kind | None:
        """The gravest class, or None when nothing changed."""
        return self.changes[0].kind if self.changes else None

    @property
    def exit_code(self) -> int:
        """0 nothing · 10 text only · 11 additive · 12 breaking · 13 must be accepted."""
        return EXIT_CODES[self.kind]

    def of(self, kind: Kind) -> list[Change]:
        """The changes of one class."""
        return [change for change in self.changes if change.kind == kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison: the facts of a lock, and every tool as on the wire, by name."""

    lock: Lock
    tools: Mapping[str, Mapping[str, Any]]
    aliases: Mapping[str, str] = field(default_factory=dict)


def side_of_server(server: ir.Server) -> Side:
    """A server that was just parsed."""
    return Side(
        lock=facts(server),
        tools={
            tool.name: {
                "title": tool.title,
                "description": tool.description,
                "inputSchema": tool.input_schema,
                "outputSchema": tool.output_schema,
            }
            for tool in server.tools
        },
        aliases=dict(server.aliases),
    )


def side_of_project(folder: Path) -> Side:
    """A project as it stands on disk. Raises UsageError when the folder is none."""
    lock = require_lock(folder, "run `mcpgen generate`, or name two documents to compare")
    tools: dict[str, Mapping[str, Any]] = {}
    aliases: dict[str, str] = {}
    for path in lock.files:
        found = _json(folder / path) if path.endswith(".json") else None
        if "/tools/" in path and isinstance(found, list):
            tools |= {
                tool["name"]: tool for tool in found if isinstance(tool, dict) and "name" in tool
            }
        elif path.endswith("/api.json") and isinstance(found, dict):
            aliases = dict(found.get("aliases") or {})
    return Side(lock=lock, tools=tools, aliases=aliases)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def diff(old: Side, new: Side) -> Diff:
    """Everything that changed from one side to the other."""
    changes = [
        Change(
            kind="security",
            event="changed" if consent.tool else "server",
            tool=consent.tool,
            text=consent.text,
        )
        for consent in consents(old.lock, new.lock)
    ]
    if old.lock.name and old.lock.name != new.lock.name:
        text = rename_note(old.lock.name, new.lock.name)
        changes.append(Change(kind="breaking", event="renamed", tool="", text=text))
    before = {(tool.operation, tool.operation_id): tool for tool in old.lock.tools}
    after = {tool.operation: tool for tool in new.lock.tools}
    met = same(before, [(tool.operation, tool.operation_id) for tool in new.lock.tools])
    for pair, tool in before.items():
        if pair in met:
            changes += _tool(tool, after.pop(met[pair]), old, new)
        else:
            changes.append(
                Change(
                    kind="breaking",
                    event="removed",
                    tool=tool.name,
                    text=f"`{tool.operation}` is gone",
                )
            )
    for tool in after.values():
        text = (
            "is new"
            + (" and destructive" if tool.hints.get("destructive") else "")
            + f": `{tool.operation}`"
        )
        changes.append(Change(kind="additive", event="added", tool=tool.name, text=text))
    return Diff(tuple(sorted(changes, key=lambda change: (KINDS.index(change.kind), change.tool))))


def _tool(was: ToolLock, now: ToolLock, old: Side, new: Side) -> Iterable[Change]:
    found: list[Finding] = []
    if was.name != now.name:
        kept = new.aliases.get(was.name) == now.name
        text = f"was called `{was.name}`" + (", which still works" if kept else "")
        yield Change(
            kind="additive" if kept else "breaking", event="renamed", tool=now.name, text=text
        )
    if was.operation_id != now.operation_id and was.operation_id and now.operation_id:
        found.append(
            ("text", f"its operationId is `{now.operation_id}` instead of `{was.operation_id}`")
        )
    if was.path != now.path:
        found.append(("text", f"its path is `{now.path}` instead of `{was.path}`"))
    if was.toolset != now.toolset:
        found.append(("breaking", f"it moved to the toolset `{now.toolset}` from `{was.toolset}`"))
    for name in HINTS:
        graver = (name, now.hints.get(name)) in (("destructive", True), ("read_only", False))
        if (
            was.hints.get(name) != now.hints.get(name) and not graver
        ):  # the graver ones are security changes already
            said = name.replace("_", "-")
            found.append(
                ("breaking", f"it is {'now' if now.hints.get(name) else 'no longer'} {said}")
            )
    found += _contract(old.tools.get(was.name, {}), new.tools.get(now.name, {}))
    for kind, text in found:
        yield Change(kind=kind, event="changed", tool=now.name, text=text)


def _contract(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Finding]:
    """The changes between two Tool objects."""
    found = compare_inputs(old.get("inputSchema") or {}, new.get("inputSchema") or {})
    found += compare_outputs(old.get("outputSchema"), new.get("outputSchema"))
    words = [key for key in ("title", "description") if old.get(key) != new.get(key)]
    if words:
        found.append(("text", f"it has another {' and another '.join(words)}"))
    return found


# Output


def as_data(found: Diff) -> dict[str, Any]:
    """The diff as JSON: the gravest class, counts, and every change."""
    return {
        "class": found.kind,
        "exit_code": found.exit_code,
        "counts": {kind: len(found.of(kind)) for kind in KINDS},
        "changes": [
            {"class": change.kind, "event": change.event, "tool": change.tool, "text": change.text}
            for change in found.changes
        ],
    }


def as_text(found: Diff) -> str:
    """The diff for a terminal: a heading for each class, a line for each change."""
    if not found.changes:
        return "nothing changes for callers"
    lines: list[str] = []
    for kind in KINDS:
        changes = found.of(kind)
        if changes:
            lines += [
                f"{HEADINGS[kind]} ({len(changes)})",
                *(f"  {line}" for line in _lines(changes)),
                "",
            ]
    return "\n".join([*lines, _counts(found)])


def as_markdown(found: Diff, *, longest: int = 60_000) -> str:
    """The diff as a comment on a pull request, at most `longest` characters (forges refuse more
    than 65,536).
    """
    if not found.changes:
        return "### MCP tools: nothing changes for callers\n"
    lines = [f"### MCP tools: {_counts(found)}", ""]
    for kind in KINDS:
        changes = found.of(kind)
        if not changes:
            continue
        folded = kind == "text" or len(changes) > 20
        title = (
            f"{'⚠️ ' if kind in ('security', 'breaking') else ''}{HEADINGS[kind]} ({len(changes)})"
        )
        lines += [f"<details><summary>{title}</summary>", ""] if folded else [f"**{title}**", ""]
        lines += [f"- {line}" for line in _lines(changes)]
        lines += ["", *(["</details>", ""] if folded else [])]
    text = "\n".join(lines)
    if len(text) > longest:
        cut = text[:longest].rpartition("\n")[0]
        text = f"{cut}\n\n… {len(found.changes)} changes in all: run `mcpgen diff` for the rest\n"
    return text


def _lines(changes: list[Change]) -> list[str]:
    """Changes of one class. What must be accepted often is the same for many tools, and is one
    line then.
    """
    if changes[0].kind != "security":
        return [_line(change) for change in changes]
    texts = by_text(Consent(change.tool, change.text) for change in changes)
    return [f"{listed(names)}: {text}" if names else text for text, names in texts.items()]


def _line(change: Change) -> str:
    sign = {"added": "+ ", "removed": "- ", "renamed": "~ "}.get(change.event, "")
    return f"{sign}`{change.tool}` {change.text}"


def _counts(found: Diff) -> str:
    counts = ", ".join(f"{len(found.of(kind))} {kind}" for kind in KINDS if found.of(kind))
    return f"{counts} change{'s' if len(found.changes) > 1 else ''}"
