"""Is a project what its document, configuration and this version of mcpgen give, and does the
user's code still fit?

Nothing is written. When the hashes of document, configuration, version and files equal the lock's,
the answer is known without generating anything.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..config import Config
from ..customise.bindings import gone_tables, operations
from ..load import Document
from ..load.values import as_object
from ..lock import (
    NAME,
    Lock,
    Once,
    config_hash,
    dump,
    is_interrupted,
    owned,
    read_pending,
    require_lock,
    text_hash,
    with_files,
)
from ..paths import read_plain
from ..problems import Problem, Problems
from ..runtime.package import decorated
from ..version import __version__
from ..write.changes import Changes, compare
from ..write.ownership import is_once
from ..write.templates import Outdated, difference, outdated, records, template_problems
from .manifest import manifest_problems
from .package import package_of_run, package_on_disk
from .run import CommandInput, Run, run, settle
from .user_code import findings

INTERRUPTED = "a run was interrupted: `mcpgen generate` completes it"
GONE_TABLES = ("E1114", "E1160")
"""Tables for what the document no longer has: to be removed, so a check fails where `mcpgen
generate` only warns.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The findings of a check. `stale`: sentences on the changes `mcpgen generate` would make;
    `problems`: faults that only you can mend.
    """

    stale: tuple[str, ...]
    problems: tuple[Problem, ...]
    changes: Changes | None
    generated: bool

    @property
    def passed(self) -> bool:
        """Whether there is nothing to do. Warnings do not fail a check."""
        return not self.stale and not any(problem.severity == "error" for problem in self.problems)


def check(folder: Path, problems: Problems) -> Report:
    """Compare a project with what would be generated today. Raises McpgenError when that cannot be
    known.
    """
    lock = require_lock(folder)
    recorded = owned(lock, read_pending(folder))
    config = settle(CommandInput(folder=folder)).config
    reasons = list(_reasons(folder, lock, config))
    edited = list(edits(folder, recorded))
    if not [*reasons, *edited] and lock.generator == __version__:
        report = _unchanged(folder, lock, config)
        if report is not None:
            return report
    result = run(CommandInput(folder=folder), problems)
    if result.facts.document != lock.document:
        reasons.append("the document changed")
    changes = compare(result.files, folder.resolve(), recorded, is_once)
    stale = [*reasons, *edited]
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
            *manifest_findings(folder, lock, config),
        ),
        changes=changes,
        generated=True,
    )


def template_differences(folder: Path, problems: Problems) -> Iterator[tuple[Outdated, str]]:
    """The files written once that mcpgen would write differently today, each with the difference
    as a unified diff. Raises McpgenError when that cannot be known.
    """
    lock = require_lock(folder)
    result = run(CommandInput(folder=folder), problems)
    for file in outdated(folder, records(folder, [lock], result.files)):
        yield file, difference(folder, file.path, result.files[file.path])


def _reasons(folder: Path, lock: Lock, config: Config) -> Iterator[str]:
    """Yield the reasons to generate, as far as they are known without the document."""
    if is_interrupted(folder):
        yield INTERRUPTED
    if lock.config != config_hash(config):
        yield "`mcpgen.toml` changed"
    if _has_functions(folder) != ("functions" in _facts(folder, lock).get("parts", ())):
        yield "`custom/` has its first function with `@tool`, or lost its last one"


def _has_functions(folder: Path) -> bool:
    """Return whether the user's code makes tools of functions."""
    return any(decorated(home) for home in folder.glob("src/*"))


def _unchanged(folder: Path, lock: Lock, config: Config) -> Report | None:
    """The report where the document is that of the last run; None where it is another."""
    from ..pipeline import open_document

    document = open_document(config, Problems())
    if document.source.sha256 != lock.document:
        return None
    problems = [
        *_orphans(lock, config, document),
        *manifest_findings(folder, lock, config),
        *template_problems(outdated(folder, lock.once)),
    ]
    package = package_on_disk(folder, lock)
    if package is not None:
        problems += findings(package)
    return Report(stale=(), problems=tuple(problems), changes=None, generated=False)


def _new_lock(result: Run, once: Mapping[str, Once]) -> Lock:
    generated = {path: text for path, text in result.files.items() if not is_once(path)}
    return replace(with_files(result.facts, generated), once=once)


def _other_version(lock: Lock) -> Problem:
    """A note: what counts is whether a file would differ."""
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
    """Yield the problems reported for `mcpgen.toml`."""
    for problem in problems:
        if problem.code in GONE_TABLES:
            yield replace(problem, severity="error")
        elif problem.code.startswith("E11"):
            yield problem


def manifest_findings(folder: Path, lock: Lock, config: Config) -> Iterator[Problem]:
    """Yield the faults of a project's `pyproject.toml` for the package that stands beside it."""
    facts = _facts(folder, lock)
    paths = [path.partition("/runtime/")[2] for path in lock.files]
    return manifest_problems(
        folder,
        f"{lock.name}_mcp",
        calls_api=facts.get("calls_api", True),
        reads_xml="results/xml_data.py" in paths,
        reads_paths="parts/workflows/paths.py" in paths,
        has_functions=_has_functions(folder),
        installed=config.runtime == "installed",
        **dict.fromkeys(config.parts, True),
    )


def _facts(folder: Path, lock: Lock) -> dict[str, Any]:
    """The content of the project's `api.json`; empty where it cannot be read."""
    try:
        content = json.loads((folder / "src" / f"{lock.name}_mcp" / "api.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return as_object(content)


def _orphans(lock: Lock, config: Config, document: Document) -> Iterator[Problem]:
    """Customisations of what had gone already when the project was last generated."""
    present = {operation for operation, _ in operations(document)}
    present |= {tool.operation for tool in lock.tools}
    for key, (operation, _) in sorted(lock.customised.items()):
        if key in config.tools and operation not in present:
            message = f'`[tools."{key}"]` customises an operation that is no longer in the document'
            yield _gone_table("E1114", message)
    for key, word in gone_tables(config, lock):
        message = f'`[tools."{key}".arguments."{word}"]`: the document no longer has the argument'
        yield _gone_table("E1160", message)


def _gone_table(code: str, message: str) -> Problem:
    hint = "remove the table from `mcpgen.toml`"
    return Problem(code=code, severity="error", message=message, hint=hint)


def edits(folder: Path, recorded: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Sentences about generated files that are not as they were generated: edited, or gone."""
    for path, hashes in sorted(recorded.items()):
        try:
            content = read_plain(folder, path)
        except OSError:
            content = None
        if not isinstance(content, bytes):
            yield f"`{path}` is missing"
        elif text_hash(content) not in hashes:
            yield f"`{path}` was edited"
