"""Endpoints with a model behind them: OpenAI's Chat Completions (OpenAI, vLLM, Ollama …) and
Anthropic's Messages.

Keys and addresses come from the environment, as for the libraries themselves: `OPENAI_API_KEY` and
`OPENAI_BASE_URL`, `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from ..installed import install_command
from ..problems import UsageError

MOST_TOKENS = 4096
"""Tokens of one reply, which Anthropic's endpoint wants to know."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for; `arguments` are JSON text or an object."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call."""

    call: ToolCall
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply: the calls it requests, and the tokens read and written for it."""

    calls: tuple[ToolCall, ...]
    tokens: int


class Endpoint(Protocol):
    """One model with the tools it is given, and the conversation so far."""

    client: Any
    """The library's client, which is closed after use."""

    def begin(self, task: str) -> None:
        """Begin a conversation."""

    async def reply(self) -> Reply:
        """The model's next turn. Raises UsageError where the endpoint refuses."""

    def tell(self, results: Sequence[ToolResult]) -> None:
        """Add the results of the last turn's calls to the conversation."""


class OpenAI:
    """A model that is asked by Chat Completions."""

    def __init__(self, model: str, tools: Sequence[Any], system: str) -> None:
        self._library = _library("openai")
        try:
            self.client: Any = self._library.AsyncOpenAI()
        except self._library.OpenAIError as error:
            hint = "set `OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another endpoint"
            raise _unasked(error, hint) from error
        self._model, self._system = model, system
        self._tools = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description or "",
                    "parameters": tool.input_schema,
                },
            }
            for tool in tools
        ]
        self._messages: list[Any] = []

    def begin(self, task: str) -> None:
        """Begin a conversation."""
        self._messages = [
            {"role": "system", "content": self._system},
            {"role": "user", "content": task},
        ]

    async def reply(self) -> Reply:
        """The model's next turn. Raises UsageError where the endpoint refuses."""
        try:
            answer = await self.client.chat.completions.create(
                model=self._model, messages=self._messages, tools=self._tools
            )
        except self._library.OpenAIError as error:
            raise _unasked(error, "look at the key, the address and the model's name") from error
        message = answer.choices[0].message
        self._messages.append(message.model_dump(exclude_none=True))
        calls = [
            ToolCall(call.id, call.function.name, call.function.arguments or "{}")
            for call in message.tool_calls or ()
        ]
        return Reply(tuple(calls), getattr(answer.usage, "total_tokens", 0))

    def tell(self, results: Sequence[ToolResult]) -> None:
        """Add the results of the last turn's calls to the conversation."""
        for result in results:
            message = {"role": "tool", "tool_call_id": result.call.id, "content": result.text}
            self._messages.append(message)


class Anthropic:
    """A model that is asked by Anthropic's Messages."""

    def __init__(self, model: str, tools: Sequence[Any], system: str) -> None:
        self._library = _library("anthropic")
        self.client: Any = self._library.AsyncAnthropic()
        self._model, self._system = model, system
        self._tools = [
            {
                "name": tool.name,
                "description": tool.description or "",
                "input_schema": tool.input_schema,
            }
            for tool in tools
        ]
        self._messages: list[Any] = []

    def begin(self, task: str) -> None:
        """Begin a conversation."""
        self._messages = [{"role": "user", "content": task}]

    async def reply(self) -> Reply:
        """The model's next turn. Raises UsageError where the endpoint refuses."""
        try:
            answer = await self.client.messages.create(
                model=self._model,
                max_tokens=MOST_TOKENS,
                system=self._system,
                messages=self._messages,
                tools=self._tools,
            )
        except (self._library.AnthropicError, TypeError) as error:  # without a key: TypeError
            hint = "set `ANTHROPIC_API_KEY`; look at the address and the model's name"
            raise _unasked(error, hint) from error
        blocks = [block.model_dump(exclude_none=True) for block in answer.content]
        self._messages.append({"role": "assistant", "content": blocks})
        calls = [
            ToolCall(block["id"], block["name"], block["input"])
            for block in blocks
            if block["type"] == "tool_use"
        ]
        return Reply(tuple(calls), answer.usage.input_tokens + answer.usage.output_tokens)

    def tell(self, results: Sequence[ToolResult]) -> None:
        """Add the results of the last turn's calls to the conversation."""
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": result.call.id,
                "content": result.text,
                "is_error": result.is_error,
            }
            for result in results
        ]
        self._messages.append({"role": "user", "content": blocks})


PROVIDERS: dict[str, type[OpenAI] | type[Anthropic]] = {"openai": OpenAI, "anthropic": Anthropic}


def arguments_of(call: ToolCall) -> Any:
    """The arguments of a call as data. Raises ValueError for text that is not JSON."""
    if isinstance(call.arguments, str):
        return json.loads(call.arguments)
    return call.arguments


def _library(name: str) -> ModuleType:
    """A library for models. Raises UsageError where it is missing."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        hint = f"run `{install_command('eval')}`"
        raise UsageError.of("E1474", f"the library `{name}` is not installed", hint) from None


def _unasked(error: Exception, hint: str) -> UsageError:
    return UsageError.of("E1474", f"the model cannot be asked: {error}", hint)
