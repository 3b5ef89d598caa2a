"""MCP side of a server: list the tools, check a call, run it, report.

Built on the SDK's low-level server, which validates nothing and changes nothing, so the schemas a
client sees are exactly those of the contracts. Both protocol eras are served from here: the
handshake of 2025-11-25 and before, and the stateless requests of 2026-07-28.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import anyio
import mcp.types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic_core import to_json

from .calls import Hooks, Runner
from .catalog import Catalog, Tools
from .limits import Quota
from .package import Entry, Package, StartError
from .parts import mode_of, parts_of
from .record import current, is_read, is_traced, recorded, with_readable_trace
from .results import sendable
from .results.content import Context, failure
from .settings import Settings, read

LIST_TTL_MS = 300_000
"""Time for which a client may cache the list, in milliseconds: it only changes when the server
is replaced.
"""

GRACE_SECONDS = 1.0
TITLED = "2025-06-18"
"""The revision of the protocol in which tools got a `title` of their own."""

Refusal = Callable[[Entry, Any, bool], str]
"""Returns the reason to refuse a tool, by the request (None on stdio) and by whether the function
of another tool calls it; or an empty text.
"""
Page = tuple[Tools, str | None, bool]
"""Tools of the list, the cursor of the next page, and whether it is the list of one connection."""


class App:
    """Tools of a package, ready to be served on any transport as `server`."""

    def __init__(
        self,
        package: str,
        *,
        toolsets: Iterable[str] = (),
        tools: Iterable[str] = (),
        read_only: bool = False,
        mode: str = "",
        settings: Settings | None = None,
        yours: bool = True,
    ) -> None:
        """Make the server of the package with the import name `package`. `mode` is an option for
        another list of the tools (`--lazy`). Without toolsets or tools, the settings choose them;
        with `settings` None, they are read later, and choose nothing. With `yours` false neither
        `hooks.py` nor `custom/` is used. Raises StartError for options that do not fit.
        """
        home = Package.named(package)
        facts = home.facts()
        parts = parts_of(facts)
        aliases = facts.get("aliases", {})
        named = {key: facts[key] for key in ("name", "env_prefix")}
        self._limits = settings or Settings(**named, **facts.get("defaults", {}))
        self.catalog = Catalog(
            home,
            toolsets=tuple(toolsets) or self._limits.toolsets,
            tools=tuple(tools) or self._limits.tools,
            read_only=read_only or self._limits.read_only,
            aliases=aliases,
            yours=yours,
            parts=parts,
        )
        self.home = home
        self._yours = yours
        self._settings = settings
        self.quota = Quota(self._limits, facts.get("rates", {}))
        """Replaced by a transport that has many callers."""
        self._api: Any = None
        hooks = Hooks(_hooks(home) if yours else None, self.catalog.every_name)
        consents = [
            part.consent(self.settings, facts) for part in parts if part.consent is not None
        ]
        self.runner = Runner(hooks, self.api, self._mask, facts, consents)
        self.sender: Any = None
        """Set by an application that is called in process: its transport."""
        self.refusal: Refusal | None = None
        """Set by a transport that knows its callers."""
        self.page: Callable[[Any, str | None], Page] | None = None
        """Set by a transport whose clients limit a message: the page of a request and a cursor."""
        self.listed = self.catalog.listed
        """The Tool objects of the list."""
        self.front: Any = None
        """The tools through which the others are called (`parts.search.front.Front`)."""
        if mode:
            front = mode_of(mode, parts).front
            self.front = front(home, self.catalog, self._limits, lambda: self.quota)
        self._before: dict[str, Entry] = {}
        """The tools of the front, or beside the list: those that are not of the catalog."""
        if self.front is not None:
            self.listed = self.front.tools
            self._before = {tool["name"]: Entry(home, tool, "", "", True) for tool in self.listed}
            facts = {**facts, "instructions": self.front.instructions(facts["instructions"])}
        else:
            for beside in filter(None, (part.beside for part in parts)):
                self._before |= {entry.name: entry for entry in beside(self.catalog)}
            self.listed = [*self.listed, *(entry.tool for entry in self._before.values())]
        if not self._limits.structured_content:
            hidden = {"outputSchema"}
            self.listed = [
                {key: tool[key] for key in tool if key not in hidden} for tool in self.listed
            ]
        self.server = self._build(facts)

    def _build(self, facts: dict[str, Any]) -> Server[Any]:
        hint = CacheHint(ttl_ms=LIST_TTL_MS, scope="public")
        server: Server[Any] = Server(
            facts["name"],
            version=seen_version(facts),
            title=facts.get("title"),
            instructions=facts.get("instructions") or None,
            cache_hints={"tools/list": hint, "server/discover": hint},
            # No tool has an `x-mcp-header`; by default every call over HTTP first lists the tools
            get_tool_input_schema=lambda name: None,
            lifespan=self._lifespan,
            on_list_tools=self._list_nothing,
        )
        server.add_request_handler("tools/call", types.CallToolRequestParams, self._call)
        server.middleware[:] = [partial(self._around, [*server.middleware])]
        return server

    @asynccontextmanager
    async def _lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            api, self._api = self._api, None
            if api is not None:
                await api.aclose()
            if self.front is not None:
                await self.front.aclose()

    def api(self) -> Any:
        """Return the HTTP side (`client.side.HttpSide`), made at the first request for it."""
        if self._api is None:
            self._api = import_module(".client.side", __package__).side_of(self)
        return self._api

    def settings(self) -> Settings:
        """Return the settings, read at the first request for them. Raises SettingsError."""
        if self._settings is None:
            self._settings = read(self.home.facts())
        return self._settings

    def _mask(self, data: Any) -> Any:
        """Return data without known secrets, in case the user's code let one through."""
        if self._settings is None:
            return data
        return self._settings.redactor.data(data)

    async def _around(
        self,
        spans: Sequence[ServerMiddleware[Any]],
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
    ) -> HandlerResult:
        """Make the SDK's span of a request if spans are kept, parse arguments that are JSON text,
        and put the prepared Tool objects into the envelope made by the SDK for an empty list: its
        models would take seconds for a thousand tools, which are valid as generated.
        """
        if is_traced(ctx.meta):
            ctx = replace(ctx, meta=with_readable_trace(ctx.meta))
            for span in reversed(spans):
                call_next = partial(span, call_next=call_next)
        if ctx.method == "tools/call":
            ctx = _with_arguments_as_object(ctx)
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            cursor = (ctx.params or {}).get("cursor")
            tools, _, is_own = self._page(ctx, cursor)
            if ctx.protocol_version < TITLED:
                tools = list(map(_with_title_among_hints, tools))
            result = {**result, "tools": tools}
            if "cacheScope" in result and is_own:
                result["cacheScope"] = "private"
        return result

    async def _list_nothing(
        self, ctx: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Return a page with its next cursor, without tools. Raises MCPError for a bad cursor."""
        cursor = params.cursor if params is not None else None
        try:
            _, following, _ = self._page(ctx, cursor)
        except LookupError:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown cursor") from None
        return types.ListToolsResult(tools=[], next_cursor=following)

    def _page(self, ctx: ServerRequestContext[Any, Any], cursor: str | None) -> Page:
        """Return a page of the list: on stdio, where no client limits a message, the whole list.
        Raises LookupError for an unknown cursor.
        """
        if self.page is not None and ctx.request is not None:
            return self.page(ctx.request, cursor or None)
        if cursor:
            raise LookupError(cursor)
        return self.listed, None, False

    async def _call(
        self, request: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> dict[str, Any]:
        """Answer `tools/call`. Raises MCPError (-32602) for an unknown tool; any other failure is a
        result with `isError`.
        """
        name = params.name[:128]
        shown = printable(name)
        context = Context(request, params.name)
        with recorded(shown, context.sender) as record:
            reason = await self.quota.refusal(name, record.key)
            if reason:
                record.writes = self.catalog.writes(params.name)
                record.arguments = params.arguments
                record.fail("limited", reason)
                result = failure(reason)
            else:
                entry, run = self._before.get(params.name), self._call_tool
                if entry is not None and self.front is not None:
                    run = partial(self.front.run, self._call_tool)
                entry = entry or self._find(params.name)
                result = await run(entry, params.arguments, context)
            # `resultType` belongs to 2026-07-28; the SDK leaves it out for older clients
            complete: dict[str, Any] = sendable(result)
            if "content" in result:
                complete = {"resultType": "complete", "isError": False, **complete}
            if not self._limits.structured_content:
                complete.pop("structuredContent", None)
            if is_read():
                record.bytes = len(to_json(complete))
        return complete

    def entry(self, name: str) -> Entry | None:
        """Return the tool of that name, of the front or else of the catalog; None without one."""
        return self._before.get(name) or self.catalog.find(name)

    def _find(self, name: str) -> Entry:
        entry = self.catalog.entries.get(name) or self.catalog.find(name)
        if entry is None:
            hint = self.catalog.near(name) or "; `tools/list` has the names of those there are"
            message = f"Unknown tool: `{printable(name[:128])}`{hint}"
            current().fail("unknown_tool", "")
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        return entry

    async def _call_tool(
        self, entry: Entry, arguments: dict[str, Any] | None, context: Context
    ) -> dict[str, Any]:
        context.server = self
        reason = self.reason_to_refuse(entry, context)
        record = current()
        record.tool, record.writes, record.arguments = entry.name, not entry.read_only, arguments
        if reason:
            record.fail("refused", reason)
            return failure(reason)
        seconds = self._limits.total_timeout
        # The HTTP side gives up by itself, and says more about it
        grace = GRACE_SECONDS if entry.generated else 0.0
        async with self.quota.running(entry.name, record.key) as reason:
            reason = reason or await self.quota.tool_refusal(entry.name)
            if reason:
                record.fail("limited", reason)
                return failure(reason)
            with anyio.move_on_after(seconds + grace) as context.limit, context.end:
                return await self.runner.call(entry, arguments, context)
        reason = (
            f"`{entry.name}` gave no result in {seconds:g} seconds; its work may be done in part,"
            " or still go on. The operator can allow more time with"
            f" `{self._limits.variable('TOTAL_TIMEOUT')}`"
        )
        record.fail("timed_out", reason)
        result = failure(reason)
        result["content"] += context.done()
        return result

    def reason_to_refuse(self, entry: Entry, context: Context, inside: bool = False) -> str:
        """Explain why a tool may not be called by this caller, or return an empty text; `inside`
        for a call by the function of another tool.
        """
        if self.catalog.read_only and not entry.read_only:
            return f"`{entry.name}` can change data, and this server was started read-only"
        if self.refusal is not None:
            return self.refusal(entry, context.request, inside)
        return ""


def seen_version(facts: Mapping[str, Any]) -> str:
    """Return the version that clients see: that of the API or, without one, of the installed
    distribution, which the owner raises in `pyproject.toml`.
    """
    if facts.get("calls_api", True):
        return str(facts.get("version", ""))
    with suppress(PackageNotFoundError):
        return version(f"mcp-{facts['name']}")
    return str(facts.get("version", ""))


def _with_title_among_hints(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a Tool object with its title among the annotations, too (MCP 2025-03-26)."""
    return {**tool, "annotations": {"title": tool["title"], **tool["annotations"]}}


def printable(name: str) -> str:
    """Return a name in ASCII; any other character is escaped (`\\xe9`)."""
    return name.encode("ascii", "backslashreplace").decode()


def _with_arguments_as_object(
    ctx: ServerRequestContext[Any, Any],
) -> ServerRequestContext[Any, Any]:
    """Return a request whose arguments are an object, parsed if a client sent JSON text. Raises
    MCPError (-32602) for anything else: the SDK would not say why.
    """
    params = ctx.params or {}
    arguments = params.get("arguments")
    if isinstance(arguments, dict | None):
        return ctx
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments.strip() or "{}")
        except (ValueError, RecursionError):
            arguments = None
    if not isinstance(arguments, dict):
        message = 'Invalid `arguments`: they must be a JSON object, as in {"name": "value"}'
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    return replace(ctx, params={**params, "arguments": arguments})


def _hooks(package: Package) -> Any:
    """Return the module `hooks.py`; None without the file. Raises StartError if it cannot be
    imported: a guard must not vanish.
    """
    if not package.has("hooks"):
        return None
    try:
        return package.module("hooks")
    except Exception as error:
        fields = package.where(error)
        place = ""
        if "file" in fields:
            place = f"{fields['file']}:{fields['line']}: "
        raise StartError(f"hooks.py cannot be imported: {place}{fields['reason']}") from error
