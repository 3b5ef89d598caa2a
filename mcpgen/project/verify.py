"""Check of a project against its lock, without its document and its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..load.values import as_object
from ..lock import (
    NAME,
    Lock,
    data_hash,
    integrity_holds,
    is_interrupted,
    owned,
    read_pending,
    require_lock,
)
from .check import INTERRUPTED, edits
from .package import GeneratedPackage, package_on_disk


def verify(folder: Path) -> list[str]:
    """Return a sentence for each difference between a project and its lock, whose hashes are
    recomputed; empty without differences.

    Nothing is loaded or generated. Raises UsageError without a lock.
    """
    lock = require_lock(folder)
    faults = []
    if is_interrupted(folder):
        faults.append(INTERRUPTED)
    faults += edits(folder, owned(lock, read_pending(folder)))
    if not integrity_holds((folder / NAME).read_text("utf-8")):
        faults.append(f"`{NAME}` itself was edited")
    package = package_on_disk(folder, lock)
    if package is not None:
        faults += _tool_faults(lock, package)
        facts = as_object(package.files.data(f"{package.root}api.json"))
        if facts.get("base_url") != lock.base_url:
            faults.append("the base URL is not that of the lock")
    return faults


def _tool_faults(lock: Lock, package: GeneratedPackage) -> Iterator[str]:
    for tool in lock.tools:
        wire = package.tools.get(tool.name)
        if wire is None:
            yield f"tool `{tool.name}` is in no list of tools"
            continue
        if data_hash([wire.get("title"), wire.get("description")]) != tool.text:
            yield f"the texts of tool `{tool.name}` are not those of the lock"
        if data_hash([wire.get("inputSchema"), wire.get("outputSchema")]) != tool.schema:
            yield f"the schemas of tool `{tool.name}` are not those of the lock"
    for name in sorted(package.tools.keys() - {tool.name for tool in lock.tools}):
        yield f"tool `{name}` is not in the lock"
