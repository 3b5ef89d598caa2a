"""One finding of one fault: what the official schema says of a place of which another check says
more becomes a note of that check's problem.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from ..problems import RANK
from .structure import CODE

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problem, Problems

_OF_SCHEMAS = (CODE, "E0502", "E0503")
"""Codes of the faults of a schema."""


def tell_once(document: Document, problems: Problems) -> None:
    """Join the findings of the official schema with the other problems of the same places; the
    worst severity holds. A default is not judged by a schema that has another fault.
    """
    if all(problem.code != CODE for problem in problems):
        return
    located = [(_place(document, problem), problem) for problem in problems]
    others = {place for place, problem in located if problem.code != CODE}
    faulty = {
        _above(place)
        for place, problem in located
        if problem.code in _OF_SCHEMAS and not _is_default(place)
    }
    findings: defaultdict[str, list[Problem]] = defaultdict(list)
    for place, problem in located:
        if problem.code == CODE:
            findings[place].append(problem)
    problems.items.clear()
    for place, problem in located:
        if problem.code != CODE:
            problems.items.append(_joined(problem, findings.pop(place, [])))
            continue
        if place in others:
            continue
        if _is_default(place) and _above(place) in faulty:
            continue
        problems.items.append(problem)


def _place(document: Document, problem: Problem) -> str:
    """The pointer of a problem as the author wrote the document."""
    if problem.place is not None:
        return problem.pointer
    return document.written(problem.pointer)


def _above(place: str) -> str:
    return place.rpartition("/")[0]


def _is_default(place: str) -> bool:
    return place.endswith("/default")


def _joined(problem: Problem, findings: list[Problem]) -> Problem:
    """A problem that also says what the official schema does."""
    if not findings:
        return problem
    severity = min((problem.severity, *(each.severity for each in findings)), key=RANK.__getitem__)
    messages = [each.message for each in findings]
    return replace(problem, severity=severity, notes=(*problem.notes, *messages))
