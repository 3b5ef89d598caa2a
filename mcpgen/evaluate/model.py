"""An agent with a model, at any endpoint that speaks OpenAI's Chat Completions (OpenAI, Anthropic's
compatible endpoint, vLLM, Ollama …).

The key and the address come from `OPENAI_API_KEY` and `OPENAI_BASE_URL`, as for OpenAI's own
library.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..problems import UsageError
from .outcome import Outcome
from .stage import Recorder, recording, serving
from .tasks import Task

MOST_TURNS = 12
SYSTEM = "Do what the user asks with the tools. Say `done` when it is done; ask nothing back."


async def run_model(
    folder: Path, tasks: Sequence[Task], model: str, *, lazy: bool
) -> list[Outcome]:
    """The outcome of each task with a model. Raises UsageError where the library or the key is
    missing.
    """
    endpoint = _endpoint()
    options = ["--lazy"] if lazy else []
    with recording() as api:
        async with serving(folder, api.url, *options) as client:
            listed = (await client.list_tools()).tools
            functions = [_function(tool) for tool in listed]
            instructions = getattr(client, "instructions", None) or ""
            agent = _Agent(endpoint, model, client, functions, f"{SYSTEM}\n{instructions}")
            return [await agent.attempt(api, task) for task in tasks]


def _endpoint() -> Any:
    try:
        import openai
    except ImportError:
        hint = "run `pip install 'mcpgen[eval]'`"
        raise UsageError.of("E1474", "the library for models is not installed", hint) from None
    try:
        return openai.AsyncOpenAI()
    except openai.OpenAIError as error:
        hint = "set `OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another endpoint"
        raise UsageError.of("E1474", f"the model cannot be asked: {error}", hint) from error


def _function(tool: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description or "",
            "parameters": tool.input_schema,
        },
    }


class _Agent:
    """A model, the tools it is given, and the client that calls them."""

    def __init__(
        self, endpoint: Any, model: str, client: Any, functions: list[dict[str, Any]], system: str
    ) -> None:
        self._endpoint, self._model, self._client = endpoint, model, client
        self._functions, self._system = functions, system

    async def attempt(self, api: Recorder, task: Task) -> Outcome:
        """One task, to the model's last word or the last turn."""
        api.taken()
        messages: list[Any] = [
            {"role": "system", "content": self._system},
            {"role": "user", "content": task.task},
        ]
        called: list[str] = []
        tokens = 0
        for _ in range(MOST_TURNS):
            answer = await self._endpoint.chat.completions.create(
                model=self._model, messages=messages, tools=self._functions
            )
            tokens += getattr(answer.usage, "total_tokens", 0)
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                called.append(call.function.name)
                text = await self._result(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
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

    async def _result(self, call: Any) -> str:
        """The text of a tool's result, or what was wrong with the call."""
        try:
            arguments = json.loads(call.function.arguments or "{}")
            result = await self._client.call_tool(call.function.name, arguments)
        except Exception as error:
            return f"error: {error}"
        return "\n".join(getattr(block, "text", "") for block in result.content)
