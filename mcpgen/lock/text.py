"""The text of `mcpgen.lock`, and the lock of a project on disk: read, never written here.

One file and one tool per line, so that two branches that both regenerated merge, or conflict, line
by line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs

from ..paths import Obstacle, check_generated, check_paths, checked, obstacle, read_plain
from ..problems import OutputConflictError, Problem, UsageError
from ..text import shorten, visible
from ..version import __version__
from .facts import text_hash
from .model import FORMAT, HINTS, ArgumentKey, Former, Lock, Once, ToolLock

NAME = "mcpgen.lock"
PENDING = "mcpgen.lock.new"
"""The next lock, while a run is writing and after one that was interrupted."""

ADOPT = (
    "`mcpgen generate --adopt` takes the generated files over as they are, and writes a new lock"
)
RESTORE = f"restore it from version control (`git checkout mcpgen.lock`); or else {ADOPT}"
REMOVE = (
    "remove it and run `mcpgen generate`: it only says which files an interrupted run had written"
)
AWAY = "move that away; mcpgen follows no link"
MERGE = "`mcpgen generate --adopt` goes on from either side"
ONCE_ALWAYS = ("http", "install", "shell")
"""The parts of each server whose lock names none."""
MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


def dump(lock: Lock) -> str:
    """Return the text of the lock file: JSON, ASCII, the same for the same facts."""
    head = {
        "lock": FORMAT,
        "generator": lock.generator,
        "document": lock.document,
        "openapi": lock.openapi,
        "name": lock.name,
        "parts": list(lock.parts),
        "config": lock.config,
        "base_url": lock.base_url,
        "allowed_origins": list(lock.allowed_origins),
        "security": _lists(lock.security),
    }
    lines = ["{"]
    lines += [f'  "{key}": {json.dumps(value)},' for key, value in head.items()]
    if lock.env_prefix not in ("", former_prefix(lock.name)):
        lines.append(f'  "env_prefix": {json.dumps(lock.env_prefix)},')
    lines += _table("auth", lock.auth)
    lines += _table("apis", lock.apis) * bool(lock.apis)
    if lock.servers:
        servers = lock.servers[""] if [*lock.servers] == [""] else lock.servers
        lines.append(f'  "servers": {json.dumps(servers)},')
    lines += _table("customised", lock.customised)
    if lock.own is not None:
        lines += _table("own", lock.own)
    lines += _table("files", lock.files)
    if lock.made:
        lines += _table("made", lock.made)
    if lock.models:
        lines += _table("models", lock.models)
    if lock.once:
        lines += _table("once", {path: _once_data(once) for path, once in lock.once.items()})
    lines += _block("tools", [json.dumps(_tool_data(tool)) for tool in lock.tools], "[]")
    if lock.former:
        lines += _block("former", [json.dumps(_former_data(tool)) for tool in lock.former], "[]")
    return _signed("\n".join(lines))


def integrity_holds(text: str) -> bool:
    """Return whether the last line of a lock file is the hash of the lines above it."""
    body, separator, _ = text.replace("\r\n", "\n").rpartition('\n  "integrity": ')
    return bool(separator) and _signed(body) == text.replace("\r\n", "\n")


def former_prefix(name: str) -> str:
    """Return the prefix of variables for a lock that does not say it: `MCPGEN_BOOKSHOP`; empty
    without a name.
    """
    return f"MCPGEN_{name.upper()}" * bool(name)


def _table(key: str, values: Mapping[str, Any]) -> list[str]:
    return _block(
        key, [f"{json.dumps(name)}: {json.dumps(values[name])}" for name in sorted(values)], "{}"
    )


def _signed(body: str) -> str:
    """Return the lock with the hash of all lines above as its last line: an edit of the lock itself
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
    if tool.own_name != tool.name:
        data["given"] = tool.own_name
    if tool.arguments:
        data["arguments"] = _argument_data(tool.arguments)
    if tool.gone_arguments:
        data["gone_arguments"] = _argument_data(tool.gone_arguments)
    if tool.base_url is not None:
        data["base_url"] = tool.base_url
    if tool.security is not None:
        data["security"] = _lists(tool.security)
    if tool.odd:
        data["odd"] = list(tool.odd)
    return data


def _former_data(tool: Former) -> dict[str, Any]:
    data: dict[str, Any] = {
        "operation": tool.operation,
        "operation_id": tool.operation_id,
        "name": tool.own_name,
    }
    if tool.arguments:
        data["arguments"] = _argument_data(tool.arguments)
    return data


def _once_data(once: Once) -> list[str]:
    """Return hash and version, then today's hash if it differs."""
    data = [once.hash, once.generator]
    if once.newest:
        data.append(once.newest)
    return data


def _argument_data(arguments: Mapping[str, ArgumentKey]) -> dict[str, str]:
    """Return name → place, followed by the wire name if it differs."""
    data = {}
    for name, (place, wire_name) in arguments.items():
        data[name] = place
        if wire_name != name:
            data[name] = f"{place} {wire_name}"
    return data


def _lists(security: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    return [list(names) for names in security]


# Reading


@cache
def _schema() -> Any:
    """Return the validator of `data/lock.schema.json`, made once: a run reads several locks."""
    text = (resources.files("mcpgen") / "data" / "lock.schema.json").read_text("utf-8")
    return jsonschema_rs.validator_for(json.loads(text))


def parse_lock(text: str) -> Lock:
    """Parse the text of a lock. Raises ValueError for a text that this version cannot read.

    Every path is checked to be a path that mcpgen may write, every value to have its type.
    """
    data = json.loads(text)
    number = data.get("lock") if isinstance(data, dict) else None
    if number != FORMAT:
        raise ValueError(f"its format is {number!r}, this version of mcpgen reads {FORMAT}")
    try:
        _schema().validate(data)
    except jsonschema_rs.ValidationError as error:
        raise ValueError(shorten(visible(error.message), 80)) from None
    check_generated(data["files"])
    check_paths(data["files"])
    servers = data.get("servers", {})
    if isinstance(servers, list):
        servers = {"": servers}
    return Lock(
        generator=data["generator"],
        document=data["document"],
        openapi=data["openapi"],
        config=data["config"],
        base_url=data["base_url"],
        allowed_origins=tuple(data["allowed_origins"]),
        auth=data["auth"],
        security=_alternatives(data["security"]),
        tools=tuple(map(_read_tool, data["tools"])),
        former=tuple(map(_read_former, data.get("former", ()))),
        customised={key: (pair[0], pair[1]) for key, pair in data["customised"].items()},
        models=data.get("models", {}),
        made=data.get("made", {}),
        files=data["files"],
        once={checked(path): Once(*values[:3]) for path, values in data.get("once", {}).items()},
        name=data["name"],
        apis=data.get("apis", {}),
        servers=servers,
        own=data.get("own"),
        parts=tuple(data.get("parts", ONCE_ALWAYS)),
        env_prefix=data.get("env_prefix", former_prefix(data["name"])),
    )


def _read_tool(data: dict[str, Any]) -> ToolLock:
    method, _, path = data["operation"].partition(" ")
    return ToolLock(
        name=data["name"],
        own_name=data.get("given", data["name"]),
        operation_id=data["operation_id"],
        method=method,
        path=path,
        toolset=data["toolset"],
        text=data["text"],
        schema=data["schema"],
        hints={name: name in data["hints"] for name in HINTS},
        arguments=_arguments(data.get("arguments", {})),
        gone_arguments=_arguments(data.get("gone_arguments", {})),
        base_url=data.get("base_url"),
        security=_alternatives(data["security"]) if "security" in data else None,
        odd=tuple(data.get("odd", ())),
    )


def _read_former(data: dict[str, Any]) -> Former:
    return Former(
        operation=data["operation"],
        operation_id=data["operation_id"],
        own_name=data["name"],
        arguments=_arguments(data.get("arguments", {})),
    )


def _arguments(data: Mapping[str, str]) -> dict[str, ArgumentKey]:
    arguments = {}
    for name, key in data.items():
        place, _, wire_name = key.partition(" ")
        arguments[name] = (place, wire_name or name)
    return arguments


def _alternatives(data: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, data))


def read_lock(folder: Path) -> Lock | None:
    """Return the lock of a project; None without one. Raises OutputConflictError (E1204) if it
    cannot be understood, or names a path that mcpgen does not write or that leads over a link.
    """
    return _read(folder, NAME)


def salvaged_lock(folder: Path) -> Lock | None:
    """Read a project's lock as far as possible: one side of an unresolved merge; None if it is
    missing or damaged. Raises OutputConflictError for the lock of a newer version of mcpgen, and if
    `mcpgen.lock` is a link or no permission allows to read it.
    """
    content = _content(folder, NAME) or b""
    for side in _sides(content.decode("latin-1")):
        try:
            return _understood(folder, NAME, side.encode("latin-1"))
        except OutputConflictError:
            if _newer_generator(content):
                raise
    return None


def _sides(text: str) -> tuple[str, str]:
    """Return both sides of a text with conflict markers (`git merge-file`), the later side
    first.
    """
    sides: tuple[list[str], list[str]] = ([], [])
    wanted = [0, 1]
    for line in text.splitlines(keepends=True):
        marker = line[:7]
        if marker not in MARKERS:
            for number in wanted:
                sides[number].append(line)
        elif marker == "<<<<<<<":
            wanted = [0]
        elif marker == "|||||||":
            wanted = []
        elif marker == "=======":
            wanted = [1]
        else:
            wanted = [0, 1]
    return "".join(sides[1]), "".join(sides[0])


def read_pending(folder: Path) -> Lock | None:
    """Return the lock that an interrupted run was writing; None without one. Raises as
    `read_lock`.
    """
    return _read(folder, PENDING)


MAKE_ONE = (
    "give the folder of a project; `mcpgen generate openapi.yaml` makes one, and inside it"
    " `mcpgen generate` is enough"
)


def require_lock(folder: Path, hint: str = "") -> Lock:
    """Return the lock of a project. Raises UsageError without one: E1210 after an interrupted first
    run, else E1310 with `hint`, by default on what makes a lock.
    """
    lock = read_lock(folder)
    if lock is not None:
        return lock
    if is_interrupted(folder):
        raise UsageError(replace(interruption(folder), severity="error"))
    message = f"`{folder}` has no `{NAME}`: nothing was generated here yet, or the lock was lost"
    if not hint:
        is_configured = (folder / "mcpgen.toml").is_file()
        hint = "run `mcpgen generate`" if is_configured else MAKE_ONE
    raise UsageError.of("E1310", message, hint)


def is_interrupted(folder: Path) -> bool:
    """Return whether a run in this project was interrupted: `mcpgen.lock.new` is there."""
    return os.path.lexists(folder / PENDING)


def interruption(folder: Path) -> Problem:
    """Return the warning (E1210) about an interrupted run, for commands that only read the
    project.
    """
    return Problem(
        code="E1210",
        severity="warning",
        message=f"a run of mcpgen in `{folder}` was interrupted: `{PENDING}` is still there",
        hint="run `mcpgen generate`, which completes it",
    )


def owned(*locks: Lock | None) -> dict[str, frozenset[str]]:
    """Return every path of these locks → its hashes in them: such files are mcpgen's. None is
    skipped.
    """
    hashes: dict[str, frozenset[str]] = {}
    for lock in locks:
        if lock is None:
            continue
        for path, value in lock.files.items():
            hashes[path] = hashes.get(path, frozenset()) | {value}
    return hashes


def with_files(lock: Lock, files: Mapping[str, str | bytes]) -> Lock:
    """Return the lock with these files and their hashes, instead of its own files."""
    return replace(lock, files={path: text_hash(content) for path, content in files.items()})


def _read(folder: Path, name: str) -> Lock | None:
    content = _content(folder, name)
    return None if content is None else _understood(folder, name, content)


def _content(folder: Path, name: str) -> bytes | None:
    """Return the bytes of a lock; None without one. Raises OutputConflictError (E1204)."""
    try:
        content = read_plain(folder, name)
    except OSError as error:
        raise _unreadable(folder, name, str(error)) from error
    if isinstance(content, Obstacle):
        raise _unreadable(folder, name, str(content), AWAY)
    return content


def _understood(folder: Path, name: str, content: bytes) -> Lock:
    try:
        lock = parse_lock(content.decode())
    except (ValueError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        if _has_conflict(content):
            reason = "it holds an unresolved merge conflict"
        raise _unreadable(folder, name, reason, _remedy(name, content)) from error
    for path in lock.files:
        blocked = obstacle(folder, path)
        if blocked is not None:
            reason = f"it names `{path}`, but {blocked}"
            raise _unreadable(folder, name, reason, AWAY)
    return lock


def _remedy(name: str, content: bytes) -> str:
    """Return the hint for a lock that this version cannot read."""
    if name == PENDING:
        return REMOVE
    if _has_conflict(content):
        return MERGE
    version = _newer_generator(content)
    if version:
        return (
            f"it was written by mcpgen {version}, this is {__version__}: install that version or a"
            " later one"
        )
    return RESTORE


def _newer_generator(content: bytes) -> str:
    """Return the version of mcpgen that wrote a lock of a later format; empty for other locks."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    number = data.get("lock") if isinstance(data, dict) else None
    if not isinstance(number, int) or number <= FORMAT:
        return ""
    return shorten(visible(str(data.get("generator", ""))), 20) or "?"


def _has_conflict(content: bytes) -> bool:
    return b"<<<<<<<" in content and b">>>>>>>" in content


def _unreadable(
    folder: Path, name: str, reason: str, hint: str = "make it readable"
) -> OutputConflictError:
    return OutputConflictError.of("E1204", f"cannot read `{folder / name}`: {reason}", hint)
