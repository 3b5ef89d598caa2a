"""`mcpgen.lock`: what was generated from what.

The lock file holds no time and no absolute path, so that an unchanged document gives an unchanged
lock. Hashes are SHA-256 of LF-normalised text: a checkout that turned the line ends into CRLF is
not an edit. One file and one tool per line, so that two branches that both regenerated merge, or
conflict, line by line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import __version__, ir
from .lint.hidden_text import kinds_of
from .problems import OutputConflictError, Problem

NAME = "mcpgen.lock"
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
            _tool(tool, toolset.name, server.given_names)
            for toolset in server.toolsets
            for tool in toolset.tools
        ),
        customised=customised or {},
    )


def _auth(auth: ir.Auth) -> dict[str, Any]:
    return {
        "kind": auth.kind,
        "place": auth.place,
        "wire_name": auth.wire_name,
        "scheme": auth.scheme,
        "token_url": auth.token_url,
        "variables": list(auth.variables),
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
    """The lock a text says. Raises ValueError (KeyError, TypeError) when it is not one this version
    reads.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("lock") != FORMAT:
        found = data.get("lock") if isinstance(data, dict) else None
        raise ValueError(f"its format is {found!r}, this version of mcpgen reads {FORMAT}")
    files = data["files"]
    if not all(isinstance(path, str) and isinstance(value, str) for path, value in files.items()):
        raise ValueError("`files` is not a table of hashes")
    return Lock(
        generator=str(data["generator"]),
        document=str(data["document"]),
        openapi=str(data["openapi"]),
        config=str(data["config"]),
        base_url=data["base_url"],
        allowed_origins=tuple(data["allowed_origins"]),
        auth=data["auth"],
        security=_tuples(data["security"]),
        tools=tuple(_read_tool(tool) for tool in data["tools"]),
        customised={
            key: (operation, identity) for key, (operation, identity) in data["customised"].items()
        },
        files=files,
    )


def _read_tool(data: dict[str, Any]) -> ToolLock:
    method, _, path = str(data["operation"]).partition(" ")
    return ToolLock(
        name=data["name"],
        given=data.get("given", data["name"]),
        operation_id=data["operation_id"],
        method=method,
        path=path,
        toolset=data["toolset"],
        text=data["text"],
        schema=data["schema"],
        hints={name: name in data["hints"] for name in HINTS},
        base_url=data.get("base_url"),
        security=_tuples(data["security"]) if "security" in data else None,
        odd=tuple(data.get("odd", ())),
    )


def _tuples(security: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names) for names in security)


def read_lock(folder: Path) -> Lock | None:
    """The lock of a project, or None where there is none. Raises OutputConflictError when it cannot
    be understood.
    """
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise OutputConflictError(_unreadable(str(path), str(error))) from error
    try:
        return parse_lock(text)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        merge = "<<<<<<<" in text and ">>>>>>>" in text
        reason = (
            "it holds an unresolved merge conflict" if merge else f"{type(error).__name__}: {error}"
        )
        raise OutputConflictError(_unreadable(str(path), reason)) from error


def _unreadable(path: str, reason: str) -> Problem:
    return Problem(
        code="E1204",
        severity="error",
        message=f"cannot read `{path}`: {reason}",
        hint=(
            "take either side (`git checkout --theirs mcpgen.lock`), then run `mcpgen generate"
            " --force`"
        ),
    )


def integrity_holds(text: str) -> bool:
    """Whether the last line of a lock file is the hash of the lines above it."""
    body, separator, _ = text.replace("\r\n", "\n").rpartition('\n  "integrity": ')
    return bool(separator) and _signed(body) == text.replace("\r\n", "\n")


def with_files(lock: Lock, files: Mapping[str, str | bytes]) -> Lock:
    """The lock that also owns these files."""
    return replace(lock, files={path: text_hash(content) for path, content in files.items()})
