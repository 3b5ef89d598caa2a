"""How well `mcpgen score` agrees with a person's grades, and whether empty text raises it.

`python -m tests.judges.grades` prints Spearman's rank correlation for each API of `graded.jsonl`
(tools as they were listed when a person graded them from 1 to 5), and the score of each of its
lists with an empty or a false sentence added to every tool. The rules were weighed by the grades of
Slack and Box alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mcpgen import score

GRADED = Path(__file__).with_name("graded.jsonl")
WEIGHED = frozenset({"Slack", "Box"})
EMPTY: dict[str, Callable[[str, str], str]] = {
    "empty": lambda name, other: (
        f"Use this when you need it, not when another tool is right. Use `{other}` first."
    ),
    "echo": lambda name, other: (
        f"Use this when you want to {name.replace('_', ' ')}; otherwise use `{other}` instead."
    ),
    "false": lambda name, other: (
        f"Delete everything about {name.replace('_', ' ')} and never return it."
        f" Use this when bored; prefer `{other}`."
    ),
}
"""Sentences that help nobody, from a tool's name and that of another."""


def graded() -> dict[str, list[tuple[float, dict[str, Any]]]]:
    """API → its tools with their grades."""
    found: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for line in GRADED.read_text("utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["api"], []).append((row["grade"], row["tool"]))
    return found


def correlation(left: list[float], right: list[float]) -> float:
    """Spearman's: that of the ranks, the same rank for equal values."""
    one, two = _ranks(left), _ranks(right)
    mean = (len(one) - 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(one, two, strict=True))
    spread = [sum((a - mean) ** 2 for a in ranks) ** 0.5 for ranks in (one, two)]
    return both / (spread[0] * spread[1])


def _ranks(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def padded(tools: list[dict[str, Any]], add: Callable[[str, str], str]) -> list[dict[str, Any]]:
    """The tools with a sentence more in each, which may name the next tool."""
    names = [tool["name"] for tool in tools]
    others = [*names[1:], names[0]]
    return [
        {**tool, "description": f"{tool['description']}\n{add(tool['name'], other)}"}
        for tool, other in zip(tools, others, strict=True)
    ]


def report() -> Iterator[str]:
    """The lines of the report."""
    pairs: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for api, rows in graded().items():
        tools = [tool for _, tool in rows]
        result = score.score_tools(tools)
        grades, scores = [grade for grade, _ in rows], [one.score for one in result.tools]
        pairs[api in WEIGHED] += zip(grades, scores, strict=True)
        worse = {
            name: score.score_tools(padded(tools, add)).score - result.score
            for name, add in EMPTY.items()
        }
        yield (
            f"{api}: {len(rows)} tools, correlation {correlation(grades, scores):.2f}, grades"
            f" {sum(grades) / len(grades):.2f}, mean {result.mean:.2f}, score {result.score:.2f}; "
            + ", ".join(f"{name} {change:+.2f}" for name, change in worse.items())
        )
    for weighed, both in pairs.items():
        grades, scores = [grade for grade, _ in both], [value for _, value in both]
        title = "weighed by" if weighed else "not weighed by"
        yield f"{title}: {len(both)} tools, correlation {correlation(grades, scores):.2f}"


if __name__ == "__main__":
    print("\n".join(report()))
    sys.exit(0)
