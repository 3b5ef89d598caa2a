"""The two sides of a comparison: a server that was just parsed, or a project as it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from .. import ir
from ..load.values import as_list, as_object, as_text
from ..lock import Lock, facts, require_lock
from .answer_types import types_of_files, types_of_server

Read = Callable[[str], str | bytes | None]
LIST = re.compile(r"/tools/[^/]+\.json$")


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


def side_of_server(server: ir.Server, document: str = "", earlier: str = "") -> Side:
    """A server that was just parsed, from the document of that hash; `earlier` as in `Lock`."""
    tools = {}
    for tool in server.tools:
        tools[tool.name] = {
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
        }
    return Side(
        lock=replace(facts(server, document=document), earlier=earlier),
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


def side_of_files(lock: Lock, read: Read) -> Side:
    """A project of which `read` gives the files by path."""
    tools: dict[str, Mapping[str, Any]] = {}
    aliases: dict[str, str] = {}
    for path in lock.files:
        if path.endswith("/api.json"):
            aliases = as_object(as_object(_json(read(path))).get("aliases"))
        elif LIST.search(path):
            for tool in map(as_object, as_list(_json(read(path)))):
                tools[as_text(tool.get("name"))] = tool
    return Side(lock=lock, tools=tools, answers=_answers(lock, read), aliases=aliases)


def _answers(lock: Lock, read: Read) -> dict[str, ir.Schema]:
    """The types of answers in the Python of a project."""
    models: str | bytes = ""
    modules = []
    for path in map(PurePosixPath, lock.files):
        if path.match("src/*/models.py"):
            models = read(str(path)) or ""
        elif path.match("src/*/tools/*.py"):
            modules.append(read(str(path)) or "")
    return types_of_files(models, modules)


def _json(content: str | bytes | None) -> Any:
    if content is None:
        return None
    try:
        return json.loads(content)
    except ValueError:
        return None
