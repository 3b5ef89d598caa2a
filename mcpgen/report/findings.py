"""Problems with their places, in the order in which people read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..load.document import Document
from ..problems import RANK, Place, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem with its place, and the places where the same was found again."""

    problem: Problem
    place: Place
    again: tuple[Place, ...] = ()


def findings(problems: Iterable[Problem], document: Document | None = None) -> list[Finding]:
    """Return problems with their places: errors first, those of the main file first, each kind in
    the order of lines, repeats folded into the first.
    """
    located = [(problem, _place(problem, document)) for problem in problems]
    main = document.source.name if document is not None else ""
    located.sort(
        key=lambda pair: (
            RANK[pair[0].severity],
            pair[1].file != main,
            pair[1].file,
            pair[1].line,
            pair[1].column,
        )
    )
    folded: dict[tuple[str, ...], list[tuple[Problem, Place]]] = {}
    for problem, place in located:
        identity = (problem.code, problem.severity, problem.message, problem.hint)
        folded.setdefault(identity, []).append((problem, place))
    return [
        Finding(problem=same[0][0], place=same[0][1], again=tuple(place for _, place in same[1:]))
        for same in folded.values()
    ]


def _place(problem: Problem, document: Document | None) -> Place:
    if problem.place is not None:
        return problem.place
    if document is not None:
        return document.place(problem.pointer)
    return Place(file="", pointer=problem.pointer)
