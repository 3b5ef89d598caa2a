"""Match operations to those of the last run, so that tool names are stable.

An operation is the same when its method and path are, else when its operationId is. So an operation
keeps its tool, the tool's name and its table in `mcpgen.toml` when the document renames the
operationId or moves the path. A tool never starts to call another operation because the document
gave that one its operationId, as GitHub's once did.
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
    """The configuration with the names of the last run, for this document."""
    if lock is None:
        return config
    listed = operations(document)
    locked = [(tool.operation, tool.operation_id) for tool in lock.tools]
    by_word = _operations_by_word(lock)
    today = same([*locked, *by_word.values()], listed)
    bindings = {}
    for tool, pair in zip(lock.tools, locked, strict=True):
        if pair in today:
            bindings[today[pair]] = tool.given
    formerly = {}
    named = _by_word(listed)
    for key in config.tools:
        if key not in by_word:
            continue
        operation = today.get(by_word[key], "")
        if not _names(named, key, operation):
            formerly[key] = operation
    selection = _selection(config.selection, today, named)
    return replace(config, bindings=bindings, formerly=formerly, selection=selection)


def _names(named: dict[str, set[Operation]], key: str, operation: str) -> bool:
    """Whether a key is one of today's words for an operation, or for any where that is gone."""
    if key not in named:
        return False
    return not operation or operation in {pair[0] for pair in named[key]}


def _operations_by_word(lock: Lock) -> dict[str, Operation]:
    """The operations of the last run by every word for them; those of `[tools]` take precedence."""
    words: dict[str, Operation] = {}
    for tool in lock.tools:
        pair = (tool.operation, tool.operation_id)
        words |= {word: pair for word in pair if word}
    return words | dict(lock.customised)


def _selection(
    selection: Selection, today: dict[Operation, str], words: Collection[str]
) -> Selection:
    """The selection, which includes a renamed operation under its new name.

    `words` are the names of today's operations: an old name that is none of them is replaced.
    """
    renamed = {}
    for before, operation in today.items():
        for word in before:
            if word and word != operation:
                renamed[word] = operation
    included: list[str] = []
    for word in selection.include_operations:
        if word in words or word not in renamed:
            included.append(word)
        if word in renamed:
            included.append(renamed[word])
    return replace(selection, include_operations=tuple(included))


def customised(config: Config, lock: Lock | None, document: Document) -> dict[str, Operation]:
    """The operation of each key of `[tools]`, for the next lock. Gone ones keep their entry."""
    named = _by_word(operations(document))
    before: dict[str, Operation] = {}
    if lock is not None:
        before = _operations_by_word(lock)
    entries: dict[str, Operation] = {}
    for key in config.tools:
        pairs = named.get(config.formerly.get(key, "")) or named.get(key, set())
        if len(pairs) == 1:
            entries[key] = next(iter(pairs))
        elif key in before:
            entries[key] = before[key]
    return entries


def _by_word(listed: list[Operation]) -> dict[str, set[Operation]]:
    """Every operation by each of its names."""
    operations: dict[str, set[Operation]] = {}
    for pair in listed:
        for word in pair:
            if word:
                operations.setdefault(word, set()).add(pair)
    return operations


def operations(document: Document) -> list[Operation]:
    """Every operation of an upgraded document, in the order of `parse`."""

    def deref(node: Any, pointer: str) -> tuple[Any, str]:
        try:
            return document.deref(node, pointer)
        except UnresolvedReference:  # reported by `parse`
            return None, pointer

    listed = load_operations(document, deref)
    return [(f"{item.method} {item.path}", item.operation_id) for item in listed]
