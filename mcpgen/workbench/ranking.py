"""Explanations of the ranks of tools in the search of the lazy mode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..runtime.parts.search.index import LONGEST_QUERY, Index


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedTool:
    """One tool found: its score, the share of the question it answers, whether it is of the kind
    that the question asks for, and what each word adds.
    """

    name: str
    score: float
    answered: float
    kind: str
    fits: bool
    words: tuple[tuple[str, float], ...]


class Ranking(Index):
    """The index that a server has, which also tells its reasons."""

    def places(self, question: str, limit: int, allowed: Iterable[str]) -> list[RankedTool]:
        """The tools that `search` names, in its order, each with the reasons of its score. A tool
        that only its name brought up has none.
        """
        listed = frozenset(allowed)
        query = self._query(question[:LONGEST_QUERY])
        by_name = {self._names[match.number]: match for match in self._matches(query, listed)}
        places = []
        for name in self.search(question, limit, listed).names:
            kind = self._kinds[self._numbers[name]]
            match = by_name.get(name)
            score, answered, words = 0.0, 1.0, {name: 0.0}
            if match is not None:
                score, answered, words = match.score, match.answered, match.parts
            ordered = sorted(words.items(), key=lambda item: -item[1])
            places.append(
                RankedTool(
                    name=name,
                    score=score,
                    answered=answered,
                    kind=kind,
                    fits=kind in query.kinds,
                    words=tuple(ordered),
                )
            )
        return places
