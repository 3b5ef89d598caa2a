"""First sentences that tell the tools of a server apart.

A model chooses by them, and a search shows nothing else. Where several operations begin with the
same sentence (`Get details`), each gets one of its own: its description's, or the same sentence
with words of its name (`Get details (movie)`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ..load.operations import DocumentedOperation
from ..text import humanise, words
from . import describe
from .vocabulary import base_verb


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a tool's description: its first sentence without the full stop, and the
    rest of the document's text.
    """

    sentence: str
    rest: str

    @property
    def key(self) -> str:
        """The sentence in lower case."""
        return self.sentence.lower()

    def followed_by(self, text: str) -> Opening:
        """Return an opening with `text` in brackets behind its sentence, which is cut to fit."""
        suffix = f" ({text})"
        limit = describe.FIRST_SENTENCE - len(suffix)
        sentence, rest = describe.fitted(self.sentence, self.rest, limit)
        return Opening(sentence + suffix, rest)


def openings(
    operations: Iterable[DocumentedOperation], names: dict[str, str]
) -> dict[str, Opening]:
    """Return `METHOD /path` → the opening of its tool. `names` are the tools' names."""
    by_key = {operation.key: operation for operation in operations}
    out: dict[str, Opening] = {}
    for key, operation in by_key.items():
        text = describe.headline(operation.node, names[key], operation.method, operation.path)
        out[key] = Opening(*text)
    proposals: dict[str, list[Opening | None]] = {}
    for group in _alike(out):
        common = set.intersection(*({*words(names[key])} for key in group))
        for key in group:
            proposals[key] = _proposals(by_key[key], names[key], out[key], common)
    while proposals:
        wanted = {key: each.pop(0) for key, each in proposals.items()}
        count = Counter((opening or out[key]).key for key, opening in (out | wanted).items())
        for key, opening in wanted.items():
            is_last = not proposals[key]
            if opening and (is_last or count[opening.key] == 1):
                out[key] = opening
                del proposals[key]
    return out


def _alike(openings: dict[str, Opening]) -> list[list[str]]:
    """Return groups of the operations that begin with the same sentence."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key, opening in openings.items():
        groups[opening.key].append(key)
    return [group for group in groups.values() if len(group) > 1]


def _proposals(
    operation: DocumentedOperation, name: str, opening: Opening, common: set[str]
) -> list[Opening | None]:
    """Return leading phrases for a tool whose own is not unique, the best first:

    * the description's first sentence,
    * its own with the words that other tools' names lack,
    * its own, if all other tools change,
    * its own with its whole name.

    `common` are the words of all these names; a number is never such a word.
    """
    told = Opening(*describe.first_told(operation.node, operation.method))
    is_told = 0 < len(told.sentence) < describe.FIRST_SENTENCE
    known = common.union(map(base_verb, words(opening.sentence)))
    own = " ".join(word for word in words(name) if word not in known and not word.isdigit())
    return [
        told if is_told else None,
        opening.followed_by(own) if own else None,
        opening,
        opening.followed_by(humanise(name)),
    ]
