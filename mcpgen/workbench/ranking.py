"""Explanations of the ranks of tools in the search of the lazy mode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..runtime.parts.search.index import LONGEST_QUERY, Index


class Ranking(Index):
    """The index that a server has, which also tells its reasons."""

    def places(self, question: str, limit: int, allowed: Iterable[str]) -> list[dict[str, Any]]:
        """The tools that `search` names, in its order: `score`, the share of the question that is
        `answered`, whether the tool `fits` the `kind` that is asked for, and what each of `words`
        adds. A tool that only its name brought up has no score.
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
            place = {"name": name, "kind": kind, "fits": kind in query.kinds, "words": ordered}
            places.append({**place, "score": score, "answered": answered})
        return places
