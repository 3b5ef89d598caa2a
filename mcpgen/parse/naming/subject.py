"""The subject of a tool's name, and the name while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...text import words
from ..vocabulary import ARTICLES, ASIDES, FINITE, STOP_WORDS, USUAL_VERBS, VERBS, singular
from .digest import digest
from .reserved import NOT_FOR_TOOLS
from .route import literals, parts_of
from .shorten import shorten
from .verb import identity_words, operation_words, verb_and_resource

TOOL_LIMIT = 50
COMBINED_LIMIT = 64  # `mcp__<server>__<tool>`, the longest prefix a client is known to add

SAY_LITTLE = ARTICLES | ASIDES | FINITE | STOP_WORDS | VERBS
"""Words of a sentence that tell no operation from another."""


def tool_limit(server: str) -> int:
    """The longest tool name for a server of that name, the client's prefix counted."""
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


@dataclass(slots=True)
class Naming:
    """A name on its way."""

    subject: Subject
    server: str
    name: str = ""
    is_pinned: bool = False
    words: list[str] = field(default_factory=list)
    """The words of the name before it is shortened."""
    telling: list[str] = field(default_factory=list)
    """Words that tell the name from others, which stay when it is shortened."""
    ends_in_hash: bool = False

    def __post_init__(self) -> None:
        self.words = self.own_words()
        self.spell()

    def own_words(self) -> list[str]:
        """The words of the operationId, or of method and path."""
        subject = self.subject
        return operation_words(
            subject.operation_id,
            subject.method,
            subject.path,
            subject.verb,
            subject.items,
            subject.sentence,
        )

    def pin(self, name: str | None) -> None:
        """Keep the name of an earlier run."""
        if name is not None:
            self.name, self.is_pinned, self.ends_in_hash = name, True, False

    def candidates(self) -> list[str]:
        """The words that could tell the operation from others: first those its name has lost, then
        those of its path, then its method's.
        """
        parts = parts_of(self.subject.path)
        literals = [word for part in parts if not part.is_parameter for word in part.words]
        parameters = [f"by_{'_'.join(part.words)}" for part in parts if part.is_parameter]
        own = [word for word in self.words if word not in STOP_WORDS]
        identity = identity_words(self.subject.operation_id)
        return list(dict.fromkeys([*own, *literals, *parameters, self.verb(), *identity]))

    def last_resorts(self) -> list[str]:
        """List distinguishing words for an operation whose path has none: the names in the path's
        query, the path's literals as one word each, the last one first, and its method.
        """
        literals = [part for part in parts_of(self.subject.path) if not part.is_parameter]
        compounds = dict.fromkeys("_".join(part.words) for part in reversed(literals))
        query = dict.fromkeys(words(self.subject.path.partition("?")[2]))
        by_query = [f"by_{'_'.join(query)}"] if query else []
        return [*by_query, *compounds, self.subject.method.lower()]

    def sentence_words(self) -> list[str]:
        """List distinguishing words from an operation's texts: its sentence, and its operationId
        with the number that ends it.
        """
        telling = [word for word in words(self.subject.sentence) if word not in SAY_LITTLE]
        return telling + words(self.subject.operation_id or "")

    def verb(self) -> str:
        """The verb of method and path."""
        return verb_and_resource(self.subject.method, self.subject.path)[0]

    def add(self, telling: list[str]) -> None:
        """Put words into the name that tell it from others."""
        for word in telling:
            self.telling.append(word)
            if word in self.words:
                continue
            if singular(word) in self.words:
                self.words[self.words.index(singular(word))] = word
            elif word == self.verb() and self.words[0] not in VERBS:
                self.words = [word, *self.words]
            else:
                self.words = [*self.words, word]
        self.spell()

    def spell(self) -> None:
        """Write the name."""
        self.ends_in_hash = False
        limit = tool_limit(self.server)
        self.name = _usable("_".join(self.words), self.server)
        if len(self.name) <= limit:
            return
        toolset = {*words(self.subject.toolset)}
        toolset |= {singular(word) for word in toolset}
        for telling in (self.telling, self.telling[-1:]):  # the last one tells most
            short = shorten(self.words, limit, self.subject.path, toolset, telling)
            self.name = _usable("_".join(short), self.server)
            if len(self.name) <= limit:
                return
        self.mark(6)

    def mark(self, length: int) -> None:
        """End the name in a hash: nothing else tells it apart, or makes it short enough."""
        if self.is_pinned:
            return
        self.ends_in_hash = True
        suffix = "_" + digest(self.subject.key, length)
        limit = tool_limit(self.server) - len(suffix)
        toolset = {*words(self.subject.toolset)}
        short = shorten(self.words, limit, self.subject.path, toolset, ())
        self.name = _usable("_".join(short), self.server)[:limit].rstrip("_") + suffix

    def spell_with(self, chosen: list[str], telling: list[str]) -> None:
        """Write the name anew, with words of which those that tell it apart stay; where it has no
        room for more, these, the verb and what the path ends in.
        """
        if self.is_pinned:
            return
        self.telling = telling
        end = [singular(part.words[-1]) for part in literals(self.subject.path)[-1:]]
        least = [
            word
            for word in chosen
            if word in telling or word in USUAL_VERBS or singular(word) in end
        ]
        for spelled in (chosen, least):
            self.words = spelled
            self.spell()
            if not self.ends_in_hash:
                break


def _usable(name: str, server: str) -> str:
    """A name that starts with a letter and is nobody else's; any is behind an API's `start_`."""
    if not name[:1].isalpha():
        name = f"call_{name}".rstrip("_")
    if name in NOT_FOR_TOOLS and not server.endswith("_"):
        name = f"{server}_{name}"
    return name
