"""The list to score: of a project, a document, a file of Tool objects, or a running server."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..config import Config
from ..config.positions import KeyPath
from ..installed import install_command
from ..load.definitions import SCHEMA_KEYS, is_definition, schema_of, tool_list, unwrapped
from ..problems import Place, Problems, UsageError
from .rules import Score, score_tools

MOST_PAGES = 10_000
PARAMETER_PLACES = ("path", "query", "header", "cookie")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolList:
    """Tool objects as a client gets them. `keys`: tool → its key of `[tools."…"]`, for tools of a
    document. `parameters`: argument → its name as a parameter in the document; `typed`: tools whose
    answers have a type that the list may leave out or are no JSON; `own`: tools of functions, whose
    texts are in the user's code. `places` are those of the tables and keys of `mcpgen.toml`.
    """

    name: str
    tools: tuple[Mapping[str, Any], ...]
    keys: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    typed: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    places: Mapping[KeyPath, Place] = field(default_factory=dict)

    def by_name(self) -> dict[str, Mapping[str, Any]]:
        """Return the Tool objects by name."""
        return {str(tool["name"]): tool for tool in self.tools}


def score_source(source: str | os.PathLike[str]) -> Score:
    """Return the score of a document, a project's folder, or a file of Tool objects. Raises
    McpgenError.
    """
    return score_tools(tools_of_source(source).tools)


def tools_of_source(source: str | os.PathLike[str]) -> ToolList:
    """Return the tools of a document, a project's folder, or a file of Tool objects. Raises
    McpgenError.
    """
    return tools_of_config(Config(sources=(os.fspath(source),)))


def tools_of_config(config: Config, problems: Problems | None = None) -> ToolList:
    """Return the tools of the sources in a configuration; without sources, of the project around
    this folder. Raises McpgenError.
    """
    from ..live.tools import running_tools
    from ..project.run import request_of, run, settle
    from ..render.facts import wire

    captured = _captured(config.sources)
    if captured is not None:
        return _full(captured)
    made = run(request_of(config), Problems() if problems is None else problems, files=False)
    server = made.server
    tools = tuple(wire(tool) for tool in server.tools)
    if server.has_functions:
        tools = running_tools(made.folder)
    return _full(
        ToolList(
            name=server.name,
            tools=tools,
            keys={
                tool.name: tool.origin.operation_id or tool.origin.operation
                for tool in server.tools
            },
            parameters={
                argument.name: argument.wire_name
                for tool in server.tools
                for argument in tool.arguments
                if argument.place in PARAMETER_PLACES
            },
            typed=frozenset(
                tool.name for tool in server.tools if tool.response.type or not tool.response.json
            ),
            own=frozenset(server.functions),
            places=settle(request_of(config)).config.places,
        )
    )


def _captured(sources: tuple[str, ...]) -> ToolList | None:
    """Return the list in a JSON file of Tool objects, in any dialect; None for any other source."""
    if len(sources) != 1 or not Path(sources[0]).is_file():
        return None
    path = Path(sources[0])
    try:
        root = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    listed = tool_list(root)
    if listed is None or not all(is_definition(item) for item in listed[0]):
        return None
    return ToolList(name=path.stem, tools=tuple(_as_mcp(item) for item in listed[0]))


def _as_mcp(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool in any dialect as a Tool object."""
    tool, _ = unwrapped(item, "")
    schema, at = schema_of(tool, "", SCHEMA_KEYS)
    others = {key: value for key, value in tool.items() if key not in SCHEMA_KEYS}
    return {**others, "inputSchema": schema} if at else others


def _full(listed: ToolList) -> ToolList:
    """Return the list. Raises UsageError (E1470) if it is empty."""
    if listed.tools:
        return listed
    raise UsageError.of(
        "E1470",
        f"`{listed.name}` has no tools to score",
        "name a document, a project, a file of tools, or a server with `--command`",
    )


def tools_of_server(target: str, *, remote: bool) -> ToolList:
    """Return the tools that a running server lists: at a URL with `remote`, else started by a
    command. Raises UsageError if it cannot be asked, or has none.
    """
    import asyncio

    try:
        import mcp  # noqa: F401
    except ImportError:
        hint = f"run `{install_command('eval')}`"
        raise _unreachable(target, "the client is not installed", hint) from None
    try:
        listed = asyncio.run(_ask(target, remote=remote))
    except Exception as error:
        raise _unreachable(target, *_reason(error, remote=remote)) from error
    if listed is None:
        raise _unreachable(target, "its list does not end", "give the last page no cursor")
    return _full(listed)


def _reason(error: BaseException, *, remote: bool) -> tuple[str, str]:
    """Return (what went wrong, what to do), of the first error inside groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case FileNotFoundError():
            return "there is no such program", "give the command as in a shell, with its path"
        case OSError() | ValueError() if not remote:
            return str(getattr(error, "strerror", "") or error)[:300], "correct the command"
    if remote:
        hint = (
            "start the server, and give the URL of its endpoint, as in `http://127.0.0.1:8000/mcp`"
        )
        return f"no server of MCP answers there ({str(error)[:200] or type(error).__name__})", hint
    return f"it ended, or does not speak MCP ({str(error)[:200]})", "run it by hand: it says why"


def _unreachable(target: str, reason: str, hint: str) -> UsageError:
    message = f"the tools of `{target}` cannot be listed: {reason}"
    return UsageError.of("E1471", message, hint)


async def _ask(target: str, *, remote: bool) -> ToolList | None:
    """Return every page of a server's list; None where a cursor comes again, or page after page."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    transport: Any = target
    if not remote:
        command, *arguments = shlex.split(target)
        start = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
        transport = stdio_client(start, errlog=sys.stderr)
    tools: list[dict[str, Any]] = []
    async with Client(transport) as client:
        cursor: str | None = None
        asked: set[str | None] = set()
        while len(asked) < MOST_PAGES:
            asked.add(cursor)
            page = await client.list_tools(cursor=cursor)
            tools += [
                tool.model_dump(mode="json", by_alias=True, exclude_none=True)
                for tool in page.tools
            ]
            cursor = page.next_cursor
            if cursor is None:
                return ToolList(name=target, tools=tuple(tools))
            if cursor in asked:
                break
    return None
