"""An agent without a model: it searches with a task's words and calls the tools that fit, in the
order of the search, until the task is done or three were wrong.

A tool fits if it takes all arguments of the task and requires no others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ..load.values import as_object
from ..parse.body import BODY
from ..render.search import content, stop_words
from ..runtime.parts.search.entries import entry, fields_of
from ..runtime.parts.search.finder import BEST
from ..runtime.parts.search.lazy import Lazy
from ..runtime.results import fold
from .recorder import Recorder
from .stage import serving
from .tasks import Outcome, Task

MOST_TRIES = 3
BYTES_PER_TOKEN = 4


async def run_scripted(folder: Path, tasks: Sequence[Task]) -> list[Outcome]:
    """Return the outcome of each task with a project's server. Its list is searched as `--lazy`
    does it, even if the server was made without that.
    """
    with closing(Recorder()) as api:
        async with serving(folder, api.origin) as client:
            tools = (await client.list_tools()).tools
            catalog = _Listed([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools])
            search = Lazy(catalog, catalog)  # type: ignore[arg-type]
            return [await _attempt(client, api, task, search, catalog) for task in tasks]


def _offer_all(entry: object) -> bool:
    return True


class _Listed:
    """The list of a server, as the search takes it from a catalog and a package."""

    read_only = False
    parts: tuple[Any, ...] = ()

    def __init__(self, listed: list[dict[str, Any]]) -> None:
        self.listed = listed
        self.by_name = {tool["name"]: tool for tool in listed}
        self.by_hand = frozenset(self.by_name)
        self.toolset_of = dict.fromkeys(self.by_name, "")

    def find(self, name: str) -> None:
        """Return None: the agent uses the search alone."""

    def near(self, name: str) -> str:
        """Return no hint."""
        return ""

    def json(self, path: str) -> dict[str, Any]:
        """Return the index of the listed tools, whatever the path."""
        stop = stop_words()
        return content({tool["name"]: entry(fields_of(tool, ""), "", stop) for tool in self.listed})


async def _attempt(
    client: Any, api: Recorder, task: Task, search: Lazy, catalog: _Listed
) -> Outcome:
    api.taken()
    talk = _Talk(client)
    found = talk.read({"query": task.query}, search.search(task.query, BEST, _offer_all))
    names = [line.split(":")[0] for line in found.splitlines() if not line.startswith(" ")]
    wrong: list[str] = []
    tries: list[str] = []
    for name in names:
        if len(wrong) == MOST_TRIES:
            break
        contract = catalog.by_name.get(name, {"inputSchema": {"required": [""]}})
        arguments = fitted(contract["inputSchema"], task)
        misfit = _misfit(contract["inputSchema"], arguments)
        if misfit:
            tries.append(f"{name} {misfit}")
            continue
        await talk.call(name, arguments)
        requests = api.taken()
        if any(task.done_by(request) for request in requests):
            return talk.outcome(task, wrong)
        sent = [f"{request.method} {request.path}" for request in requests]
        tries.append(f"{name} sent {', '.join(sent) or 'nothing'}")
        wrong.append(name)
    reason = f"searched `{task.query}`: {'; '.join(tries[:MOST_TRIES]) or 'found nothing'}"
    return talk.outcome(task, wrong, reason)


def fitted(schema: dict[str, Any], task: Task) -> dict[str, Any]:
    """Return a task's arguments as a tool takes them: the body as one argument, or its fields as
    arguments, in whichever form the task has them. A field of the task's `body` (not of its
    arguments) is left out if the tool has no argument for it.
    """
    names: dict[str, Any] = schema.get("properties", {})
    given = dict(task.arguments)
    body = given.pop("body", task.body)
    fields = as_object(task.body) | as_object(body)
    whole = next(iter(BODY & names.keys()), "")
    if whole:
        inside = as_object(names[whole].get("properties")).keys() - names.keys()
        fields |= {name: given.pop(name) for name in inside & given.keys()}
        given.setdefault(whole, fields or body)
        return {name: value for name, value in given.items() if value is not None}
    taken = {fold(name): name for name in reversed(names)}
    flat = {taken[fold(name)]: value for name, value in fields.items() if fold(name) in taken}
    said = as_object(task.arguments.get("body"))
    unknown = {name: value for name, value in said.items() if fold(name) not in taken}
    return {**flat, **unknown, **given}


def _misfit(schema: dict[str, Any], arguments: Mapping[str, Any]) -> str:
    """Explain why arguments do not fit a tool, or return an empty string."""
    missing = [name for name in schema.get("required", ()) if name not in arguments]
    unknown = [name for name in arguments if name not in schema.get("properties", {})]
    if missing:
        return f"needs `{missing[0]}`"
    if unknown:
        return f"has no argument `{unknown[0]}`"
    return ""


class _Talk:
    """Calls of one client, counted."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._calls = self._bytes = 0

    async def call(self, name: str, arguments: dict[str, Any]) -> None:
        """Call a tool and count its answer; the result is not returned."""
        result = await self._client.call_tool(name, arguments)
        self.read(arguments, "\n".join(getattr(each, "text", "") for each in result.content))

    def read(self, arguments: dict[str, Any], text: str) -> str:
        """Count a call, and the bytes of its arguments and its answer; return the answer."""
        self._calls += 1
        self._bytes += len(json.dumps(arguments).encode()) + len(text.encode())
        return text

    def outcome(self, task: Task, wrong: Sequence[str], reason: str = "") -> Outcome:
        """Return the outcome of a task with the counts; it is done if there is no `reason`."""
        facts = {"calls": self._calls, "tokens": self._bytes // BYTES_PER_TOKEN}
        return Outcome(task=task.task, done=not reason, wrong=tuple(wrong), reason=reason, **facts)
