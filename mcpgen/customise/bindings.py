"""Names and tables of `mcpgen.toml` that belong to an operation.

An operation is the same as in the last run if its method and path are, else if its operationId is.
So it keeps its tool, all names and its table when the document renames the operationId or moves the
path, and no tool starts to call another operation. A table may be for many tools:
`[tools."read_*"]` and `[tools.tag."Flows"]`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any

from ..config import Config, Pinned, Selection, ToolConfig
from ..ir import CHOOSES_FIELDS, Origin, within
from ..load import Document
from ..load.beside import stem_of
from ..load.document import FILES, UnresolvedReference
from ..load.operations import DocumentedOperation
from ..load.operations import operations as load_operations
from ..load.source import DOCUMENT_ENDINGS, FOLDER
from ..load.values import texts_in
from ..lock import ArgumentKey, Former, Lock, Operation, ToolLock
from ..lock.model import renamed_parameters, same, successors
from ..runtime.pointer import escape


def pin(config: Config, lock: Lock | None, document: Document) -> Config:
    """Return the configuration with the names of the last run that this run must keep (`pinned`),
    and with renamed operations in its selection.
    """
    tags = {}
    if config.tags:
        items = documented(document)
        tags = {
            item.key: tuple(within(item.api, tag) for tag in texts_in(item.node.get("tags")))
            for item in items
        }
    if lock is None and not config.tools:
        return replace(config, pinned=Pinned(tags=tags))
    listed = operations(document)
    named = _by_word(listed)
    last = _Last(lock, listed)
    formerly = {}
    for key in config.tools:
        if key not in last.by_word:
            continue
        operation = last.today.get(last.by_word[key], "")
        if not _names(named, key, operation):
            formerly[key] = operation
    chosen: dict[str, str] = {}
    chosen_arguments: dict[str, dict[str, str]] = {}
    for key, table in config.tools.items():
        if formerly.get(key) == "":  # its operation is gone: nothing is to be called so
            continue
        operation = _one_operation(named, formerly.get(key, key))
        for name in filter(None, (table.name, *table.aliases)):
            chosen[name] = operation
        names = {entry.name: word for word, entry in table.arguments.items() if entry.name}
        if operation and names:
            chosen_arguments[operation] = names
    pinned = Pinned(
        tools=last.tools(),
        arguments=last.arguments(),
        bodies=last.bodies(),
        gone_arguments=last.gone_arguments(),
        toolsets=last.toolsets(),
        models=_models(config, lock, document),
        credentials=last.credentials,
        chosen=chosen,
        chosen_arguments=chosen_arguments,
        formerly=formerly,
        successors=last.successors(listed),
        tags=tags,
        env_prefix=_prefix(config, lock),
    )
    selection = _selection(config.selection, last.today, named)
    return replace(config, pinned=pinned, selection=selection)


def _models(config: Config, lock: Lock | None, document: Document) -> dict[str, str]:
    """Return origin of a type → class name in the last run. Older locks have other paths of files
    in the origins, from `ref_root` or the document's folder: these are rewritten.
    """
    models = {} if lock is None else dict(lock.models)
    if document.source.path is None:
        return models
    home = os.path.realpath(document.source.path.parent)
    ways = {}
    if config.ref_root is not None:
        ways[os.path.relpath(home, os.path.realpath(config.ref_root))] = ""
    if config.folder is not None:
        ways[os.path.relpath(os.path.realpath(config.folder), home)] = ".~1"
    for way, own in ways.items():
        start = f"#/{FILES}/{escape(PurePath(way).as_posix())}~1"
        if not way.endswith("."):  # the folder itself, or one above
            models = {key.replace(start, f"#/{FILES}/{own}"): models[key] for key in models}
    return models


def _prefix(config: Config, lock: Lock | None) -> str:
    """Return the prefix of environment variables in the last run; empty without one or for a
    renamed server.
    """
    if lock is None:
        return ""
    return lock.env_prefix * (config.name in (None, lock.name))


class _Last:
    """The operations of the last run and of earlier runs, in today's document.

    `today` maps them to `METHOD /path`; `by_word` maps words (operationId, `METHOD /path`, first of
    all keys of `[tools]`) to them. Empty without a lock.
    """

    def __init__(self, lock: Lock | None, listed: list[Operation]) -> None:
        self.today: dict[Operation, str] = {}
        self.by_word: dict[str, Operation] = {}
        self.customised: list[Operation] = []
        self.entries: dict[str, ToolLock | Former] = {}
        self.credentials: dict[str, tuple[str, ...]] = {}
        if lock is None:
            return
        self.credentials = {name: tuple(auth["variables"]) for name, auth in lock.auth.items()}
        self.by_word = _operations_by_word(lock)
        self.customised = [*lock.customised.values()]
        identities = [tool.identity for tool in lock.tools]
        self.today = same([*identities, *self.by_word.values()], listed)
        for tool in lock.tools:
            if tool.identity in self.today:
                self.entries[self.today[tool.identity]] = tool
        left = [pair for pair in listed if pair[0] not in self.entries]
        returned = same([former.identity for former in lock.former], left)
        for former in lock.former:
            if former.identity in returned:
                self.entries[returned[former.identity]] = former

    def successors(self, listed: list[Operation]) -> dict[str, str]:
        """Return word of a removed operation → its possible successor: a new operation, else one
        without a table in `[tools]`.
        """
        gone = {word: pair[0] for word, pair in self.by_word.items() if pair not in self.today}
        found: dict[str, str] = {}
        for known in (self.customised, self.today):
            others = [pair[0] for pair in listed if pair[0] not in {*map(self.today.get, known)}]
            found |= successors({*gone.values()}, others)
        return {word: found[operation] for word, operation in gone.items() if operation in found}

    def tools(self) -> dict[str, str]:
        """Return operation → name of its tool, without names that another tool got meanwhile."""
        names: dict[str, str] = {}
        in_use: set[str] = set()
        for operation, entry in self.entries.items():
            if isinstance(entry, ToolLock) or entry.own_name not in in_use:
                names[operation] = entry.own_name
                in_use.add(entry.own_name)
        return names

    def arguments(self) -> dict[str, dict[ArgumentKey, str]]:
        """Return operation → (place, name on the wire) → name of the argument, removed arguments
        too.
        """
        arguments = {}
        for operation, entry in self.entries.items():
            renamed = renamed_parameters(entry.operation, operation)
            names = {}
            for name, (place, wire_name) in _all_arguments(entry).items():
                if place == "path":
                    wire_name = renamed.get(wire_name, wire_name)
                names[place, wire_name] = name
            if names:
                arguments[operation] = names
        return arguments

    def bodies(self) -> dict[str, frozenset[str]]:
        """Return operation → the names on the wire of the arguments in its body."""
        return {
            operation: frozenset(
                name for place, name in entry.arguments.values() if place == "body"
            )
            for operation, entry in self.entries.items()
        }

    def toolsets(self) -> dict[str, str]:
        """Return operation → the toolset of its tool in the last run."""
        return {
            operation: entry.toolset
            for operation, entry in self.entries.items()
            if isinstance(entry, ToolLock)
        }

    def gone_arguments(self) -> dict[str, frozenset[str]]:
        """Return operation → all names, its own and on the wire, of arguments that it has or
        had.
        """
        words = {}
        for operation, entry in self.entries.items():
            every = _all_arguments(entry).items()
            arguments = {name: key for name, key in every if key != CHOOSES_FIELDS}
            wire_names = [wire_name for _, wire_name in arguments.values()]
            words[operation] = frozenset([*arguments, *wire_names])
        return words


def _all_arguments(entry: ToolLock | Former) -> Mapping[str, ArgumentKey]:
    if isinstance(entry, Former):
        return entry.arguments
    return {**entry.gone_arguments, **entry.arguments}


def _one_operation(named: Mapping[str, Collection[Operation]], key: str) -> str:
    """Return the only operation (`METHOD /path`) of a name; empty for none and for several."""
    method, _, path = key.strip().partition(" ")
    pairs = named.get(key, named.get(f"{method.upper()} {path.strip()}", ()))
    if len(pairs) != 1:
        return ""
    return next(iter(pairs))[0]


def _names(named: dict[str, set[Operation]], key: str, operation: str) -> bool:
    """Return whether a key names an operation (`METHOD /path`) today; an empty operation is any."""
    if key not in named:
        return False
    if not operation:
        return True
    return operation in {pair[0] for pair in named[key]}


def _operations_by_word(lock: Lock) -> dict[str, Operation]:
    """Return word → operation of the last run: operationId, `METHOD /path`, and its key in
    `[tools]`, which takes precedence.
    """
    words: dict[str, Operation] = {}
    for tool in lock.tools:
        words |= {word: tool.identity for word in tool.identity if word}
    return words | dict(lock.customised)


def _selection(
    selection: Selection, today: dict[Operation, str], words: Collection[str]
) -> Selection:
    """Return the selection with each renamed operation of `include_operations` as its `METHOD
    /path` today. `words` are the names of today's operations: an old name among them stays as well.
    """
    renamed = {}
    for before, operation in today.items():
        for word in before:
            if word and word != operation:
                renamed[word] = operation
    included: list[str] = []
    for word in selection.include_operations:
        if word in words or word not in renamed:
            included.append(word)
        if word in renamed:
            included.append(renamed[word])
    return replace(selection, include_operations=tuple(included))


def customised(config: Config, lock: Lock | None, document: Document) -> dict[str, Operation]:
    """Return key of `[tools]` → operation, for the next lock. Removed operations keep their entry.
    `config` is a result of `pin`.
    """
    named = _by_word(operations(document))
    before: dict[str, Operation] = {}
    if lock is not None:
        before = _operations_by_word(lock)
    entries: dict[str, Operation] = {}
    for key in config.tools:
        pairs = named.get(config.pinned.formerly.get(key, ""), named.get(key, set()))
        if len(pairs) == 1:
            entries[key] = next(iter(pairs))
        elif key in before:
            entries[key] = before[key]
    return entries


def _by_word(listed: list[Operation]) -> dict[str, set[Operation]]:
    """Return operationId or `METHOD /path` → the operations of that name."""
    operations: dict[str, set[Operation]] = {}
    for pair in listed:
        for word in pair:
            if word:
                operations.setdefault(word, set()).add(pair)
    return operations


def operations(document: Document) -> list[Operation]:
    """Return (`METHOD /path`, operationId) of every operation of an upgraded document, in the order
    of `parse`.
    """
    return [(item.key, item.operation_id) for item in documented(document)]


def documented(document: Document) -> list[DocumentedOperation]:
    """Return every readable operation of an upgraded document; `parse` reports the others."""

    def deref(node: Any, pointer: str) -> tuple[Any, str]:
        try:
            return document.deref(node, pointer)
        except UnresolvedReference:  # reported by `parse`
            return None, pointer

    return list(load_operations(document, deref))


def known_apis(lock: Lock) -> dict[str, str]:
    """Return `Lock.apis`; of an older lock as far as its tools and its copies of documents tell."""
    if lock.apis:
        return dict(lock.apis)
    entries: list[ToolLock | Former] = [*lock.tools, *lock.former]
    places = [entry.operation.partition(" ")[2] for entry in entries]
    names = [place.partition(":")[0] for place in places if place[:1] != "/"]
    apis = dict(zip(names, names, strict=True))
    first = _first_document(lock, apis)
    return {**apis, "": first} if first else apis


def known_operations(lock: Lock) -> dict[str, set[str]]:
    """Return API → `METHOD /path` of its tools in the lock; empty if there is one API."""
    found: dict[str, set[str]] = {}
    for tool in lock.tools:
        api = tool.path.partition("/")[0].removesuffix(":")
        found.setdefault(api, set()).add(f"{tool.method} {tool.path.removeprefix(f'{api}:')}")
    return found if lock.apis else {}


def _first_document(lock: Lock, apis: Collection[str]) -> str:
    """Return the name of the only copy of a document that belongs to none of these APIs; empty for
    none or several.
    """
    copies = [PurePath(path) for path in lock.files if path.startswith(f"{FOLDER}/")]
    names = {stem_of(path.name) for path in copies if path.suffix in DOCUMENT_ENDINGS}
    names -= {"answers", "mcpgen_schema", *apis}
    return names.pop() if len(names) == 1 else ""


@dataclass(frozen=True, slots=True)
class Many:
    """A table for many tools: `word` is a glob, or a tag of the document."""

    path: tuple[str, ...]
    word: str
    config: ToolConfig

    @property
    def header(self) -> str:
        """The table's header in the file."""
        return f'`[{".".join(self.path[:-1])}."{self.word}"]`'


def of_tool(config: Config, origin: Origin, *names: str) -> Iterator[Many]:
    """Yield the tables for many tools that match a tool (`names`, operationId, operation), the most
    special last: tags, then globs by their number of characters without `*`.
    """
    tags = config.pinned.tags.get(origin.operation, ())
    for tag, table in config.tags.items():
        if tag in tags:
            yield Many(("tools", "tag", tag), tag, table)
    words = [*names, origin.operation_id or "", origin.operation]
    for glob in sorted(config.globs, key=lambda glob: len(glob.replace("*", ""))):
        if any(fnmatchcase(word, glob) for word in words if word):
            yield Many(("tools", glob), glob, config.globs[glob])


def table_of(config: Config, origin: Origin, name: str, own: str) -> ToolConfig:
    """Return the merged tables of a tool; `own` is the key of its own table, if any."""
    made = ToolConfig()
    tables = [(many.path, many.config) for many in of_tool(config, origin, name)]
    if own in config.tools:
        tables.append((("tools", own), config.tools[own]))
    for path, table in tables:
        made = merged(made, table, says_enabled=(*path, "enabled") in config.places)
    return made


def every(config: Config) -> Iterator[Many]:
    """Yield every table for many tools."""
    for tag, table in config.tags.items():
        yield Many(("tools", "tag", tag), tag, table)
    for glob, table in config.globs.items():
        yield Many(("tools", glob), glob, table)


def merged(general: ToolConfig, special: ToolConfig, *, says_enabled: bool) -> ToolConfig:
    """Return `general` with the settings of `special` over it; `answer` and each argument as a
    whole. `says_enabled`: `special` has the key `enabled`.
    """
    changes = {
        key.name: getattr(special, key.name)
        for key in fields(special)
        if key.name != "arguments" and getattr(special, key.name) != key.default
    }
    if says_enabled:
        changes["enabled"] = special.enabled
    if not changes.keys().isdisjoint(("read_only", "destructive")):
        general = replace(general, read_only=None, destructive=None)  # one excludes the other
    return replace(general, **changes, arguments={**general.arguments, **special.arguments})
