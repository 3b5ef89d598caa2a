"""One call of one tool: check the arguments, run the function and its hooks, make the result.

Every error becomes a result the model can act on and one line on stderr. Only cancellation passes
through.
"""

from __future__ import annotations

import asyncio
import dataclasses
import difflib
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.types import CallToolResult

from .arguments import explain, suggest_tool
from .log import event
from .package import Entry, StartError, module_name
from .record import current
from .results import PART, Answered, Failed, sendable, withheld
from .results.content import (
    Call,
    Context,
    InputRequired,
    Structured,
    Text,
    ToolError,
    as_json,
    failure,
    result_of,
)

if TYPE_CHECKING:
    from .arguments.checker import Checker

_KINDS = ("before", "shape", "after")
_RESERVED = ("api", "context")
_MISSPELT = 0.8
"""Minimum similarity to call a hook's name misspelt. A guard must not be moved to another tool with
a similar name.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """A tool after its first call: its function, its compiled schemas and its hooks."""

    function: Callable[..., Any]
    injected: tuple[str, ...]
    """Which of `api` and `context` the function takes, in the order of its parameters."""
    checker: Checker
    output: Any
    """Validator of the output schema of a function that the user wrote, or None."""
    chooses: str
    """Argument that the server takes itself, to choose the fields of an answer; or empty."""
    continues: bool
    """Whether the server takes the argument that asks for a part of the answer."""
    hooks: frozenset[str]
    """Kinds of hooks defined for the tool."""


class Hooks:
    """Functions of `hooks.py`: `before`, `shape` and `after`, for all tools or, as `before_<tool>`,
    for one: `before_get_book` for `get-book`, too.
    """

    def __init__(self, module: ModuleType | None, every: Callable[[], list[str]]) -> None:
        """Collect hooks; `every` names all tools. Raises StartError for a `before_` of no tool."""
        self._functions: dict[str, Callable[..., Any]] = {}
        found = inspect.getmembers(module, callable)
        there = {name: value for name, value in found if name.partition("_")[0] in _KINDS}
        names = [*map(module_name, every())] if there else []
        for name, value in there.items():
            tool = name.partition("_")[2]
            if tool and tool not in names:
                _report_idle(name, tool, names)
                continue
            self._functions[name] = value

    def of(self, tool: str) -> frozenset[str]:
        """Return the kinds of hooks that run for a tool: `before`, `shape`, `after`."""
        there = self._functions.keys()
        names = {kind: {kind, f"{kind}_{module_name(tool)}"} for kind in _KINDS}
        return frozenset(kind for kind, of_kind in names.items() if there & of_kind)

    async def run(self, kind: str, call: Call, *value: Any) -> Any:
        """Run the hook for all tools, then the hook for this tool. Return the last result that is
        not None, else the given `value`; None for `before`, which has no value.
        """
        for name in (kind, f"{kind}_{module_name(call.tool)}"):
            hook = self._functions.get(name)
            if hook is None:
                continue
            returned = hook(call, *value)
            if inspect.isawaitable(returned):
                returned = await returned
            if returned is not None and value:
                value = (returned,)
        return next(iter(value), None)


def _report_idle(hook: str, tool: str, names: list[str]) -> None:
    """Log that a hook is for a tool that is not there. Raises StartError for a guard (`before_`):
    it would guard nothing.
    """
    near = difflib.get_close_matches(tool, names, n=1, cutoff=_MISSPELT)
    advice = suggest_tool(tool, near).removeprefix("; ")
    advice = advice or "guard the tool that does the same now, or remove the hook"
    if hook.startswith("before_"):
        raise StartError(f"hooks.py: `{hook}` guards a tool that is not there: {advice}")
    event("warning", "idle_hook", hook=hook, message="there is no such tool: it is never called")


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Return a function's value from a thread of its own; nothing stops a function that runs."""
    thread = anyio.CapacityLimiter(1)
    return await anyio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=thread)


class Runner:
    """Runner of calls. `api` returns the HTTP side (`client.side.HttpSide`), and is called when the
    first function needs it; `mask` returns data without secrets.
    """

    def __init__(
        self,
        hooks: Hooks,
        api: Callable[[], Any],
        mask: Callable[[Any], Any],
        facts: Mapping[str, Any],
        consents: Sequence[Callable[[Entry, Call], Awaitable[None]]],
    ) -> None:
        """Make a runner; `facts` is the content of `api.json`, `consents` are of its parts."""
        self._consents = consents
        self._lists: Mapping[str, Any] = facts.get("lists", {})
        self._withheld: Any = None
        """Fields that no answer may show (`results.withholding`), where there are some."""
        if names := facts.get("redact", ()):
            self._withheld = withheld(names)
        self._hooks = hooks
        self._api = api
        self._mask = mask

    async def call(
        self, entry: Entry, arguments: dict[str, Any] | None, context: Context
    ) -> dict[str, Any]:
        """Return a call's result as JSON; errors of the tool, API or model become results."""
        fields: dict[str, Any] = {}
        try:
            prepared = self._prepare(entry)
            call, value = await self.value(entry, arguments, context)
            if "shape" in prepared.hooks:
                value = await self._shaped(call, value)
            if entry.generated or isinstance(value, Answered):
                result: dict[str, Any] = await self._api().result(entry.tool, call, value)
            else:
                result = self._result(entry, prepared, call, value)
            has_hook = "after" in prepared.hooks
            if has_hook:
                result = as_json(await self._hooks.run("after", call, result))
            if has_hook or not entry.generated:
                # The SDK would turn a malformed result into an error that says nothing
                CallToolResult.model_validate(sendable(result), by_name=False)
                result = self._masked(result)
            if not result.get("isError"):
                return result
        except InputRequired as question:
            current().status = "asked"
            return question.result
        except SystemExit as error:
            result = self._mask(failure(f"`{entry.name}` ended with exit code {error.code}"))
        except BaseException as error:  # also the panic of a library in Rust
            if _ends_the_call(error):
                raise
            result, fields = self._report(entry, arguments or {}, _first(error))
            result = self._mask(result)
        result["content"] += context.done()
        first: dict[str, Any] = next(iter(result["content"]), {})
        fields.setdefault("reason", str(first.get("text", ""))[:500])
        fields.setdefault("status", "tool_error")
        current().fail(**fields)
        return result

    def _masked(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result without secrets in it; the bytes of pictures and files stay whole."""
        content = result.pop("content", [])
        masked: dict[str, Any] = self._mask(result)
        for block in content:
            of_bytes = "data" in block or "blob" in block.get("resource", ())
            masked.setdefault("content", []).append(block if of_bytes else self._mask(block))
        return {"content": [], **masked}

    async def value(
        self, entry: Entry, arguments: dict[str, Any] | None, context: Context
    ) -> tuple[Call, Any]:
        """Check a call's arguments, run its guards and its function; return the call and the
        function's value. Raises what the check, a `before` hook, a consent or the function raises.
        """
        prepared = self._prepare(entry)
        arguments = dict(arguments or {})
        if prepared.continues:
            part = arguments.pop(PART, None)
            if part is not None:
                context.reading = {**context.reading, PART: str(part)}
        checked, remarks = prepared.checker.checked(arguments)
        call = Call(entry.name, checked, entry.read_only, context)
        context.remarks += remarks
        if "before" in prepared.hooks:
            await self._hooks.run("before", call)
        for consent in self._consents:
            await consent(entry, call)
        context.begun = True
        injected: list[Any] = []
        for name in prepared.injected:
            injected.append(self._api().begun(context) if name == "api" else context)
        given = call.arguments.items()
        arguments = {name: value for name, value in given if name != prepared.chooses}
        if inspect.iscoroutinefunction(prepared.function):
            return call, await prepared.function(*injected, **arguments)
        function = functools.partial(prepared.function, *injected, **arguments)
        return call, await _in_thread(function)

    async def _shaped(self, call: Call, value: Any) -> Any:
        """Return a value with its data changed by the `shape` hooks; without data unchanged."""
        if isinstance(value, dict | list):
            return await self._hooks.run("shape", call, value)
        if isinstance(value, Answered | Structured):
            holder: Any = value
            if holder.data is not None:
                data = as_json(await self._hooks.run("shape", call, holder.data))
                return dataclasses.replace(holder, data=data)
        return value

    def _result(self, entry: Entry, prepared: Prepared, call: Call, value: Any) -> dict[str, Any]:
        """Return the value of a user's function as a result, with the call's remarks. Raises
        ToolError for a value that does not fit the output schema.
        """
        if self._withheld:
            value = self._withheld.of_result(value)
        result = result_of(value, structured=prepared.output is not None)
        result["content"] += [Text(remark).block() for remark in call.context.remarks]
        if prepared.output is None:
            return result
        from .arguments.checker import without_misfits

        errors = list(prepared.output.iter_errors(result.get("structuredContent")))
        if errors:
            heading = f"`{entry.name}` worked, but its result does not fit its output schema"
            raise ToolError(explain(heading, {}, errors))
        # What checks a workflow's result has no types; the listed schema may have some
        fitting = without_misfits(result["structuredContent"], entry.tool["outputSchema"])
        return {**result, "structuredContent": fitting}

    def _prepare(self, entry: Entry) -> Prepared:
        """Return the `Prepared` of a tool: its module imported and its schemas compiled, once."""
        if entry.prepared is None:
            function = entry.function()
            parameters = inspect.signature(function).parameters
            listing = self._lists.get(entry.name, {})
            chooses = listing.get("fields", "")
            if chooses in parameters:
                chooses = ""
            takes_part = "part" in listing or (entry.generated and entry.read_only)
            entry.prepared = Prepared(
                function=function,
                injected=_injected(function),
                checker=_checker(entry),
                output=_output_validator(entry),
                chooses=chooses,
                continues=takes_part and PART not in parameters,
                hooks=self._hooks.of(entry.name),
            )
        prepared: Prepared = entry.prepared
        return prepared

    def _report(
        self, entry: Entry, arguments: Mapping[str, Any], error: BaseException
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the failed result of a call that raised, and fields for its line on stderr."""
        from .arguments.checker import BadArguments

        if isinstance(error, BadArguments):
            return failure(str(error)), {"status": "invalid_arguments"}
        if isinstance(error, ToolError):
            return failure(str(error)), {"status": error.status}
        if isinstance(error, NotImplementedError):
            reason = str(error) or f"`{entry.name}` is not implemented yet"
            return failure(reason), {"status": "not_implemented"}
        if isinstance(error, Failed):
            try:
                content, status = self._api().report(error, entry.tool, arguments)
                return {"content": content, "isError": True}, {"status": status}
            except Exception as report_error:
                error = report_error
        event("error", "internal_error", traceback=True, tool=entry.name)
        text = (
            f"`{entry.name}` failed inside this server ({type(error).__name__}). "
            "Its log says more; the same call will probably fail again"
        )
        return failure(text), {"status": "internal_error", **entry.package.where(error)}


def _ends_the_call(error: BaseException) -> bool:
    """Return whether an exception is to be raised on: an interrupt, or a cancellation of the call
    itself, not of a task that its function awaits.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)


def _first(error: BaseException) -> BaseException:
    """Return the first error of a group, as an `asyncio.TaskGroup` raises it; else the error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _injected(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return those of `api` and `context` that a function takes by position, in its order."""
    parameters = inspect.signature(function).parameters.values()
    positional = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
    return tuple(name for name in positional if name in _RESERVED)


def _output_validator(entry: Entry) -> Any:
    """Return the output validator of a user's function; None if generated or without schema."""
    from .arguments.checker import compiled

    if entry.generated:
        return None
    output = entry.tool.get("outputSchema")
    if entry.contract is not None:
        output = entry.contract.get("output", output)
    if output is None:
        return None
    return compiled(output)


def _checker(entry: Entry) -> Checker:
    """Return the checker of a tool's arguments, by its contract or its input schema."""
    from .arguments.checker import Checker

    if entry.contract is not None:
        # Only servers with such tools have this module
        contract = import_module(".arguments.contract", __package__)
        own: Checker = contract.ContractChecker(
            entry.name, entry.tool["inputSchema"], entry.contract
        )
        return own
    schema, names = entry.input()
    rules: dict[str, Any] = {}
    if sends := entry.sends():
        rules = {"nullable": sends.nullable, "merge_patch": sends.merge_patch}
        names = {**names, **sends.names}
    return Checker(entry.name, schema, names=names, reads=entry.read_only, **rules)
