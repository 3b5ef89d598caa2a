"""Data of `mcpgen.lock`, and the matching of operations between two locks, so that names never
change by accident.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

FORMAT = 1
HINTS = ("read_only", "destructive", "idempotent", "open_world")
LOGIN = ("authorization_url", "device_url", "token_url", "metadata_url", "scopes")
"""Recorded keys of a credential's login."""

Operation = tuple[str, str | None]
"""(`METHOD /path`, operationId)"""
ArgumentKey = tuple[str, str]
"""(place, name on the wire), as (`query`, `page-size`)"""

PARAMETER = re.compile(r"\{([^{}]*)\}")
VERSION = re.compile(r"/v\d+(?:\.\d+)*(?=/|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLock:
    """The binding of one tool to its operation, and hashes of what the model sees.

    `own_name` is the name before the configuration renamed the tool. `arguments`: own name of an
    argument → its key; `gone_arguments`: those of earlier documents. `security` is None if the
    server's own applies. `odd` is what is suspicious about its texts (`hidden_text.kinds_of`).
    """

    name: str
    own_name: str
    operation_id: str | None
    method: str
    path: str
    toolset: str
    text: str
    schema: str
    hints: Mapping[str, bool]
    arguments: Mapping[str, ArgumentKey] = field(default_factory=dict)
    gone_arguments: Mapping[str, ArgumentKey] = field(default_factory=dict)
    base_url: str | None = None
    security: tuple[tuple[str, ...], ...] | None = None
    odd: tuple[str, ...] = ()

    @property
    def operation(self) -> str:
        """`METHOD /path`."""
        return f"{self.method} {self.path}"

    @property
    def identity(self) -> Operation:
        """`METHOD /path` and operationId of the operation."""
        return self.operation, self.operation_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """The names of a former tool: its operation is disabled, filtered, or gone. When it returns, it
    gets them again.
    """

    operation: str
    operation_id: str | None
    own_name: str
    arguments: Mapping[str, ArgumentKey] = field(default_factory=dict)

    @property
    def identity(self) -> Operation:
        """`METHOD /path` and operationId of the operation."""
        return self.operation, self.operation_id


@dataclass(frozen=True, slots=True)
class Once:
    """A file that is written once: the hash of the text written, and the version of mcpgen then.
    Both are empty for a file older than mcpgen's file of this name.

    `newest` is the hash of today's text, empty if it is the same.
    """

    hash: str
    generator: str
    newest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The content of `mcpgen.lock`.

    * `name`: the server's name; a new title of the document does not rename it.
    * `apis`: name of each further API → the API whose variables it has, most often itself. The
      empty name → the file of the first API. Names and credentials stay with their API.
    * `servers`: API → the servers in its document, for the other APIs if it is removed: the first
      (the empty name), and each whose variables another one has.
    * `customised`: each `[tools."…"]` table of the configuration → its operation, so that the table
      still applies after the document renames the operation.
    * `models`: the class name of each type in `models.py`, by the origin of the type.
    * `files`: path → `text_hash`, filled in by `write`.
    * `made`: path of each formatted module → hash of its inputs.
    * `parts`: parts that an earlier version gave to every server and `mcpgen.toml` does not name.
    * `once`: the user's files, written once; filled in by `write`.
    * `own`: the Tool objects of the user's code by name; None in a lock without them.
    * `env_prefix`: the beginning of the server's environment variables, in a lock that does not say
      it `MCPGEN_BOOKSHOP`.
    """

    generator: str
    document: str
    openapi: str
    config: str
    base_url: str | None
    allowed_origins: tuple[str, ...]
    auth: Mapping[str, Mapping[str, Any]]
    security: tuple[tuple[str, ...], ...]
    tools: tuple[ToolLock, ...]
    former: tuple[Former, ...] = ()
    customised: Mapping[str, Operation] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    once: Mapping[str, Once] = field(default_factory=dict)
    name: str = ""
    apis: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, Any]] | None = None
    parts: tuple[str, ...] = ()
    env_prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedTools:
    """The tools of two locks: in both (old, new), only in the old, only in the new."""

    kept: tuple[tuple[ToolLock, ToolLock], ...]
    gone: tuple[ToolLock, ...]
    added: tuple[ToolLock, ...]

    @property
    def renamed(self) -> list[tuple[str, str]]:
        """(old, new) name of every renamed tool."""
        return [(was.name, now.name) for was, now in self.kept if was.name != now.name]


def same(before: Iterable[Operation], listed: list[Operation]) -> dict[Operation, str]:
    """Return old operation → `METHOD /path` today: of the same operation, else by method and path,
    also with other names of its parameters, else by operationId.

    Words that occur twice identify nothing. No operation is found twice; removed ones are left out.
    """
    left = dict.fromkeys(before)
    today: dict[Operation, str] = {}
    old_count = Counter(identity for _, identity in left)
    new_count = Counter(identity for _, identity in listed)
    free = dict.fromkeys(listed)

    def meet(before: Operation, now: Operation) -> None:
        today[before] = now[0]
        del left[before], free[now]

    for pair in [pair for pair in left if pair in free]:
        meet(pair, pair)
    by_operation = {pair[0]: pair for pair in free}
    for pair in list(left):
        now = by_operation.pop(pair[0], None)
        if now is not None:
            meet(pair, now)
    counts = Counter(template(pair[0]) for pair in free)
    by_template = {template(pair[0]): pair for pair in free}
    for pair in list(left):
        now = by_template.get(template(pair[0]))
        if now in free and counts[template(pair[0])] == 1:
            meet(pair, now)
    by_identity = {pair[1]: pair for pair in free if new_count[pair[1]] == 1}
    by_identity.pop(None, None)
    for pair in list(left):
        now = by_identity.get(pair[1])
        if now is not None and old_count[pair[1]] == 1:
            meet(pair, now)
    return today


def template(path: str) -> str:
    """Return a path without the names of its parameters, which no request carries: `/books/{}`."""
    return PARAMETER.sub("{}", path)


def shape(path: str) -> str:
    """Return a path without versions and names of parameters: `/v1/books/{id}` → `/books/{}`."""
    return VERSION.sub("", template(path))


def successors(gone: Iterable[str], added: Iterable[str]) -> dict[str, str]:
    """Return removed operation → the only new one of its shape, as `GET /v1/books` becomes `GET
    /v2/books`; else the only one that is the same below a prefix, as `GET /admin/books` is.
    """
    left, new = list(gone), list(added)
    by_shape = _by_key((shape(now), now) for now in new)
    found = _unmistakable([(was, now) for was in left for now in by_shape.get(shape(was), ())])
    taken = {*found, *found.values()}
    ends = {each: _ends(each) for each in (*left, *new) if each not in taken}
    by_end = _by_key((end, now) for now in new for end in ends.get(now, ()))
    wholes = _by_key((end, now) for now in new for end in ends.get(now, ())[:1])
    pairs: list[tuple[str, str]] = []
    for was in left:
        for number, end in enumerate(ends.get(was, ())):
            found_here = wholes if number else by_end  # the new path is the shorter one, or the old
            pairs += [(was, now) for now in found_here.get(end, ())]
    return found | _unmistakable(pairs)


def _by_key(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return key → its values, of pairs."""
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _unmistakable(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return first → second of the pairs without a name that another pair has."""
    counts = Counter(name for pair in pairs for name in pair)
    return {was: now for was, now in pairs if counts[was] == counts[now] == 1}


def _ends(operation: str) -> list[str]:
    """Return the shape of an operation, then its rests without a prefix of the path, with a
    literal: `GET/admin/books`, `GET/books`.
    """
    method, _, path = shape(operation).partition("/")
    ends = [f"/{path}"[found.start() :] for found in re.finditer("/", f"/{path}")]
    return [method + end for end in ends if end.replace("/{}", "").strip("/")]


def renamed_parameters(before: str, now: str) -> dict[str, str]:
    """Return old name → new name of each parameter of a path, by position; empty for paths with
    other literals.
    """
    if shape(before) != shape(now):
        return {}
    return dict(zip(PARAMETER.findall(before), PARAMETER.findall(now), strict=True))


def match(old: Lock, new: Lock) -> MatchedTools:
    """Match the tools of an old lock with the tools of a new one.

    A tool is the same if its operation is (`same`), else if its name is: callers use the name and
    get its new meaning.
    """
    free = {tool.operation: tool for tool in new.tools}
    today = same(
        ((tool.operation, tool.operation_id) for tool in old.tools),
        [(tool.operation, tool.operation_id) for tool in new.tools],
    )
    kept: list[tuple[ToolLock, ToolLock]] = []
    left: list[ToolLock] = []
    for tool in old.tools:
        operation = today.get((tool.operation, tool.operation_id), "")
        if operation in free:
            kept.append((tool, free.pop(operation)))
        else:
            left.append(tool)
    by_name = {tool.name: tool for tool in free.values()}
    kept += [(tool, by_name[tool.name]) for tool in left if tool.name in by_name]
    names = {tool.name for tool in left}
    return MatchedTools(
        kept=tuple(kept),
        gone=tuple(tool for tool in left if tool.name not in by_name),
        added=tuple(tool for tool in free.values() if tool.name not in names),
    )
