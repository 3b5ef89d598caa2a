"""Offer two tools instead of hundreds: find tools as Python stubs, and run a program over them.

A call by a program goes the way of every other call: it is checked, limited, hooked and logged. Its
answer reaches the program whole; what the program returns is shortened for the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import anyio

from ...catalog import RUN, SEARCH, Catalog
from ...limits import CurrentQuota
from ...package import Entry, Package, StartError
from ...record import current
from ...results import MAX_DEPTH, Sieve, TooDeep, visible
from ...results.answer import beginning, fit, tokens
from ...results.content import Context, as_json, failure
from ...settings import Settings
from ..describe import hints, tool_of
from ..search.finder import BEST, Finder, Offers, reads, search_arguments, text_result
from ..search.front import Front, Run
from .calls import COROUTINE, MOST_CHARACTERS, Calls, ProgramAnswers
from .stubs import Stubs, function_name

ROOM = (900, 400, 300, 200, 200)
"""Characters for the types of the best tool, the second and so on."""
WHOLE_ROOM = 3_000
"""Characters for the types of a single tool."""
LONGEST_PROGRAM = 50_000
LONGEST_RUN = 300.0
"""Most seconds for a program, including its waits."""


class CodeMode(Front):
    """Front of `--code`: two tools, and their answers."""

    def __init__(
        self, package: Package, catalog: Catalog, settings: Settings, quota: CurrentQuota
    ) -> None:
        """Raise StartError if the sandbox is not installed, or there is no index."""
        if find_spec("pydantic_monty") is None:
            raise StartError(
                "`--code` needs a sandbox, the extra `code` of this server: run `pip install"
                " '.[code]'` in the project's folder, or `pip install pydantic-monty`"
            )
        from .sandbox import Sandbox

        self._finder = Finder(package, catalog)
        self._stubs = Stubs(package)
        self._answers = ProgramAnswers(package.facts())
        self._quota = quota
        self._room = settings.max_result_tokens
        self._seconds = max(LONGEST_RUN, settings.total_timeout)
        self._entries = {tool["name"]: _entry(catalog, tool["name"]) for tool in catalog.listed}
        self._sandbox = Sandbox(self._finder.similar)
        self.tools = tools(catalog.listed)

    def instructions(self, text: str) -> str:
        """Return the server's instructions, after those for finding and running its tools."""
        return self._finder.instructions(RUN, text)

    def settings(self, settings: Any) -> Any:
        """Return the settings for calls by programs: answers are whole, and data."""
        answers = {name: replace(each, table=False) for name, each in settings.answers.items()}
        return replace(settings, max_result_tokens=MOST_CHARACTERS, answers=answers, bare=True)

    async def call(
        self, name: str, arguments: dict[str, Any], context: Context, run: Run
    ) -> dict[str, Any]:
        """Return the result of one of the two tools."""
        if name == SEARCH:
            limit = arguments.get("limit", BEST)
            given = (arguments["query"], limit, context.offers)
            return text_result(await self._finder.answer(self.search, *given))
        return await self._execute(
            arguments["code"], Calls(self._answers, self._quota(), context, run)
        )

    async def aclose(self) -> None:
        """End the processes of the sandbox."""
        await self._sandbox.aclose()

    def search(self, query: str, limit: int, offers: Offers = bool) -> str:
        """Return the best tools for a query as stubs, the first five with their types, with a note
        if poor; for a `limit` of 1, the tool with all its details.
        """
        result = self._finder.search(query, limit, offers)
        shown: set[str] = set()
        functions: list[str] = []
        types: list[str] = []
        for place, name in enumerate(result.names):
            entry = self._entries[name]
            functions.append(self._stubs.stub(entry))
            if limit == 1:
                functions += self._stubs.details(entry)
                types += self._stubs.types(entry, query, WHOLE_ROOM, shown)
            elif place < BEST:
                types += self._stubs.types(entry, query, ROOM[place], shown)
        if not result.certain:
            types.append(self._finder.few())
        return "\n".join([*functions, *types])

    async def _execute(self, program: str, calls: Calls) -> dict[str, Any]:
        """Run a program; return its value and output, or an error, as the result of a call."""
        from .sandbox import Printed, ProgramError, at_the_end

        printed = Printed()
        functions = {
            function_name(name): calls.function(entry) for name, entry in self._entries.items()
        }
        reason = f"it ran for more than {self._seconds:g} seconds and was stopped"
        try:
            with anyio.move_on_after(self._seconds):
                value = await self._sandbox.run(program, functions, printed)
                try:
                    text = _text_of(value, self._room - tokens(printed.text, self._room // 2))
                except ProgramError as error:
                    raise ProgramError(f"{at_the_end(program)}{error}") from error
                lines = [printed.note(), text]
                if any(map(COROUTINE.search, lines)):
                    lines.append("[a call was not awaited: `await` the functions of tools]")
                return text_result(visible("\n".join(line for line in lines if line)))
        except ProgramError as error:
            reason = str(error)
        finally:
            calls.cancel()
        current().fail("program_failed", reason[:500])
        lines = [f"The program failed: {reason}", _changes(calls.changes), printed.note()]
        return failure(visible("\n".join(line for line in lines if line)))


def _entry(catalog: Catalog, name: str) -> Entry:
    entry = catalog.find(name)
    assert entry is not None, "what is listed is in the catalog"
    return entry


def _changes(changes: Mapping[str, int]) -> str:
    """Say which changes a failed program had made; empty without any."""
    if not changes:
        return ""
    counts = [f"`{name}` ({count} times)" for name, count in changes.items()]
    return f"Done before that, and not undone: {', '.join(counts)}"


def _text_of(value: Any, room: int) -> str:
    """Return the value of a program as text of at most about `room` tokens, and a note on anything
    left out. Raises ProgramError for a value that JSON cannot express.
    """
    from .sandbox import ProgramError

    if value is None:
        return "The program returned nothing: end it with the expression whose value you want"
    if isinstance(value, str):
        kept = beginning(value, room)
        if len(kept) == len(value):
            return value
        return f"{kept}\n[truncated. Kept {len(kept):,} of {len(value):,} characters. Return less]"
    try:
        text, _, cuts = fit(Sieve(visible, deepest=MAX_DEPTH).of(as_json(value)), room)
    except (TypeError, ValueError, RecursionError, TooDeep) as error:
        raise ProgramError(f"its value cannot be returned as JSON: {error}") from error
    if not cuts.items:
        return text
    return f"{text}\n[truncated. {cuts.say()}. Return less]"


def tools(listed: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the two Tool objects; `run_code` has the hint read-only if all tools in `listed` have
    it.
    """
    searching = (
        "Find tools, best match first, as the Python functions and types that programs of"
        f" `{RUN}` use. `limit` 1 and a tool's name show all of it."
    )
    running = (
        "Run a Python program that calls tools, and return the value of its last expression. Tools"
        f" are async functions, as `{SEARCH}` shows them: `book = await get_book(id=1)`;"
        " `asyncio.gather` runs several at once. They return plain data (dicts, lists, whole), and"
        " raise RuntimeError with the reason. Filter, join and count in the program; return only"
        " what you need. Basic Python with json, re, math, datetime and asyncio; no files, no"
        " network, nothing is kept between programs."
    )
    program = {"type": "string", "description": "The program", "maxLength": LONGEST_PROGRAM}
    run = tool_of(RUN, "Run a program", running, {"code": program}, ["code"])
    read_only = all(map(reads, listed))
    run["annotations"] = hints("Run a program", read_only=read_only, open_world=True)
    return [tool_of(SEARCH, "Search tools", searching, search_arguments(), ["query"]), run]
