"""The subject of a tool's name, and the name while it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...text import words
from ..vocabulary import ARTICLES, ASIDES, FINITE, STOP_WORDS, VERBS, singular
from .digest import digest
from .reserved import NOT_FOR_TOOLS
from .route import parts_of
from .shorten import shorten
from .telling import Mark
from .verb import identity_words, operation_words, verb_and_resource

TOOL_LIMIT = 50
COMBINED_LIMIT = 64  # `mcp__<server>__<tool>`, the longest prefix a client is known to add

SAY_LITTLE = ARTICLES | ASIDES | FINITE | STOP_WORDS | VERBS
"""Words of a sentence that distinguish no operation from another."""


def tool_limit(server: str) -> int:
    """Return the longest tool name for a server of that name, the client's prefix counted."""
    return min(TOOL_LIMIT, COMBINED_LIMIT - len("mcp____") - len(server))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The facts from which a tool is named. `toolset` is the operation's tag, `verb` the one the
    document describes it with, and `sentence` the beginning of its description. `items` are
    words for the items of an array in the answer; None if the answer is not an array.
    """

    method: str
    path: str
    operation_id: str | None
    toolset: str = ""
    verb: str = ""
    sentence: str = ""
    items: frozenset[str] | None = None

    @property
    def key(self) -> str:
        """Key of the operation."""
        return f"{self.method} {self.path}"

    def own_words(self) -> list[str]:
        """Return the words of the operationId, or of method and path."""
        return operation_words(
            self.operation_id, self.method, self.path, self.verb, self.items, self.sentence
        )

    def verb_words(self) -> list[str]:
        """Return the verb of method and path."""
        return verb_and_resource(self.method, self.path)[:1]

    def other_words(self) -> list[list[str]]:
        """Return words that can distinguish a name from others where those of the path do not, the
        best first: parameters; the verb; the whole operationId, the query of the path, its literals
        as one word each and the method; the sentence, and the operationId with its number.
        """
        parameters: list[str] = []
        literals: list[str] = []
        for part in parts_of(self.path):
            if part.is_parameter:
                parameters.append(f"by_{'_'.join(part.words)}")
            elif len(part.words) > 1:
                literals.insert(0, "_".join(part.words))
        query = words(self.path.partition("?")[2])
        if query:
            literals.insert(0, "_".join(["by", *dict.fromkeys(query)]))
        others = [*identity_words(self.operation_id), *literals, self.method.lower()]
        told = [word for word in words(self.sentence) if word not in SAY_LITTLE]
        return [parameters, self.verb_words(), others, told + words(self.operation_id or "")]


@dataclass(slots=True)
class Naming:
    """A name on its way. `own` are its words before any is added or dropped, `telling` those that
    distinguish it from others and stay when it is shortened.
    """

    subject: Subject
    server: str
    pinned: str | None
    own: list[str] = field(init=False)
    telling: Sequence[Mark] = ()
    words: list[str] = field(init=False)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.own = self.pinned.split("_") if self.pinned else self.subject.own_words()
        self.words = self.own
        self.name = self.pinned or self._spelt()

    def candidates(self) -> list[list[str]]:
        """Return the words that can distinguish the name, the best first: its own and those of the
        path that it lacks, then those of each source.
        """
        found = [word for word in self.own if word not in STOP_WORDS]
        rest = Counter(map(singular, found))
        for part in parts_of(self.subject.path):
            for word in () if part.is_parameter else part.words:
                rest[singular(word)] -= 1
                if rest[singular(word)] < 0:
                    found.append(word)
        out = [found]
        seen = {*found}
        for source in self.subject.other_words():
            out.append([word for word in dict.fromkeys(source) if word not in seen])
            seen.update(source)
        return out

    def add(self, telling: Sequence[Mark], candidates: Iterable[str]) -> bool:
        """Put the words that distinguish it into the name, in the order of the candidates; return
        whether that changed it.
        """
        if self.pinned:
            return False
        before = self.name
        new = [mark for mark in telling if mark not in self.telling]
        self.telling = [*self.telling, *new] if new else list(telling)
        self.words = list(self.own)
        wanted = dict(self.telling)
        for word in (Counter(candidates) - Counter(self.own)).elements():
            if word not in wanted:
                continue
            one = singular(word)
            if one in self.words and one not in wanted:
                self.words[self.words.index(one)] = word
            elif word in VERBS and VERBS.isdisjoint(self.words):
                self.words.insert(0, word)
            else:
                self.words.append(word)
        if VERBS.isdisjoint(self.words):  # `delete_story_by_id` beside others of the story
            self.words[:0] = self.subject.verb_words()
        self.name = self._spelt()
        return self.name != before

    def _spelt(self) -> str:
        """Return the name with the words that distinguish it, or as many of the last as fit; with a
        hash where it is too long all the same.
        """
        limit = tool_limit(self.server)
        for start in range(len(self.telling) + 1):
            name = self._fitted(limit, dict(self.telling[start:]))
            if len(name) <= limit:
                return name
        return self.marked(6)

    def _fitted(self, limit: int, keep: Mapping[str, int]) -> str:
        """Return a name that starts with a letter and is nobody else's; any is behind an API's
        `start_`.
        """
        toolset = {*words(self.subject.toolset)}
        toolset |= {singular(word) for word in toolset}
        name = "_".join(shorten(self.words, limit, self.subject.path, toolset, keep))
        if not name[:1].isalpha():
            name = f"call_{name}".rstrip("_")
        if name in NOT_FOR_TOOLS and not self.server.endswith("_"):
            name = f"{self.server}_{name}"
        return name

    def marked(self, length: int) -> str:
        """Return the name with a hash of so many digits at its end."""
        if self.pinned:
            return self.pinned
        suffix = "_" + digest(self.subject.key, length)
        limit = tool_limit(self.server) - len(suffix)
        return self._fitted(limit, {})[:limit].rstrip("_") + suffix
