"""Changes for the model and for callers, tool by tool, between two servers.

Four classes, the gravest first. `security`: requires consent. `breaking`: a call that worked may
fail or mean something else, or an answer promises less. `additive`: every call that worked still
works. `text`: words only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..ir import Schema
from ..load.values import as_object, as_text
from ..lock import HINTS, Lock, ToolLock
from ..lock.model import match, shape, successors
from .answers import compare_outputs
from .names import rename_note
from .schemas import Finding, Kind, compare_inputs, reworded
from .security import consents, is_judged_anew, is_read_anew
from .sides import Side

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
NAMES = re.compile(
    r"`[^`.\[]+` is (gone|required now|new)|the default of .* is (?!nothing )"
    r"|it moved to|it is (now|no longer) "
)
"""The changes that callers notice though the API is the same: names, defaults and hints."""
READ_ANEW = "its texts, arguments or answers are listed in another way"
"""Every other change of a tool by another version of mcpgen: requests and answers of the API stay
the same.
"""
CHANGED = {True: "now", False: "no longer"}
SAFER = {"idempotent": True, "open_world": False}
"""Hint → the value with which a client has less to fear from a call. Of a tool that is read-only or
no longer destructive a client may not ask again, which is for a person to see.
"""
DEPRECATED = "Deprecated."
"""The sentence in the description of a tool whose operation is deprecated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change. `event`: `added`, `removed`, `renamed`, `changed` or `server`; `text`: a phrase on
    the tool (empty: the server); `cause`: the phrase as it is true of every tool with the same
    change.
    """

    kind: Kind
    event: str
    tool: str
    text: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Diff:
    """Every change, the gravest first, then by tool."""

    changes: tuple[Change, ...]
    note: str = ""
    """A sentence on all of them."""

    @property
    def kind(self) -> Kind | None:
        """The gravest class, or None when nothing changed."""
        if not self.changes:
            return None
        return self.changes[0].kind

    @property
    def exit_code(self) -> int:
        """0 nothing · 10 text only · 11 additive · 12 breaking · 13 must be accepted."""
        return EXIT_CODES[self.kind]

    def of(self, kind: Kind) -> list[Change]:
        """Return the changes of one class."""
        return [change for change in self.changes if change.kind == kind]


def diff(old: Side, new: Side) -> Diff:
    """Return all changes between two sides, the gravest first, then by tool."""
    changes = [*_of_server(old.lock, new.lock)]
    matched = match(old.lock, new.lock)
    old, new = _served(old, new)
    changes += _of_own_tools(old, new, {now.name for _, now in matched.kept})
    for was, now in matched.kept:
        changes += _tool(was, now, old, new)
    new_tools = {tool.operation: tool for tool in matched.added}
    found = successors([tool.operation for tool in matched.gone], new_tools)
    for tool in matched.gone:
        successor = new_tools.get(found.get(tool.operation, ""))
        text = f"`{tool.operation}` is gone{_proposed(tool, successor)}"
        changes.append(Change(kind="breaking", event="removed", tool=tool.name, text=text))
    for tool in matched.added:
        text = f"is new: `{tool.operation}`"
        if tool.hints.get("destructive"):
            text = f"is new and destructive: `{tool.operation}`"
        changes.append(Change(kind="additive", event="added", tool=tool.name, text=text))
    note = ""
    if is_read_anew(old.lock, new.lock):
        note = f"The document is the same; mcpgen {new.lock.generator} reads it in place of"
        note += f" {old.lock.generator}."
    ranked = sorted(changes, key=lambda change: (KINDS.index(change.kind), change.tool))
    return Diff(tuple(ranked), note)


def _of_server(old: Lock, new: Lock) -> Iterator[Change]:
    """Yield the changes of server and tools that require consent, and a change of name."""
    for consent in consents(old, new):
        event = "changed"
        if not consent.tool:
            event = "server"
        yield Change(kind="security", event=event, tool=consent.tool, text=consent.text)
    text = rename_note(old, new) * bool(old.name)
    if text:
        yield Change(kind="breaking", event="renamed", tool="", text=text)


def _served(*sides: Side) -> tuple[Side, ...]:
    """Return the sides with the tools of the user's code as they are served; if a side does not
    know them, both without.
    """
    if None in [side.own for side in sides]:
        return tuple(replace(side, own=None) for side in sides)
    return tuple(side.served() for side in sides)


def _of_own_tools(old: Side, new: Side, compared: Collection[str]) -> Iterator[Change]:
    """Yield the changes of tools made by the user's code. Of those in `compared` only hints: their
    contracts are compared as generated tools.
    """
    for name in sorted({*as_object(old.own), *as_object(new.own)}):
        before, after = old.tools.get(name), new.tools.get(name)
        if before is None:
            yield Change(kind="additive", event="added", tool=name, text="is new in `custom/`")
            continue
        if after is None:
            text = "is gone from `custom/`"
            yield Change(kind="breaking", event="removed", tool=name, text=text)
            continue
        findings = [*_own_hints(before, after)]
        if name not in compared:
            findings += _contract(before, after, None, None)
            findings += compare_outputs(before.get("outputSchema"), after.get("outputSchema"))
        for kind, text in findings:
            yield Change(kind=kind, event="changed", tool=name, text=text)


def _own_hints(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the hints that differ between two Tool objects."""
    from ..project.own_tools import HINTS  # late: most projects have no such tool

    hints = [as_object(tool.get("annotations")) for tool in (old, new)]
    for option, (hint, default) in HINTS.items():
        before, after = (given.get(hint, default) for given in hints)
        if before != after:
            yield _hint(option, after)


def _proposed(gone: ToolLock, successor: ToolLock | None) -> str:
    """Return a proposal to keep the name of an operation that is gone; empty without a
    successor.
    """
    if successor is None:
        return ""
    key = successor.operation_id or successor.operation
    return (
        f"; `{successor.operation}` (`{successor.name}`) has its shape: to keep the name, add"
        f' `name = "{gone.name}"` to `mcpgen.toml` under `[tools."{key}"]`'
    )


def _shape(tool: ToolLock) -> tuple[str, str]:
    """Return the method, and the path without versions and names of parameters."""
    return tool.method, shape(tool.path)


def _tool(was: ToolLock, now: ToolLock, old: Side, new: Side) -> Iterator[Change]:
    if was.name != now.name:
        yield _renamed(was, now, new)
    before, after = old.tools.get(was.name, {}), new.tools.get(now.name, {})
    is_same = is_read_anew(old.lock, new.lock)
    causes: dict[str, str] = {}
    findings = [
        *_operation(was, now),
        *_hints(was, now, judged_anew=is_judged_anew(old.lock, new.lock)),
        *_contract(before, after, old.wholes.get(was.name), new.wholes.get(now.name)),
        *_answers(before, after, old.answers.get(was.name), new.answers.get(now.name), causes),
    ]
    if is_same:
        named = [finding for finding in findings if NAMES.match(finding[1])]
        others: list[Finding] = [("text", READ_ANEW)]
        findings = named + others * (len(named) < len(findings))
    for kind, text in findings:
        cause = causes.get(text, text)
        yield Change(kind=kind, event="changed", tool=now.name, text=text, cause=cause)


def _renamed(was: ToolLock, now: ToolLock, new: Side) -> Change:
    if new.aliases.get(was.name) == now.name:
        text = f"was called `{was.name}`, which still works"
        return Change(kind="additive", event="renamed", tool=now.name, text=text)
    return Change(kind="breaking", event="renamed", tool=now.name, text=f"was called `{was.name}`")


def _operation(was: ToolLock, now: ToolLock) -> Iterator[Finding]:
    ids = (was.operation_id, now.operation_id)
    if all(ids) and ids[0] != ids[1]:
        yield "text", f"its operationId is `{ids[1]}` instead of `{ids[0]}`"
    if was.path != now.path:
        yield _moved(was, now)
    if was.toolset != now.toolset:
        yield "breaking", f"it moved to the toolset `{now.toolset}` from `{was.toolset}`"


def _moved(was: ToolLock, now: ToolLock) -> Finding:
    """Return the change of a path: `text` if only a version or names of parameters differ, else
    `breaking`, as the tool calls something else.
    """
    if _shape(was) == _shape(now):
        return "text", f"its path is `{now.path}` instead of `{was.path}`"
    return "breaking", f"it now calls `{now.operation}` instead of `{was.operation}`"


def _hints(was: ToolLock, now: ToolLock, *, judged_anew: bool) -> Iterator[Finding]:
    """Yield the changed hints, except hints that must be accepted (see `security`). `judged_anew`:
    a change is `text`, as mcpgen judges the same call differently.
    """
    for name in HINTS:
        value = now.hints.get(name)
        if was.hints.get(name) == value:
            continue
        kind, text = _hint(name, value)
        if judged_anew:
            yield "text", f"{text}, as mcpgen judges it"
        elif (name, value) not in (("destructive", True), ("read_only", False)):
            yield kind, text


def _hint(name: str, value: Any) -> Finding:
    """Judge a changed hint by what a client has to fear from a call."""
    kind: Kind = "additive" if SAFER.get(name) is bool(value) else "breaking"
    return kind, f"it is {CHANGED[bool(value)]} {name.replace('_', '-')}"


def _contract(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    old_whole: Schema | None,
    new_whole: Schema | None,
) -> Iterator[Finding]:
    """Yield the changes of input schema, title, description and deprecation between two Tool
    objects. `…_whole` is the full input schema; None if the listed schema is full.
    """
    listed = as_object(old.get("inputSchema")), as_object(new.get("inputSchema"))
    yield from compare_inputs(*listed, old_whole, new_whole)
    if old.get("title") != new.get("title"):
        yield "text", reworded("its title", old.get("title"), new.get("title"))
    before, was_deprecated = _description(old)
    after, is_deprecated = _description(new)
    if is_deprecated != was_deprecated:
        yield "text", "it is deprecated" if is_deprecated else "it is no longer deprecated"
    if before != after:
        yield "text", reworded("its description", before, after)


def _answers(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    old_type: Schema | None,
    new_type: Schema | None,
    causes: dict[str, str],
) -> list[Finding]:
    """Return the changes of answers between two Tool objects: by their types if known, else by the
    listed schemas.
    """
    before, after = old.get("outputSchema"), new.get("outputSchema")
    if before is None or after is None or new_type is None:
        return compare_outputs(before, after)
    return compare_outputs(old_type or before, new_type or after, causes)


def _description(tool: Mapping[str, Any]) -> tuple[str, bool]:
    """Return a tool's description without the sentence on deprecation, and whether it has the
    sentence.
    """
    text = as_text(tool.get("description"))
    return text.replace(DEPRECATED, "").strip(), DEPRECATED in text
