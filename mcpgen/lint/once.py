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

_OF_SCHEMAS = (CODE, "E0502", "E0503")
"""Codes of the faults of a schema."""
_LOST = "E0203"
"""The code of references to nothing: what is skipped because of one is told after it."""


def tell_once(document: Document, problems: Problems) -> None:
    """Join the findings of the official schema with the other problems of the same places; the
    worst severity holds. A default is not judged by a schema that has another fault.
    """
    located = [(_place(document, problem), problem) for problem in problems]
    problems.items[:] = _without_defaults(_joined(_without_echoes(located)))


def _place(document: Document, problem: Problem) -> str:
    if problem.place is not None:
        return problem.pointer
    return document.written(problem.pointer)


def _without_echoes(located: Located) -> Located:
    """Of one reference to nothing what is said last."""
    last = {place: problem for place, problem in located if problem.code == _LOST}
    return [
        (place, problem)
        for place, problem in located
        if problem.code != _LOST or last[place] is problem
    ]


def _joined(located: Located) -> Located:
    """Problems that also say what the official schema does, and the rest of its findings."""
    others = {place for place, problem in located if problem.code != CODE}
    findings: defaultdict[str, list[Problem]] = defaultdict(list)
    for place, problem in located:
        if problem.code == CODE:
            findings[place].append(problem)
    joined: Located = []
    for place, problem in located:
        if problem.code != CODE:
            joined.append((place, _with_notes(problem, findings.pop(place, []))))
        elif place not in others:
            joined.append((place, problem))
    return joined


def _with_notes(problem: Problem, findings: list[Problem]) -> Problem:
    severity = min([problem, *findings], key=lambda each: RANK[each.severity]).severity
    messages = [each.message for each in findings]
    return replace(problem, severity=severity, notes=(*problem.notes, *messages))


def _without_defaults(located: Located) -> Iterator[Problem]:
    """Problems without those of defaults whose schema has another fault."""
    of_schemas = [place for place, problem in located if problem.code in _OF_SCHEMAS]
    faulty = {_schema_of(place) for place in of_schemas if not _is_default(place)}
    for place, problem in located:
        if problem.code == CODE and _is_default(place) and _schema_of(place) in faulty:
            continue
        yield problem


def _schema_of(place: str) -> str:
    return place.rpartition("/")[0]


def _is_default(place: str) -> bool:
    return place.endswith("/default")
