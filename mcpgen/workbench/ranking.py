"""Explanations of the ranks of tools in the search of the lazy mode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..runtime.parts.search.index import LONGEST_QUERY, Index
from ..runtime.parts.search.words import stem, words


class Ranking(Index):
    """The index that a server searches, with the reasons of its results."""

    def places(self, question: str, limit: int, allowed: Iterable[str]) -> list[dict[str, Any]]:
        """Return the tools that `search` finds, in its order: `name`, `answered` (the share of the
        question), `kind` and whether it `fits` the question, and `words` with what each adds. A
        tool found by its name alone has its name there.
        """
        listed = frozenset(allowed)
        said = {stem(word): word for word in reversed(words(question))}
        query = self._query(question[:LONGEST_QUERY])
        by_name = {match.name: match for match in self._matches(query, listed)}
        places = []
        for name in self.search(question, limit, listed).names:
            kind = self._kinds[self._numbers[name]]
            match = by_name.get(name)
            answered, parts = 1.0, {name: 0.0}
            if match is not None:
                answered, parts = match.answered, match.parts
            ordered = sorted(
                ((said.get(word, word), added) for word, added in parts.items()),
                key=lambda item: -item[1],
            )
            place = {"name": name, "kind": kind, "fits": kind in query.kinds, "words": ordered}
            places.append({**place, "answered": answered})
        return places
