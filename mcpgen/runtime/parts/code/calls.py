"""Calls of tools by one program, and their answers as data."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import anyio

from ...limits import Quota
from ...package import Entry
from ...record import recorded
from ...results.content import Context, as_json, failure
from ..search.finder import reads
from ..search.front import Run
from .stubs import wrapped

AT_ONCE = 8
"""Calls of one program that run at the same time; further calls wait."""
MOST_VALUES = 50_000
MOST_CHARACTERS = 10_000_000
"""Limits of the arguments of a call, and of the value of a program."""
COROUTINE = re.compile(r"<coroutine object \w+>")
"""The text that Python prints for a call that was not awaited."""
EVERYTHING = ["all"]
"""Value of the argument that chooses the fields of a list's items."""


class Inside(Context):
    """Context of a tool's call by a program: its progress is told to the program's caller."""

    def __init__(self, outer: Context, tool: str, reading: Mapping[str, Any]) -> None:
        super().__init__(outer.sent_by, tool)
        self.reading = reading
        self.begun = True
        self._outer = outer

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Send a message to the program's caller, unless `done` has not grown."""
        if done <= self._last:
            return
        self._last = done
        await self._outer.say(message or f"{self.tool}: {done:g}")


class ProgramAnswers:
    """Conversion of a server's tool results to data for a program."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        """`facts` is the content of `api.json`."""
        self._wrapped = frozenset(facts.get("wrapped", ()))
        self._lists: Mapping[str, Any] = facts.get("lists", {})

    def reading(self, entry: Entry) -> dict[str, Any]:
        """Return the argument that chooses all fields of a list's items, for a call that chooses
        none: `{"fields": ["all"]}`; under an empty name for a tool without such an argument.
        """
        listing = self._lists.get(entry.name, {})
        names = [listing[key] for key in ("fields", "asked") if key in listing]
        return dict.fromkeys(names or [""], EVERYTHING)

    def data(self, entry: Entry, result: dict[str, Any]) -> Any:
        """Return the data of a result: its structured content (`result` alone, if wrapped), else
        its text, of a JSON object or list parsed; the blocks as on the wire if one is no text.
        """
        structured = result.get("structuredContent")
        if structured is None:
            return _data_of_blocks(result["content"])
        is_wrapped = entry.name in self._wrapped
        if not entry.generated:
            is_wrapped = wrapped(entry.tool.get("outputSchema") or {}) is not None
        if is_wrapped:
            return structured.get("result")
        return structured


class Calls:
    """Calls of tools by one program, `AT_ONCE` at the same time."""

    def __init__(self, answers: ProgramAnswers, quota: Quota, context: Context, run: Run) -> None:
        self._answers = answers
        self._quota = quota
        self._context = context
        self._run = run
        self._places = anyio.Semaphore(AT_ONCE)
        self.changes: Counter[str] = Counter()
        """Tool that can change data -> number of its calls that succeeded."""
        self._running: set[anyio.CancelScope] = set()

    def function(self, entry: Entry) -> Any:
        """Return the function that calls a tool with a dictionary of arguments."""

        async def call(arguments: dict[str, Any]) -> Any:
            with anyio.CancelScope() as scope:
                self._running.add(scope)
                try:
                    return await self._data(entry, as_json(arguments))
                finally:
                    self._running.discard(scope)

        return call

    def cancel(self) -> None:
        """Cancel the calls that still run: the sandbox leaves them to themselves."""
        for scope in list(self._running):
            scope.cancel()

    async def _data(self, entry: Entry, arguments: dict[str, Any]) -> Any:
        """Call a tool and return its data. Raises RuntimeError with the reason if it fails."""
        async with self._places:
            result = await self._result(entry, arguments)
        await self._context.say(f"{entry.name} answered")
        if result.get("isError"):
            raise RuntimeError(_text_of_blocks(result["content"]))
        if not reads(entry.tool):
            self.changes[entry.name] += 1
        return self._answers.data(entry, result)

    async def _result(self, entry: Entry, arguments: dict[str, Any]) -> dict[str, Any]:
        with recorded(entry.name, self._context.sender) as record:
            reason = await self._quota.refusal(entry.name, record.key)
            if reason:
                record.fail("limited", reason)
                return failure(reason)
            context = Inside(self._context, entry.name, self._answers.reading(entry))
            return await self._run(entry, arguments, context)


def _text_of_blocks(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(str(block.get("text", "")) for block in blocks)


def _data_of_blocks(blocks: list[dict[str, Any]]) -> Any:
    """Return content as data: the blocks themselves if one is no text, parsed JSON if the first
    text is an object or a list, else all texts, a line break between them.
    """
    if any(block["type"] != "text" for block in blocks):
        return blocks
    text = str(blocks[0]["text"]) if blocks else ""
    if text.startswith(("{", "[")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return _text_of_blocks(blocks)
