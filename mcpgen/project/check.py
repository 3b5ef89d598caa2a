"""Check of a project against its document, its configuration and this version of mcpgen, and of
the user's code against the generated code.

Nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..load.values import as_object
from ..lock import (
    NAME,
    Lock,
    Once,
    data_hash,
    dump,
    is_interrupted,
    owned,
    read_pending,
    require_lock,
    text_hash,
    with_files,
)
from ..paths import FACTS, homes, is_once, once_among, read_plain
from ..problems import Problem, Problems
from ..render.parts import features
from ..version import __version__
from ..write.changes import Changes, compare
from ..write.templates import Outdated, outdated, records, template_difference, template_problems
from .manifest import manifest_problems
from .package import package_of_run
from .run import CommandInput, Run, run
from .user_code import findings

INTERRUPTED = "a run was interrupted: `mcpgen generate` completes it"
GONE_TABLES = ("E1114", "E1160")
"""Tables for what the document no longer has: to be removed, so a check fails where `mcpgen
generate` only warns.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The findings of a check. `stale`: sentences on changes `mcpgen generate` would make, edited
    files and an interrupted run; `problems`: faults that only you can mend.
    """

    stale: tuple[str, ...]
    problems: tuple[Problem, ...]
    changes: Changes

    @property
    def passed(self) -> bool:
        """Whether nothing is stale and no problem is an error: warnings and notes do not fail a
        check.
        """
        return not self.stale and not any(problem.severity == "error" for problem in self.problems)


def check(folder: Path, problems: Problems, *, update: bool = False) -> Report:
    """Compare a project with what would be generated today; `update` fetches the document anew.
    Raises UsageError without a lock, McpgenError if the server cannot be made.
    """
    lock = require_lock(folder)
    recorded = owned(lock, read_pending(folder))
    edited = list(edits(folder, recorded))
    result = run(CommandInput(folder=folder, update=update), problems)
    stale = [*_reasons(folder, lock, result), *edited]
    changes = compare(result.files, folder.resolve(), recorded, once_among(result.files))
    if not edited:
        stale += _counted(changes)
    once = records(folder, [lock], result.files)
    notes = template_problems(outdated(folder, once))
    if lock.generator != __version__:
        notes.append(_other_version(lock))
    elif not stale and dump(_new_lock(result, once)) != dump(lock):
        stale.append(f"`{NAME}` is not what this run would write")
    return Report(
        stale=tuple(stale),
        problems=(
            *notes,
            *_table_problems(problems),
            *findings(package_of_run(result)),
            *manifest_problems(folder, f"{lock.name}_mcp", **features(result.server)),
        ),
        changes=changes,
    )


def template_differences(folder: Path, problems: Problems) -> Iterator[tuple[Outdated, str]]:
    """Yield (file, unified diff) for each file written once that mcpgen would write differently
    today. Raises McpgenError without a lock, or if the server cannot be made.
    """
    lock = require_lock(folder)
    result = run(CommandInput(folder=folder), problems)
    for file in outdated(folder, records(folder, [lock], result.files)):
        yield file, template_difference(folder, file.path, result.files[file.path])


def _reasons(folder: Path, lock: Lock, result: Run) -> Iterator[str]:
    """Yield the reasons to generate again, as sentences."""
    if is_interrupted(folder):
        yield INTERRUPTED
    if lock.config != result.facts.config:
        yield "`mcpgen.toml` changed"
    if result.server.has_functions != ("functions" in _facts(folder, lock).get("parts", ())):
        yield "`custom/` has its first function with `@tool`, or lost its last one"
    if lock.document != result.facts.document:
        yield "the document changed"
    before, now = as_object(lock.own), as_object(result.facts.own)
    for name in sorted(before.keys() | now.keys()):
        if lock.own is not None and data_hash(before.get(name)) != data_hash(now.get(name)):
            yield f"the tool `{name}` of `custom/` changed"


def _new_lock(result: Run, once: Mapping[str, Once]) -> Lock:
    generated = {path: text for path, text in result.files.items() if not is_once(path)}
    new = replace(with_files(result.facts, generated), once=once)
    return replace(new, made=result.lock.made) if result.lock else new


def _other_version(lock: Lock) -> Problem:
    """Return the note (E1361) that another version of mcpgen generated the project."""
    return Problem(
        code="E1361",
        severity="note",
        message=f"it was generated by mcpgen {lock.generator}, this is {__version__}",
    )


def _counted(changes: Changes) -> Iterator[str]:
    for word, paths in (
        ("create", changes.created),
        ("update", changes.updated),
        ("remove", changes.removed),
    ):
        if not paths:
            continue
        names = ", ".join(f"`{path}`" for path in paths[:3])
        if len(paths) > 3:
            names += f" and {len(paths) - 3} more"
        yield f"`mcpgen generate` would {word} {names}"


def _table_problems(problems: Problems) -> Iterator[Problem]:
    """Yield the problems E11… of `mcpgen.toml`. Those of `GONE_TABLES` become errors."""
    for problem in problems:
        if problem.code in GONE_TABLES:
            yield replace(problem, severity="error")
        elif problem.code.startswith("E11"):
            yield problem


def _facts(folder: Path, lock: Lock) -> dict[str, Any]:
    """Return the content of `api.json` in the project's first package; empty if it cannot be read.
    """
    try:
        content = json.loads((homes(folder)[0] / FACTS).read_bytes())
    except (IndexError, OSError, ValueError):
        return {}
    return as_object(content)


def edits(folder: Path, recorded: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield a sentence for each generated file that is missing or was edited. `recorded`: path →
    valid hashes.
    """
    for path, hashes in sorted(recorded.items()):
        try:
            content = read_plain(folder, path)
        except OSError:
            content = None
        if not isinstance(content, bytes):
            yield f"`{path}` is missing"
        elif text_hash(content) not in hashes:
            yield f"`{path}` was edited"
