"""The text of `mcpgen.lock`.

One file and one tool per line, so that two branches that both regenerated merge, or conflict, line
by line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jsonschema_rs

from ..paths import check_generated, check_paths, checked, packages
from ..text import shorten, visible
from .facts import text_hash
from .model import FORMAT, HINTS, ArgumentKey, Former, Lock, Once, ToolLock


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
    """Hash and version; behind them the hash of what mcpgen writes today where that is another."""
    data = [once.hash, once.generator]
    if once.newest:
        data.append(once.newest)
    return data


def _argument_data(arguments: Mapping[str, ArgumentKey]) -> dict[str, str]:
    """Name → place, and behind it the name on the wire where that is another."""
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
    """The validator of `data/lock.schema.json`: a run reads several locks."""
    text = (resources.files("mcpgen") / "data" / "lock.schema.json").read_text("utf-8")
    return jsonschema_rs.validator_for(json.loads(text))


def parse_lock(text: str) -> Lock:
    """The lock a text says. Raises ValueError when it is not one this version reads.

    Every path in it is one that mcpgen may write; every value has its type.
    """
    data = json.loads(text)
    number = data.get("lock") if isinstance(data, dict) else None
    if number != FORMAT:
        raise ValueError(f"its format is {number!r}, this version of mcpgen reads {FORMAT}")
    try:
        _schema().validate(data)
    except jsonschema_rs.ValidationError as error:
        raise ValueError(shorten(visible(error.message), 80)) from None
    for path in data["files"]:
        check_generated(path)
    check_paths(data["files"])
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
        files=data["files"],
        once={checked(path): Once(*values[:3]) for path, values in data.get("once", {}).items()},
        name=data.get("name", _name_of(data["files"])),
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


def _name_of(files: Mapping[str, str]) -> str:
    """The server's name in a lock of version 0.1.0, which did not say it: that of the package."""
    return next(iter(sorted(packages(files))), "").removesuffix("_mcp")


def _alternatives(data: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, data))
