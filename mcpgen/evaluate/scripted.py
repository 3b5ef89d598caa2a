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
    for name in names:
        if len(wrong) == MOST_TRIES:
            break
        if not _takes(await talk.schema(name), task):
            continue
        await talk.call("call_tool", {"name": name, "arguments": dict(task.arguments)})
        if any(task.done_by(request) for request in api.taken()):
            return talk.outcome(task, wrong)
        wrong.append(name)
    reason = f"searched `{task.query}`, found {', '.join(names[:MOST_TRIES]) or 'nothing'}"
    return talk.outcome(task, wrong, reason)


def _takes(schema: dict[str, Any], task: Task) -> bool:
    """Whether a tool can be called with a task's arguments."""
    names = set(task.arguments)
    return names >= set(schema.get("required", ())) and names <= set(schema.get("properties", {}))


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
        """What came of a task."""
        return Outcome(
            task=task.task,
            done=not reason,
            calls=self._calls,
            tokens=self._bytes // BYTES_PER_TOKEN,
            wrong=tuple(wrong),
            reason=reason,
        )
