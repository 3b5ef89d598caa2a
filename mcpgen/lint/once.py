"""One finding of one fault: what the official schema says of a place of which another check says
more becomes a note of that check's problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ..problems import RANK
from .structure import CODE

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problem, Problems

Located: TypeAlias = list[tuple[str, "Problem"]]
"""Problems, each with its pointer as the author wrote the document."""

_LOST = "E0203"
"""The code of references to nothing: what is skipped because of one is told after it."""


def tell_once(document: Document, problems: Problems) -> None:
    """Join the findings of the official schema with the other problems of the same places; the
    worst severity holds.
    """
    located = [(_place(document, problem), problem) for problem in problems]
    problems.items[:] = _joined(_without_echoes(located))


def _place(document: Document, problem: Problem) -> str:
    if problem.place is not None:
        return problem.pointer
    return document.written(problem.pointer)


def _without_echoes(located: Located) -> Located:
    """Keep the last of equal problems about one subject, and of one dangling reference."""
    last = {_subject(place, problem): problem for place, problem in located}
    return [
        (place, problem) for place, problem in located if last[_subject(place, problem)] is problem
    ]


def _subject(place: str, problem: Problem) -> tuple[str, str, str]:
    """Return the subject of a problem: of a dangling reference, the reference."""
    if problem.code == _LOST:
        return place, _LOST, ""
    return place, problem.code, problem.message


def _joined(located: Located) -> Iterator[Problem]:
    """Problems that also say what the official schema does, and the rest of its findings."""
    others = {place for place, problem in located if problem.code != CODE}
    findings: defaultdict[str, list[Problem]] = defaultdict(list)
    for place, problem in located:
        if problem.code == CODE:
            findings[place].append(problem)
    for place, problem in located:
        if problem.code != CODE:
            yield _with_notes(problem, findings.pop(place, []))
        elif place not in others:
            yield problem


def _with_notes(problem: Problem, findings: list[Problem]) -> Problem:
    severity = min([problem, *findings], key=lambda each: RANK[each.severity]).severity
    messages = [each.message for each in findings]
    return replace(problem, severity=severity, notes=(*problem.notes, *messages))
