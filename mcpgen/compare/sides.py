"""The two sides of a comparison: a server that was just parsed, or a project as it stands."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from .. import ir
from ..lock import Lock, facts, require_lock
from .answer_types import types_of_files, types_of_server


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison: the facts of a lock, and every tool as on the wire, by name.

    `answers` are the schemas of the answers' types by tool, empty where they may be anything; tools
    that have none are not in it.
    """

    lock: Lock
    tools: Mapping[str, Mapping[str, Any]]
    answers: Mapping[str, ir.Schema] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


def side_of_server(server: ir.Server) -> Side:
    """A server that was just parsed."""
    tools = {}
    for tool in server.tools:
        tools[tool.name] = {
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
        }
    return Side(
        lock=facts(server),
        tools=tools,
        answers=types_of_server(server),
        aliases=dict(server.aliases),
    )


def side_of_project(folder: Path) -> Side:
    """A project as it stands on disk. Raises UsageError when the folder is none."""
    lock = require_lock(folder, "run `mcpgen generate`, or name two documents to compare")

    def read(path: str) -> bytes | None:
        try:
            return (folder / path).read_bytes()
        except OSError:
            return None

    return side_of_files(lock, read)


def side_of_files(lock: Lock, read: Callable[[str], bytes | None]) -> Side:
    """A project of which `read` gives the files by path."""
    tools: dict[str, Mapping[str, Any]] = {}
    aliases: dict[str, str] = {}
    for path in lock.files:
        is_facts = path.endswith("/api.json")
        is_list = "/tools/" in path and path.endswith(".json")
        if not is_facts and not is_list:
            continue
        data = _json(read(path))
        if is_facts and isinstance(data, dict):
            aliases = dict(data.get("aliases") or {})
        elif is_list and isinstance(data, list):
            objects = [tool for tool in data if isinstance(tool, dict)]
            tools |= {tool["name"]: tool for tool in objects if "name" in tool}
    return Side(lock=lock, tools=tools, answers=_answers(lock, read), aliases=aliases)


def _answers(lock: Lock, read: Callable[[str], bytes | None]) -> dict[str, ir.Schema]:
    """The types of answers in the Python of a project."""
    models = b""
    modules = []
    for path in lock.files:
        if PurePosixPath(path).match("src/*/models.py"):
            models = read(path) or b""
        elif PurePosixPath(path).match("src/*/tools/*.py"):
            modules.append(read(path) or b"")
    return types_of_files(models, modules)


def _json(content: bytes | None) -> Any:
    try:
        return json.loads(content or b"null")
    except ValueError:
        return None
