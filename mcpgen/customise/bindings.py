"""Which operation of the new document is which of the last run: names never change by accident.

An operation is the same when its method and path are, else when its operationId is. So a renamed
operationId and a moved path both keep their tool, its name and what the configuration says of it;
and a tool never begins to call something else because a document gave its operationId to another
operation, as GitHub's once did.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..compare.matching import same
from ..config import Config, Selection
from ..load import Document
from ..load.document import UnresolvedReference
from ..load.operations import operations as load_operations
from ..lock import Lock, Operation


def pin(config: Config, lock: Lock | None, document: Document) -> Config:
    """The configuration with the names of the last run in it, for this document. Without a lock: as
    it is.
    """
    if lock is None:
        return config
    listed = operations(document)
    before = _known(lock)
    today = same(
        [*((tool.operation, tool.operation_id) for tool in lock.tools), *before.values()], listed
    )
    names = {(tool.operation, tool.operation_id): tool.given for tool in lock.tools}
    bindings = {now: names[pair] for pair, now in today.items() if pair in names}
    named = _by_word(listed)
    formerly = {}
    for key in config.tools:
        now = today.get(before[key], "") if key in before else ""
        if key in before and (
            key not in named or (now and now not in {pair[0] for pair in named[key]})
        ):
            formerly[key] = now
    return replace(
        config,
        bindings=bindings,
        formerly=formerly,
        selection=_selection(config.selection, today, named),
    )


def _known(lock: Lock) -> dict[str, Operation]:
    """Every word for an operation that the last run knew, those of its configuration first."""
    words: dict[str, Operation] = {}
    for tool in lock.tools:
        pair = (tool.operation, tool.operation_id)
        words |= {word: pair for word in pair if word}
    return words | dict(lock.customised)


def _selection(chosen: Selection, today: dict[Operation, str], words: Collection[str]) -> Selection:
    """The selection, where an operation that is included by name is also meant under its new name.

    `words` are the names of today's operations: an old name that is none of them is replaced.
    """
    renamed = {
        word: now for before, now in today.items() for word in before if word and word != now
    }
    included: list[str] = []
    for word in chosen.include_operations:
        if word in words or word not in renamed:
            included.append(word)
        if word in renamed:
            included.append(renamed[word])
    return replace(chosen, include_operations=tuple(included))


def customised(config: Config, lock: Lock | None, document: Document) -> dict[str, Operation]:
    """Key of `[tools]` → the operation it is about, for the next lock; one that is gone keeps its
    last entry.
    """
    named = _by_word(operations(document))
    found: dict[str, Operation] = {}
    for key in config.tools:
        pairs = named.get(config.formerly.get(key, "")) or named.get(key) or set()
        if len(pairs) == 1:
            found[key] = next(iter(pairs))
        elif lock is not None and key in (before := _known(lock)):
            found[key] = before[key]
    return found


def _by_word(listed: list[Operation]) -> dict[str, set[Operation]]:
    """Every operation by each of its names."""
    found: dict[str, set[Operation]] = {}
    for pair in listed:
        for word in pair:
            if word:
                found.setdefault(word, set()).add(pair)
    return found


def operations(document: Document) -> list[Operation]:
    """Every operation of an upgraded document, in the order of `parse`."""

    def deref(node: Any, pointer: str) -> tuple[Any, str]:
        try:
            return document.deref(node, pointer)
        except UnresolvedReference:  # reported by `parse`
            return None, pointer

    listed = load_operations(document, deref)
    return [(f"{item.method} {item.path}", item.operation_id) for item in listed]
