"""First sentences that tell the tools of a server apart.

A model chooses by them, and a search shows nothing else. Where several operations begin with the
same sentence (`Get details`), each gets one of its own: its description's, or the same sentence
with words of its name (`Get details (movie)`). Nothing is invented.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..load.operations import DocumentedOperation
from ..text import humanise, words
from . import describe
from .vocabulary import base_verb

LONGEST = describe.FIRST_SENTENCE


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a tool's description: its first sentence without the full stop, and the
    rest of the document's text.
    """

    sentence: str
    rest: str


@dataclass(slots=True)
class _Draft:
    """The opening of one operation, on its way."""

    operation: DocumentedOperation
    name: str
    opening: Opening
    own_words: list[str]
    """Words of the tool's name that not every tool of the same sentence has."""

    def told(self) -> Opening | None:
        """With the first sentence of the description in place of the summary."""
        sentence, rest = describe.first_told(self.operation.node, self.operation.method)
        return Opening(sentence, rest) if sentence else None

    def with_own_words(self) -> Opening | None:
        """With the words of the name that the others' names have not; a number is none."""
        verbs = _verbs(self.opening.sentence)
        own = [word for word in self.own_words if not (word in verbs or word.isdigit())]
        return self.followed_by(" ".join(own)) if own else None

    def unchanged(self) -> Opening:
        """As it is, now that the others begin otherwise."""
        return self.opening

    def with_name(self) -> Opening:
        """With the whole name, which no other tool has."""
        return self.followed_by(humanise(self.name))

    def followed_by(self, text: str) -> Opening:
        """With words in brackets, within the length of a first sentence: the summary where it is
        shorter than that.
        """
        suffix = f" ({text})"
        limit = LONGEST - len(suffix)
        summary = describe.summary_of(self.operation.node, self.operation.method)
        opening = self.opening
        sentence, rest = describe.fitted(opening.sentence, opening.rest, limit, summary=summary)
        return Opening(sentence + suffix, rest)


STEPS: tuple[Callable[[_Draft], Opening | None], ...] = (
    _Draft.told,
    _Draft.with_own_words,
    _Draft.unchanged,
    _Draft.with_name,
)
"""Ways to a sentence of one's own, the best first."""


def openings(
    operations: Iterable[DocumentedOperation], names: dict[str, str]
) -> dict[str, Opening]:
    """`METHOD /path` → how the tool's description begins. `names` are the tools' names."""
    drafts: dict[str, _Draft] = {}
    for operation in operations:
        name = names[operation.key]
        text = describe.headline(operation.node, name, operation.method, operation.path)
        drafts[operation.key] = _Draft(operation, name, Opening(*text), [])
    alike = _alike(drafts.values())
    for group in alike:
        _find_own_words(group)
    waiting = [draft for group in alike for draft in group]
    for step in STEPS:
        waiting = _take(step, waiting, drafts.values())
    return {key: draft.opening for key, draft in drafts.items()}


def _take(
    step: Callable[[_Draft], Opening | None], waiting: list[_Draft], drafts: Iterable[_Draft]
) -> list[_Draft]:
    """Give the drafts that wait what a step proposes, where no other tool begins so; return the
    others.
    """
    proposals = [(draft, step(draft)) for draft in waiting]
    names = {draft.name for draft in waiting}
    count = Counter(_key(draft.opening) for draft in drafts if draft.name not in names)
    count.update(_key(opening or draft.opening) for draft, opening in proposals)
    left = []
    for draft, opening in proposals:
        if opening is None or count[_key(opening)] > 1:
            left.append(draft)
        else:
            draft.opening = opening
    return left


def _key(opening: Opening) -> str:
    return opening.sentence.lower()


def _alike(drafts: Iterable[_Draft]) -> list[list[_Draft]]:
    """The drafts that begin with the same sentence, in groups."""
    groups: defaultdict[str, list[_Draft]] = defaultdict(list)
    for draft in drafts:
        groups[_key(draft.opening)].append(draft)
    return [group for group in groups.values() if len(group) > 1]


def _find_own_words(group: list[_Draft]) -> None:
    count = Counter(word for draft in group for word in set(words(draft.name)))
    for draft in group:
        draft.own_words = [word for word in words(draft.name) if count[word] < len(group)]


def _verbs(sentence: str) -> set[str]:
    return {base_verb(word) for word in words(sentence)}
