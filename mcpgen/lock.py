"""`mcpgen.lock`: what was generated from what.

The lock file holds no time and no absolute path, so that an unchanged document gives an unchanged
lock. Hashes are SHA-256 of LF-normalised text: a checkout that turned the line ends into CRLF is
not an edit. One file and one tool per line, so that two branches that both regenerated merge, or
conflict, line by line.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import __version__, ir
from .lint.hidden_text import kinds_of
from .paths import Obstacle, check_generated, check_paths, obstacle, packages, read_plain
from .problems import OutputConflictError, Problem
from .text import shorten, visible

NAME = "mcpgen.lock"
PENDING = "mcpgen.lock.new"
"""The next lock, while a run is writing and after one that was interrupted."""
FORMAT = 1
HINTS = ("read_only", "destructive", "idempotent", "open_world")

Operation = tuple[str, str | None]
"""(`METHOD /path`, operationId)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLock:
    """The binding of one tool to its operation, and hashes of what the model sees.

    `given` is the name before the configuration renamed the tool. `security` is None where the
    server's own applies. `odd` is what is suspicious about its texts (`suspicious.kinds_of`).
    """

    name: str
    given: str
    operation_id: str | None
    method: str
    path: str
    toolset: str
    text: str
    schema: str
    hints: Mapping[str, bool]
    base_url: str | None = None
    security: tuple[tuple[str, ...], ...] | None = None
    odd: tuple[str, ...] = ()

    @property
    def operation(self) -> str:
        """`METHOD /path`."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything `mcpgen.lock` says.

    `name` is the server's, so that a new title of the document does not rename it.
    `customised` is which operation each `[tools."…"]` table of the configuration is about, so that
    the table goes on applying when the document calls the operation something else. `files` is
    filled in by `write`: path → `text_hash`.
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
    customised: Mapping[str, Operation] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    name: str = ""


def text_hash(content: str | bytes) -> str:
    """SHA-256 of a file, with CRLF and lone CR read as LF; bytes that are not UTF-8 text are hashed
    as they are.
    """
    data = content.encode() if isinstance(content, str) else content
    if b"\r" in data and b"\0" not in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return hashlib.sha256(data).hexdigest()


def data_hash(value: Any) -> str:
    """The first 16 hex digits of the SHA-256 of a JSON value in canonical form."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def facts(
    server: ir.Server,
    *,
    document: str,
    openapi: str,
    config: str,
    customised: Mapping[str, Operation] | None = None,
) -> Lock:
    """What the lock says of one run, without the files.

    `document` is the hash of the normalised document, `openapi` its version, `config` the hash of
    the configuration.
    """
    original_names = dict(server.original_names)
    return Lock(
        generator=__version__,
        document=document,
        openapi=openapi,
        config=config,
        base_url=server.base_url,
        allowed_origins=server.allowed_origins,
        auth={auth.name: _auth(auth) for auth in server.auth},
        security=server.security,
        tools=tuple(
            _tool(tool, toolset.name, original_names)
            for toolset in server.toolsets
            for tool in toolset.tools
        ),
        customised=customised or {},
        name=server.name,
    )


def _auth(auth: ir.Auth) -> dict[str, Any]:
    return {
        "kind": auth.kind,
        "place": auth.place,
        "wire_name": auth.wire_name,
        "scheme": auth.scheme,
        "token_url": auth.token_url,
        "scopes": list(auth.scopes),
        "variables": list(auth.variables),
        **({} if auth.declared else {"declared": False}),
    }


def _tool(tool: ir.Tool, toolset: str, given: Mapping[str, str]) -> ToolLock:
    return ToolLock(
        name=tool.name,
        given=given.get(f"{tool.origin.method} {tool.origin.path}", tool.name),
        operation_id=tool.origin.operation_id,
        method=tool.origin.method,
        path=tool.origin.path,
        toolset=toolset,
        text=data_hash([tool.title, tool.description]),
        schema=data_hash([tool.input_schema, tool.output_schema]),
        hints={name: getattr(tool.hints, name) for name in HINTS},
        base_url=tool.request.base_url if tool.request else None,
        security=tool.request.security if tool.request else None,
        odd=kinds_of(
            tool.title,
            tool.description,
            json.dumps([tool.input_schema, tool.output_schema], ensure_ascii=False),
        ),
    )


def dump(lock: Lock) -> str:
    """The text of the lock file: JSON, ASCII, the same for the same facts."""
    head = {
        "lock": FORMAT,
        "generator": lock.generator,
        "document": lock.document,
        "openapi": lock.openapi,
        "name": lock.name,
        "config": lock.config,
        "base_url": lock.base_url,
        "allowed_origins": list(lock.allowed_origins),
        "security": _lists(lock.security),
    }
    lines = ["{"]
    lines += [f'  "{key}": {json.dumps(value)},' for key, value in head.items()]
    lines += _table("auth", lock.auth)
    lines += _table("customised", lock.customised)
    lines += _table("files", lock.files)
    lines += _block("tools", [json.dumps(_tool_data(tool)) for tool in lock.tools], "[]")
    return _signed("\n".join(lines))


def _table(key: str, values: Mapping[str, Any]) -> list[str]:
    return _block(
        key, [f"{json.dumps(name)}: {json.dumps(values[name])}" for name in sorted(values)], "{}"
    )


def _signed(body: str) -> str:
    """The lock with the hash of everything above as its last line: an edit of the lock itself
    shows.
    """
    return f'{body}\n  "integrity": "{text_hash(body)}"\n}}\n'


def _block(key: str, items: list[str], brackets: str) -> list[str]:
    if not items:
        return [f'  "{key}": {brackets},']
    return [
        f'  "{key}": {brackets[0]}',
        ",\n".join(f"    {item}" for item in items),
        f"  {brackets[1]},",
    ]


def _tool_data(tool: ToolLock) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": tool.name,
        "operation_id": tool.operation_id,
        "operation": tool.operation,
        "toolset": tool.toolset,
        "text": tool.text,
        "schema": tool.schema,
        "hints": [name for name in HINTS if tool.hints.get(name)],
    }
    if tool.given != tool.name:
        data["given"] = tool.given
    if tool.base_url is not None:
        data["base_url"] = tool.base_url
    if tool.security is not None:
        data["security"] = _lists(tool.security)
    if tool.odd:
        data["odd"] = list(tool.odd)
    return data


def _lists(security: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    return [list(names) for names in security]


def parse_lock(text: str) -> Lock:
    """The lock a text says. Raises ValueError or KeyError when it is not one this version reads.

    Every path in it is one that mcpgen may write; every value has its type.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("lock") != FORMAT:
        number = data.get("lock") if isinstance(data, dict) else None
        raise ValueError(f"its format is {number!r}, this version of mcpgen reads {FORMAT}")
    files = {path: _text(value) for path, value in _object(data["files"]).items()}
    for path in files:
        check_generated(path)
    check_paths(files)
    return Lock(
        generator=_text(data["generator"]),
        document=_text(data["document"]),
        openapi=_text(data["openapi"]),
        config=_text(data["config"]),
        base_url=_text_or_none(data["base_url"]),
        allowed_origins=_texts(data["allowed_origins"]),
        auth={name: _object(auth) for name, auth in _object(data["auth"]).items()},
        security=_alternatives(data["security"]),
        tools=tuple(_read_tool(_object(tool)) for tool in _list(data["tools"])),
        customised={key: _operation(value) for key, value in _object(data["customised"]).items()},
        files=files,
        name=_text(data.get("name", _name_of(files))),
    )


def _read_tool(data: dict[str, Any]) -> ToolLock:
    method, _, path = _text(data["operation"]).partition(" ")
    hints = _texts(data["hints"])
    return ToolLock(
        name=_text(data["name"]),
        given=_text(data.get("given", data["name"])),
        operation_id=_text_or_none(data["operation_id"]),
        method=method,
        path=path,
        toolset=_text(data["toolset"]),
        text=_text(data["text"]),
        schema=_text(data["schema"]),
        hints={name: name in hints for name in HINTS},
        base_url=_text_or_none(data.get("base_url")),
        security=_alternatives(data["security"]) if "security" in data else None,
        odd=_texts(data.get("odd", [])),
    )


def _name_of(files: Mapping[str, str]) -> str:
    """The server's name in a lock of version 0.1.0, which did not say it: that of the package."""
    return next(iter(sorted(packages(files))), "").removesuffix("_mcp")


def _operation(value: Any) -> Operation:
    operation, identity = _list(value)
    return _text(operation), _text_or_none(identity)


def _alternatives(value: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(_texts(names) for names in _list(value))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(item) for item in _list(value))


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)} is not text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{_shown(value)} is not a list")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{_shown(value)} is not an object")
    return value


def _shown(value: Any) -> str:
    return shorten(visible(json.dumps(value)), 40)


def read_lock(folder: Path) -> Lock | None:
    """The lock of a project, or None where there is none. Raises OutputConflictError (E1204) when
    it cannot be understood, or names a path that mcpgen does not write or that leads over a link.
    """
    return _read(folder, NAME)


def read_pending(folder: Path) -> Lock | None:
    """The lock that an interrupted run was writing; None where none was. Raises as `read_lock`."""
    return _read(folder, PENDING)


def is_interrupted(folder: Path) -> bool:
    """Whether a run in this project did not come to its end."""
    return os.path.lexists(folder / PENDING)


def owned(*locks: Lock | None) -> dict[str, frozenset[str]]:
    """Every path of these locks, with the hashes it has in them: such files are mcpgen's."""
    hashes: dict[str, frozenset[str]] = {}
    for lock in locks:
        for path, value in lock.files.items() if lock is not None else ():
            hashes[path] = hashes.get(path, frozenset()) | {value}
    return hashes


def _read(folder: Path, name: str) -> Lock | None:
    try:
        content = read_plain(folder, name)
    except OSError as error:
        raise _unreadable(folder, name, str(error)) from error
    if content is None:
        return None
    if isinstance(content, Obstacle):
        raise _unreadable(folder, name, str(content), _remedy(name))
    return _understood(folder, name, content)


def _understood(folder: Path, name: str, content: bytes) -> Lock:
    try:
        lock = parse_lock(content.decode())
    except KeyError as error:
        raise _unreadable(folder, name, f"{error} is missing", _remedy(name, content)) from error
    except (ValueError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        if _has_conflict(content):
            reason = "it holds an unresolved merge conflict"
        raise _unreadable(folder, name, reason, _remedy(name, content)) from error
    for path in lock.files:
        blocked = obstacle(folder, path)
        if blocked is not None:
            reason = f"it names `{path}`, but {blocked}"
            raise _unreadable(folder, name, reason, "move that away; mcpgen follows no link")
    return lock


RESTORE = (
    "restore it from version control (`git checkout mcpgen.lock`), or remove it: then files that"
    " differ from what would be generated are refused, not overwritten"
)
REMOVE = (
    "remove it and run `mcpgen generate`: it only says which files an interrupted run had written"
)
MERGE = "take either side (`git checkout --theirs mcpgen.lock`), then run `mcpgen generate`"


def _remedy(name: str, content: bytes = b"") -> str:
    """What to do about a lock that is not one this version reads."""
    if name == PENDING:
        return REMOVE
    if _has_conflict(content):
        return MERGE
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return RESTORE
    if isinstance(data, dict) and isinstance(data.get("lock"), int) and data["lock"] > FORMAT:
        version = shorten(visible(str(data.get("generator", ""))), 20)
        return (
            f"it was written by mcpgen {version}, this is {__version__}: install that version or a"
            " later one (`pip install --upgrade mcpgen`)"
        )
    return RESTORE


def _has_conflict(content: bytes) -> bool:
    return b"<<<<<<<" in content and b">>>>>>>" in content


def _unreadable(
    folder: Path, name: str, reason: str, hint: str = "make it readable"
) -> OutputConflictError:
    return OutputConflictError.of("E1204", f"cannot read `{folder / name}`: {reason}", hint)


def interruption(folder: Path) -> Problem:
    """What to say of a project in which a run was interrupted, to whoever only reads it."""
    return Problem(
        code="E1210",
        severity="warning",
        message=f"a run of mcpgen in `{folder}` was interrupted: `{PENDING}` is still there",
        hint="run `mcpgen generate`, which completes it",
    )


def integrity_holds(text: str) -> bool:
    """Whether the last line of a lock file is the hash of the lines above it."""
    body, separator, _ = text.replace("\r\n", "\n").rpartition('\n  "integrity": ')
    return bool(separator) and _signed(body) == text.replace("\r\n", "\n")


def with_files(lock: Lock, files: Mapping[str, str | bytes]) -> Lock:
    """The lock that also owns these files."""
    return replace(lock, files={path: text_hash(content) for path, content in files.items()})
