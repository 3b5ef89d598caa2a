"""An agent with a model: your own client in the loop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..problems import UsageError
from ..runtime.testing import Recorder
from .endpoints import PROVIDERS, Endpoint, ToolCall, ToolResult, arguments_of
from .outcome import Outcome
from .stage import recording, serving
from .tasks import Task

MOST_TURNS = 12
SYSTEM = "Do what the user asks with the tools. Say `done` when it is done; ask nothing back."


async def run_model(
    folder: Path, tasks: Sequence[Task], model: str, *, provider: str, lazy: bool
) -> list[Outcome]:
    """The outcome of each task with a model of `openai` or `anthropic`. Raises UsageError where the
    library or the key is missing, and where the endpoint refuses.
    """
    options = ["--lazy"] if lazy else []
    outcomes: list[Outcome] = []
    refusal: UsageError | None = None
    with recording() as api:
        async with serving(folder, api.origin, *options) as client:
            listed = (await client.list_tools()).tools
            instructions = getattr(client, "instructions", None) or ""
            try:
                endpoint = PROVIDERS[provider](model, listed, f"{SYSTEM}\n{instructions}")
                async with endpoint.client:
                    for task in tasks:
                        outcomes.append(await _attempt(endpoint, client, api, task))
            except UsageError as error:  # raised here, the client would put it into a group
                refusal = error
    if refusal is not None:
        raise refusal
    return outcomes


async def _attempt(endpoint: Endpoint, client: Any, api: Recorder, task: Task) -> Outcome:
    """One task, to the model's last word or the last turn."""
    api.taken()
    endpoint.begin(task.task)
    called: list[str] = []
    tokens = 0
    for _ in range(MOST_TURNS):
        reply = await endpoint.reply()
        tokens += reply.tokens
        if not reply.calls:
            break
        called += [call.name for call in reply.calls]
        endpoint.tell([await _result(client, call) for call in reply.calls])
    requests = api.taken()
    done = any(task.done_by(request) for request in requests)
    others = [f"{one.method} {one.path}" for one in requests if not task.done_by(one)]
    reason = ""
    if not done:
        reason = f"called {', '.join(called) or 'nothing'}"
    return Outcome(
        task=task.task,
        done=done,
        calls=len(called),
        tokens=tokens,
        wrong=tuple(others),
        reason=reason,
    )


async def _result(client: Any, call: ToolCall) -> ToolResult:
    """The text of a tool's result, or what was wrong with the call."""
    try:
        result = await client.call_tool(call.name, arguments_of(call))
    except Exception as error:
        return ToolResult(call, f"error: {error}", is_error=True)
    text = "\n".join(getattr(block, "text", "") for block in result.content)
    return ToolResult(call, text, is_error=bool(result.is_error))
