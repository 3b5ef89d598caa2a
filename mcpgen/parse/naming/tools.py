"""Names of tools.

A name depends on its own operation alone: never on the order of the document, and on other
operations only where two ask for the same name. Then each gets a word of its own method or path
that the others lack; a short hash of `METHOD path` stands where no word tells them apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...text import words
from ..vocabulary import STOP_WORDS, VERBS, singular
from .digest import digest
from .reserved import NOT_FOR_TOOLS
from .route import parts_of
from .shorten import shorten
from .verb import operation_words, verb_and_resource

TOOL_LIMIT = 50
COMBINED_LIMIT = 64  # `mcp__<server>__<tool>`, the longest prefix a client is known to add
ROUNDS = 8
"""How often names that coincide get another word."""


def tool_limit(server: str) -> int:
    """The longest tool name for a server of that name, the client's prefix counted."""
    return min(TOOL_LIMIT, COMBINED_LIMIT - len("mcp____") - len(server))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a tool is named after. `toolset` is the operation's tag, `verb` the one the document
    describes it with.
    """

    method: str
    path: str
    operation_id: str | None
    toolset: str = ""
    verb: str = ""

    @property
    def key(self) -> str:
        """What the operation is known by."""
        return f"{self.method} {self.path}"


def tool_names(
    subjects: Iterable[Subject],
    server: str,
    pinned: Mapping[str, str] = MappingProxyType({}),
    reserved: Iterable[str] = (),
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """`METHOD /path` → tool name.

    `pinned` are names that earlier runs gave (from the lock file): they are kept and no other
    operation may have them, nor those in `reserved`. `chosen` are names of the user's choice → the
    operation they are for, and no other one gets them either.
    """
    namings = {subject.key: _Naming(subject, server) for subject in subjects}
    for key, naming in namings.items():
        naming.pin(pinned.get(key))
    owners = dict.fromkeys(reserved, "") | dict(chosen)
    for _ in range(ROUNDS):
        for group in _coinciding(namings.values(), owners):
            _tell_apart(group)
    for length in (6, 12, 24):
        for group in _coinciding(namings.values(), owners):
            for naming in group:
                naming.mark(length)
    return {key: naming.name for key, naming in namings.items()}


@dataclass(slots=True)
class _Naming:
    """A name on its way."""

    subject: Subject
    server: str
    name: str = ""
    is_pinned: bool = False
    words: list[str] = field(default_factory=list)
    """The words of the name before it is shortened."""
    telling: list[str] = field(default_factory=list)
    """Words that tell the name from others, which stay when it is shortened."""

    def __post_init__(self) -> None:
        subject = self.subject
        self.words = operation_words(
            subject.operation_id, subject.method, subject.path, subject.verb
        )
        self.spell()

    def pin(self, name: str | None) -> None:
        """Keep the name of an earlier run."""
        if name is not None:
            self.name, self.is_pinned = name, True

    def candidates(self) -> list[str]:
        """The words that could tell the operation from others: first those its name has lost, then
        those of its path, then its method's.
        """
        parts = parts_of(self.subject.path)
        literals = [word for part in parts if not part.is_parameter for word in part.words]
        parameters = [f"by_{'_'.join(part.words)}" for part in parts if part.is_parameter]
        own = [word for word in self.words if word not in STOP_WORDS]
        identity = words(self.subject.operation_id or "")
        return list(dict.fromkeys([*own, *literals, *parameters, self.verb(), *identity]))

    def last_resorts(self) -> list[str]:
        """What may tell the operation from others where no word of its path does: the names in the
        path's query, the path's literals as one word each, the last one first, and its method.
        """
        literals = [part for part in parts_of(self.subject.path) if not part.is_parameter]
        compounds = dict.fromkeys("_".join(part.words) for part in reversed(literals))
        query = dict.fromkeys(words(self.subject.path.partition("?")[2]))
        by_query = [f"by_{'_'.join(query)}"] if query else []
        return [*by_query, *compounds, self.subject.method.lower()]

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
        suffix = "_" + digest(self.subject.key, length)
        limit = tool_limit(self.server) - len(suffix)
        toolset = {*words(self.subject.toolset)}
        short = shorten(self.words, limit, self.subject.path, toolset, ())
        self.name = _usable("_".join(short), self.server)[:limit].rstrip("_") + suffix


def _usable(name: str, server: str) -> str:
    """A name that starts with a letter and is nobody else's."""
    if not name[:1].isalpha():
        name = f"call_{name}".rstrip("_")
    if name in NOT_FOR_TOOLS:
        name = f"{server}_{name}"
    return name


def _coinciding(namings: Iterable[_Naming], owners: Mapping[str, str]) -> list[list[_Naming]]:
    """The names that coincide with each other, or that are another operation's, in groups.

    `owners`: name → the operation it is for; for a reserved one that is none.
    """
    by_name: defaultdict[str, list[_Naming]] = defaultdict(list)
    for naming in namings:
        by_name[naming.name].append(naming)
    groups = []
    for name, group in by_name.items():
        is_foreign = any(owners.get(name, each.subject.key) != each.subject.key for each in group)
        if len(group) > 1 or is_foreign:
            groups.append(group)
    return groups


def _tell_apart(group: list[_Naming]) -> None:
    """Give each name of a group a word that no other operation has, or else one that no other name
    had before it was shortened, or else the words that some lack, or else what no other has of the
    last resorts.
    """
    candidates = {naming.subject.key: naming.candidates() for naming in group}
    last_resorts = Counter(word for naming in group for word in naming.last_resorts())
    count = Counter(word for own in candidates.values() for word in own)
    in_names = Counter(word for naming in group for word in {*naming.words})
    for naming in group:
        if naming.is_pinned:
            continue
        new = [word for word in candidates[naming.subject.key] if word not in naming.telling]
        unique = [word for word in new if count[word] == 1]
        own = [word for word in new if in_names[word] == 1 == naming.words.count(word)]
        lacking = [word for word in new if count[word] < len(group)]
        last = [word for word in naming.last_resorts() if last_resorts[word] == 1]
        choices = (unique[:1], own[:1], lacking[:2], last[:1])
        naming.add(next(filter(None, choices), []))
