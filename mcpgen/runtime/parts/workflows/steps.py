"""Steps of one call of a workflow.

A step calls the function of another tool, on the way that a call of that tool takes: its arguments
are checked, the hooks of `hooks.py` run, and a function of the user's in `custom/` takes the place
of the generated one. What has been done so far is kept for the model to read if a step fails.
"""

from __future__ import annotations

from asyncio import sleep
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from ...client import BadStatus
from ...client.resilience import retry_after
from ...results.answer import Answer
from ...results.content import Context, ToolError
from . import inside
from .values import pruned
from .variables import WorkflowSettings

DEEPEST = 20
"""Deepest nesting of workflows in a call."""
PAUSE = 0.1
"""Seconds before a step that was done `AT_ONCE` times in a call: it waits for something."""
AT_ONCE = 10
LISTED = 10
"""Last steps that the text of a failed call lists."""
T = TypeVar("T")
Function = Callable[..., Coroutine[Any, Any, T]]


class Steps:
    """Steps of one call, in the order they are taken; an inner workflow has its own."""

    def __init__(
        self, context: Context, *, total: int, undo: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`total`: number of the workflow's steps. `undo`: step -> the tool that undoes it."""
        self._context = context
        self._total = total
        self._undo = undo
        self._current = ""
        self._done: list[str] = []
        self._retries: Counter[str] = Counter()
        self._times: Counter[str] = Counter()
        self._taken = 0
        context.steps.append(self)

    async def call(
        self, step: str, function: Function[Answer[T]], /, **arguments: Any
    ) -> Answer[T]:
        """Run an operation's function and return its answer, data as an answer of status 200.
        Raises ApiError for an answer of status 400 or more, BadArguments, ToolError.
        """
        result: Any = await self.run(step, function, **arguments)
        if isinstance(result, Answer):
            return result
        # A function of the user's, in the place of the generated one, returned data
        return Answer(200, data=result)

    async def run(self, step: str, function: Function[Any], /, **arguments: Any) -> Any:
        """Call the function of any tool and return its value: of a workflow, its outputs."""
        context, tool = self._context, function.__name__
        self._current = step
        await context.progress(len(self._done), self._total, step)
        depth = len(context.steps)
        if depth > DEEPEST:
            raise ToolError(f"workflows run each other more than {DEEPEST} deep")
        self._times[step] += 1
        context.steps[0].count(step)
        if self._times[step] > AT_ONCE:
            await sleep(PAUSE)
        result = await inside.call(context.server, tool, pruned(arguments), context)
        self._done.append(self._account(step, tool))
        for inner in context.steps[depth:]:
            self._done += [f"{step}, {account}" for account in inner._done]
        del context.steps[depth:]
        return result

    def count(self, step: str) -> None:
        """Count a step of the call, in this workflow or in an inner one. Raises ToolError above
        `MAX_STEPS`.
        """
        settings = self._context.server.settings()
        most = settings.part(WorkflowSettings).max_steps
        self._taken += 1
        if self._taken > most:
            limit = f"a call takes at most {most} steps (`{settings.variable('MAX_STEPS')}`)"
            raise ToolError(f"{limit}, and `{step}` would be one more")

    async def attempt(
        self, step: str, function: Function[Answer[T]], /, **arguments: Any
    ) -> Answer[T]:
        """Call an operation as `call`, but return an answer of status 400 or more, too."""
        try:
            return await self.call(step, function, **arguments)
        except BadStatus as error:
            return error.answer

    def expect(self, answer: Answer[Any] | None, met: bool, criterion: str) -> None:
        """Return if a criterion is met. Raises as `fail` if it is not."""
        if not met:
            self.fail(answer, f"the answer does not meet `{criterion}`")

    def fail(self, answer: Answer[Any] | None, reason: str) -> NoReturn:
        """Raise BadStatus for an answer of status 400 or more, else ToolError with the reason."""
        if answer is None:
            raise ToolError(f"Step `{self._current}` failed: {reason}")
        if answer.status >= 400:
            raise BadStatus(answer)
        raise ToolError(
            f"Step `{self._current}` failed: {reason} (the API answered {answer.status})"
        )

    async def retry(self, answer: Answer[Any] | None, *, limit: int, after: float = 0) -> bool:
        """Wait, then return True for another attempt at the current step; False after `limit`.

        `after` is in seconds; a `Retry-After` field of the answer overrules it.
        """
        step = self._current
        if self._retries[step] >= limit:
            return False
        self._retries[step] += 1
        seconds = after
        if answer is not None:
            seconds = retry_after(answer.headers.get("retry-after")) or after
        await self._context.say(f"{step}: attempt {self._retries[step] + 1} in {seconds:g} s")
        await sleep(seconds)
        return True

    def summary(self) -> str:
        """Return the failed step, and the last steps done before, as text for the model."""
        if not self._done:
            return f"It failed at step `{self._current}`. Nothing had been done before it."
        last = self._done[-LISTED:]
        lines = [f"- {account}" for account in last]
        if len(last) < len(self._done):
            lines.insert(0, f"- {len(self._done) - LISTED} steps, and then")
        return "\n".join([f"It failed at step `{self._current}`. Done before it:", *lines])

    def _account(self, step: str, tool: str) -> str:
        account = f"`{step}` (`{tool}`)"
        if inside.only_reads(self._context.server, tool):
            return account
        if step in self._undo:
            return f"{account}: it changed something, which `{self._undo[step]}` can undo"
        return f"{account}: it may have changed something"
