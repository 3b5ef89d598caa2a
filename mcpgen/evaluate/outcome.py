"""Outcomes of the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One task: whether the request arrived, how many calls and tokens (about) it took, the tools
    that were called and were wrong, and what went wrong, if anything.
    """

    task: str
    done: bool
    calls: int
    tokens: int
    wrong: tuple[str, ...] = ()
    reason: str = ""


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The outcomes for programs: the share that was done, and means."""
    count = len(outcomes)
    return {
        "tasks": count,
        "done": sum(one.done for one in outcomes),
        "success": round(sum(one.done for one in outcomes) / count, 3),
        "calls": round(sum(one.calls for one in outcomes) / count, 2),
        "tokens": round(sum(one.tokens for one in outcomes) / count),
        "wrong_tools": sum(len(one.wrong) for one in outcomes),
        "outcomes": [asdict(one) for one in outcomes],
    }
