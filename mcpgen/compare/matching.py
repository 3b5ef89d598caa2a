"""Which operation of one document is which of another: names never change by accident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ..write.lock import Lock, Operation, ToolLock

Pair: TypeAlias = "tuple[ToolLock | None, ToolLock | None]"
"""A tool of the old lock and the same tool in the new one; None where it is gone or new."""


def same(before: Iterable[Operation], listed: list[Operation]) -> dict[Operation, str]:
    """Old operation → `METHOD /path` today: where both are the same, else by method and path, else
    by operationId.

    An operationId that occurs twice identifies nothing. No operation is found twice.
    """
    left = dict.fromkeys(before)
    found: dict[Operation, str] = {}
    old_count = Counter(identity for _, identity in left)
    new_count = Counter(identity for _, identity in listed)
    free = dict.fromkeys(listed)

    def meet(before: Operation, now: Operation) -> None:
        found[before] = now[0]
        del left[before], free[now]

    for pair in [pair for pair in left if pair in free]:
        meet(pair, pair)
    by_operation = {pair[0]: pair for pair in free}
    for pair in list(left):
        now = by_operation.pop(pair[0], None)
        if now is not None:
            meet(pair, now)
    by_identity = {pair[1]: pair for pair in free if pair[1] and new_count[pair[1]] == 1}
    for pair in [
        pair for pair in left if pair[1] and pair[1] in by_identity and old_count[pair[1]] == 1
    ]:
        meet(pair, by_identity[pair[1] or ""])
    return found


def pairs(old: Lock, new: Lock) -> list[Pair]:
    """Every tool of the old lock with what it is in the new one, and every tool that is new.

    A tool is the same when its operation is (`same`), else when its name is: whoever calls a tool
    by its name meets what the name stands for now. The other side of a tool that is gone or new
    is None.
    """
    by_operation = {tool.operation: tool for tool in new.tools}
    today = same(
        ((tool.operation, tool.operation_id) for tool in old.tools),
        [(tool.operation, tool.operation_id) for tool in new.tools],
    )
    later = {
        tool.name: by_operation.pop(today[tool.operation, tool.operation_id])
        for tool in old.tools
        if (tool.operation, tool.operation_id) in today
    }
    by_name = {tool.name: tool for tool in by_operation.values()}
    for tool in old.tools:
        if tool.name not in later and tool.name in by_name:
            later[tool.name] = by_name.pop(tool.name)
    matched = {tool.operation for tool in later.values()}
    added = [tool for tool in new.tools if tool.operation not in matched]
    return [
        *((tool, later.get(tool.name)) for tool in old.tools),
        *((None, tool) for tool in added),
    ]
