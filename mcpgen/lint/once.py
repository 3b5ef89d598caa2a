"""One finding of one fault: what the official schema says of a place of which another check says
more is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .structure import CODE

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problem, Problems

_LOST = "E0203"
"""The code of references to nothing: what is skipped because of one is told after it."""


def tell_once(document: Document, problems: Problems) -> None:
    """Keep the last of equal problems about one place, and of one dangling reference; of the
    findings of the official schema those at places of which nothing else is said.
    """
    subjects: dict[tuple[str, str, str], Problem] = {}
    others = set()
    for problem in problems:
        place = _place(document, problem)
        message = "" if problem.code == _LOST else problem.message
        subjects.pop((place, problem.code, message), None)
        subjects[place, problem.code, message] = problem
        if problem.code != CODE:
            others.add(place)
    problems.items[:] = [
        problem
        for (place, code, _), problem in subjects.items()
        if code != CODE or place not in others
    ]


def _place(document: Document, problem: Problem) -> str:
    if problem.place is not None:
        return problem.pointer
    return document.written(problem.pointer)
