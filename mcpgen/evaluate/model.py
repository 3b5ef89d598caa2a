"""An agent with a model: your own client in the loop.

Models are asked by Chat Completions, which OpenAI, vLLM, Ollama and others have, and Anthropic
besides its own API. Keys and addresses come from the environment, by the name of the provider:
`OPENAI_API_KEY` and `OPENAI_BASE_URL`, `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ..installed import install_command
from ..problems import UsageError
from .recorder import Recorder
from .stage import serving
from .tasks import Outcome, Task

MOST_TURNS = 12
SYSTEM = "Do what the user asks with the tools. Say `done` when it is done; ask nothing back."
PROVIDERS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""Provider → the address of its endpoint, unless the environment has another."""


async def run_model(
    folder: Path, tasks: Sequence[Task], model: str, *, provider: str, lazy: bool
) -> list[Outcome]:
    """Return the outcome of each task with a model of `openai` or `anthropic`. Raises UsageError
    (E1474) if the library or the key is missing, or the endpoint refuses.
    """
    options = ["--lazy"] if lazy else []
    outcomes: list[Outcome] = []
    refusal: UsageError | None = None
    with closing(Recorder()) as api:
        async with serving(folder, api.origin, *options) as client:
            try:
                agent = _Agent(client, model, provider)
                async with agent.endpoint:
                    for task in tasks:
                        outcomes.append(await agent.attempt(api, task))
            except UsageError as error:  # raised here, the client would put it into a group
                refusal = error
    if refusal is not None:
        raise refusal
    return outcomes


class _Agent:
    """A model with the tools of a server. `endpoint` is the library's client."""

    def __init__(self, client: Any, model: str, provider: str) -> None:
        try:
            import openai
        except ImportError:
            hint = f"run `{install_command('eval')}`"
            raise UsageError.of("E1474", "the library `openai` is not installed", hint) from None
        prefix = provider.upper()
        self.hint = f"look at `{prefix}_API_KEY`, `{prefix}_BASE_URL` and the model's name"
        key = os.environ.get(f"{prefix}_API_KEY")
        if not key:
            raise UsageError.of("E1474", f"`{prefix}_API_KEY` is not set", self.hint)
        url = os.environ.get(f"{prefix}_BASE_URL") or PROVIDERS[provider]
        if provider == "anthropic":
            url = f"{url.rstrip('/')}/v1"
        self.endpoint: Any = openai.AsyncOpenAI(api_key=key, base_url=url)
        self.refusals: Any = openai.OpenAIError
        self.client, self.model = client, model

    async def attempt(self, api: Recorder, task: Task) -> Outcome:
        """Let the model do one task, to its last word or the last turn, and return the outcome.
        Raises UsageError if the model cannot be asked.
        """
        api.taken()
        instructions = getattr(self.client, "instructions", None) or ""
        messages: list[Any] = [
            {"role": "system", "content": f"{SYSTEM}\n{instructions}"},
            {"role": "user", "content": task.task},
        ]
        tools = [_offered(tool) for tool in (await self.client.list_tools()).tools]
        called: list[str] = []
        tokens = 0
        for _ in range(MOST_TURNS):
            try:
                answer = await self.endpoint.chat.completions.create(
                    model=self.model, messages=messages, tools=tools
                )
            except self.refusals as error:
                message = f"the model cannot be asked: {error}"
                raise UsageError.of("E1474", message, self.hint) from error
            tokens += getattr(answer.usage, "total_tokens", 0)
            reply = answer.choices[0].message
            if not reply.tool_calls:
                break
            messages.append(reply.model_dump(exclude_none=True))
            for call in reply.tool_calls:
                called.append(call.function.name)
                text = await self._result(call.function)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
        return task.outcome(api.taken(), called, tokens)

    async def _result(self, function: Any) -> str:
        """Return the text of a tool's result, or `error: …` for a call that fails."""
        try:
            arguments = json.loads(function.arguments or "{}")
            result = await self.client.call_tool(function.name, arguments)
        except Exception as error:
            return f"error: {error}"
        return "\n".join(getattr(block, "text", "") for block in result.content)


def _offered(tool: Any) -> dict[str, Any]:
    """Return a tool as Chat Completions takes it."""
    function = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.input_schema,
    }
    return {"type": "function", "function": function}
