"""Tasks: the question, the request that must arrive, and the outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from ..problems import UsageError
from .recorder import Recorded

KEYS = frozenset({"task", "query", "arguments", "method", "path", "body"})
FORMAT = (
    "each line is an object with `task`, `method` and `path`, and may have `query`, `arguments` and"
    " `body`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a task. `done`: the request arrived; `tokens` is an estimate without a model;
    `wrong`: tools called in vain, with a model `METHOD /path` of other requests; `reason`: of a
    failure.
    """

    task: str
    done: bool
    calls: int
    tokens: int
    wrong: tuple[str, ...] = ()
    reason: str = ""


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return outcomes, at least one, for programs: number, share done, mean calls and tokens."""
    count = len(outcomes)
    return {
        "tasks": count,
        "done": sum(one.done for one in outcomes),
        "success": round(sum(one.done for one in outcomes) / count, 3),
        "calls": round(sum(one.calls for one in outcomes) / count, 2),
        "tokens": round(sum(one.tokens for one in outcomes) / count),
        "wrong_tools": sum(len(one.wrong) for one in outcomes),
        "outcomes": [asdict(one) for one in outcomes],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task: the words of the user, those the scripted agent searches with, the arguments it
    calls with, and the request that must arrive (`GET /books?genre=poetry`); a body must hold
    at least what `body` says.
    """

    task: str
    method: str
    path: str
    query: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None

    def done_by(self, request: Recorded) -> bool:
        """Return whether a request is that of the task: equal method (in any case) and path
        (percent-encoded or not), at least its query parameters, and at least its body.
        """
        path, _, query = self.path.partition("?")
        asked = self.method.upper(), _segments(path)
        if (request.method, _segments(request.path)) != asked:
            return False
        pairs = parse_qsl(request.query, keep_blank_values=True)
        if not set(parse_qsl(query, keep_blank_values=True)) <= set(pairs):
            return False
        return self.body is None or _within(self.body, _json(request.body))

    def outcome(self, requests: Sequence[Recorded], called: list[str], tokens: int) -> Outcome:
        """Return the outcome for the requests that arrived and the names of the called tools."""
        done = any(map(self.done_by, requests))
        return Outcome(
            task=self.task,
            done=done,
            calls=len(called),
            tokens=tokens,
            wrong=tuple(f"{one.method} {one.path}" for one in requests if not self.done_by(one)),
            reason="" if done else f"called {', '.join(called) or 'nothing'}",
        )


def _segments(path: str) -> list[str]:
    """Return the segments of a path, decoded."""
    return [*map(unquote, path.split("/"))]


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _within(part: Any, whole: Any) -> bool:
    """Return whether `whole` contains `part`: objects member by member, other values if they are
    equal in JSON.
    """
    match part, whole:
        case dict(), dict():
            return all(key in whole and _within(value, whole[key]) for key, value in part.items())
        case list(), list():
            return part == whole and all(map(_within, part, whole))
        case (bool(), _) | (_, bool()):
            return part is whole
    return bool(part == whole)


def read_tasks(path: Path) -> list[Task]:
    """Return the tasks of a file, one JSON object on each line. Raises UsageError (E1472) for a
    file that cannot be read, has another line, or no task.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise UsageError.of("E1472", f"`{path}` cannot be read: {reason}", FORMAT) from error
    tasks = [_task(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not tasks:
        raise UsageError.of("E1472", f"`{path}` holds no tasks", FORMAT)
    return tasks


def _task(path: Path, number: int, line: str) -> Task:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise _wrong(path, number, f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise _wrong(path, number, "not an object")
    for key in ("task", "method", "path", *(data.keys() & {"query"})):
        if not isinstance(data.get(key), str):
            raise _wrong(path, number, f"`{key}` must be text")
    if not isinstance(data.get("arguments", {}), dict):
        raise _wrong(path, number, "`arguments` must be an object")
    unknown = sorted(data.keys() - KEYS)
    if unknown:
        raise _wrong(path, number, f"unknown key `{unknown[0]}`")
    return Task(**{"query": data["task"], **data})


def _wrong(path: Path, number: int, reason: str) -> UsageError:
    return UsageError.of("E1472", f"`{path}` line {number}: {reason}", FORMAT)
