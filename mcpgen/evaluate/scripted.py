"""An agent without a model: it searches with a task's words and calls what fits its arguments.

It tries the tools found in their order: the first whose required arguments are all among those of
the task, and which takes all of them, is called. What it does is the same every time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .outcome import Outcome
from .stage import Recorder, recording, serving
from .tasks import Task

MOST_TRIES = 3
BYTES_PER_TOKEN = 4


async def run_scripted(folder: Path, tasks: Sequence[Task]) -> list[Outcome]:
    """The outcome of each task with a project's server, started with `--lazy`."""
    with recording() as api:
        async with serving(folder, api.url, "--lazy") as client:
            return [await _attempt(client, api, task) for task in tasks]


async def _attempt(client: Any, api: Recorder, task: Task) -> Outcome:
    api.taken()
    talk = _Talk(client)
    found = await talk.call("search_tools", {"query": task.query})
    names = [line.split(":")[0] for line in found.splitlines() if not line.startswith(" ")]
    wrong: list[str] = []
    tries: list[str] = []
    for name in names:
        if len(wrong) == MOST_TRIES:
            break
        misfit = _misfit(await talk.schema(name), task)
        if misfit:
            tries.append(f"{name} {misfit}")
            continue
        await talk.call("call_tool", {"name": name, "arguments": dict(task.arguments)})
        requests = api.taken()
        if any(task.done_by(request) for request in requests):
            return talk.outcome(task, wrong)
        sent = [f"{request.method} {request.path}" for request in requests]
        tries.append(f"{name} sent {', '.join(sent) or 'nothing'}")
        wrong.append(name)
    reason = f"searched `{task.query}`: {'; '.join(tries[:MOST_TRIES]) or 'found nothing'}"
    return talk.outcome(task, wrong, reason)


def _misfit(schema: dict[str, Any], task: Task) -> str:
    """Explain why a task's arguments do not fit a tool, or return an empty string."""
    missing = [name for name in schema.get("required", ()) if name not in task.arguments]
    unknown = [name for name in task.arguments if name not in schema.get("properties", {})]
    if missing:
        return f"needs `{missing[0]}`"
    if unknown:
        return f"has no argument `{unknown[0]}`"
    return ""


class _Talk:
    """Calls of one client, counted."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._calls = 0
        self._bytes = 0

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The text of a tool's result."""
        result = await self._client.call_tool(name, arguments)
        text = "\n".join(getattr(block, "text", "") for block in result.content)
        self._calls += 1
        self._bytes += len(json.dumps(arguments).encode()) + len(text.encode())
        return text

    async def schema(self, name: str) -> dict[str, Any]:
        """The input schema of a tool; what a model reads of it is in the search's answer, so this
        is not counted.
        """
        result = await self._client.call_tool("describe_tool", {"name": name})
        try:
            schema: dict[str, Any] = json.loads(result.content[0].text)["inputSchema"]
        except (ValueError, KeyError):
            return {"required": [""]}
        return schema

    def outcome(self, task: Task, wrong: Sequence[str], reason: str = "") -> Outcome:
        """Return the outcome of a task."""
        return Outcome(
            task=task.task,
            done=not reason,
            calls=self._calls,
            tokens=self._bytes // BYTES_PER_TOKEN,
            wrong=tuple(wrong),
            reason=reason,
        )
