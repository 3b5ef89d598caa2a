"""What `make demo` runs: a server is generated, started, and called, and everything that happens is
on the screen.

The API is real (`bookshop_api.py`, on a free loopback port), the server is the generated package in
a process of its own over stdio, and the client is the official one. Nothing leaves this machine.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from rich.columns import Columns
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

sys.path.insert(0, str(Path(__file__).parent))

import bookshop_api

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = "samples/specs/bookshop.yaml"
FOLDER = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "demo"
SERVER = ("bookshop_mcp", "--log-level", "error")
WIDTH = 100
MOST_LINES = 12
ADDRESS = {"name": "Ana Reis", "street": "Rua Augusta 1", "city": "Lisboa", "country": "PT"}


class Transcript:
    """The screen: chapters, commands, calls and answers."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, markup=False, emoji=False)
        self.console.width = min(self.console.width, WIDTH)
        self.chapters = 0

    def chapter(self, title: str) -> None:
        """A heading."""
        self.chapters += 1
        self.console.print()
        self.console.print(
            Rule(Text(f"{self.chapters}  {title}", style="bold"), align="left", style="dim")
        )

    def say(self, *parts: str | tuple[str, str]) -> None:
        """A line of text."""
        self.console.print(Text.assemble(*parts))

    def command(self, words: list[str]) -> None:
        """Run mcpgen as a user would, on this screen."""
        self.say(("$ ", "dim"), ("mcpgen " + " ".join(words), "bold"))
        sys.stdout.flush()
        done = subprocess.run(
            [sys.executable, "-m", "mcpgen", *words], cwd=ROOT, env=self._environment(), check=False
        )
        if done.returncode:
            raise SystemExit(done.returncode)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "COLUMNS": str(self.console.width)}

    def code(self, source: str, language: str) -> None:
        """Source text in colour."""
        text = Syntax(
            source, language, theme="ansi_dark", background_color="default", word_wrap=True
        )
        self.console.print(Padding(text, (0, 0, 0, 2)))

    def call(self, name: str, arguments: dict[str, Any]) -> None:
        """What the model asks for."""
        self.console.print()
        said = ", ".join(f"{key}={json.dumps(value)}" for key, value in arguments.items())
        lines = Text.assemble((name, "bold cyan"), f"({said})").wrap(
            self.console, self.console.width - 2
        )
        for number, line in enumerate(lines):
            self.console.print(Text.assemble(("▶ " if number == 0 else "  ", "cyan"), line))

    def requests(self, seen: list[str]) -> None:
        """What reached the API."""
        for line in seen or ["nothing was sent"]:
            self.console.print(Text.assemble(("  API  ", "dim"), (line, "dim")))

    def answer(self, result: types.CallToolResult) -> None:
        """What the model gets."""
        style = "red" if result.is_error else "green"
        for block in result.content:
            if isinstance(block, types.TextContent):
                self._text(block.text, style, result.is_error is True)
            elif isinstance(block, types.ImageContent):
                size = len(block.data) * 3 // 4
                self.console.print(
                    Text.assemble(("◀ ", style), f"an image, {block.mime_type}, {size} bytes")
                )

    def _text(self, text: str, style: str, failed: bool) -> None:
        with contextlib.suppress(ValueError):
            if not failed:
                text = json.dumps(json.loads(text), ensure_ascii=False)
        lines = Text(text).wrap(self.console, self.console.width - 2)
        for number, line in enumerate(lines[:MOST_LINES]):
            mark = "◀ " if number == 0 else "  "
            self.console.print(Text.assemble((mark, style), (line.plain, style if failed else "")))
        if len(lines) > MOST_LINES:
            self.say((f"  … {len(lines) - MOST_LINES} more lines", "dim"))


def function(path: Path, name: str) -> str:
    """The source of one function of a module."""
    source = path.read_text()
    (found,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.AsyncFunctionDef) and node.name == name
    ]
    return ast.get_source_segment(source, found) or ""


@contextlib.asynccontextmanager
async def connected(base_url: str, mode: Any = "auto") -> AsyncIterator[Client]:
    """The official client, talking to the generated server in a process of its own."""
    settings = {"BOOKSHOP_MCP_BASE_URL": base_url, "BOOKSHOP_MCP_API_KEY": bookshop_api.KEY}
    start = StdioServerParameters(
        command=sys.executable,
        args=["-m", *SERVER],
        env={**settings, "PYTHONPATH": str(FOLDER / "src")},
    )
    async with Client(stdio_client(start), mode=mode) as client:
        yield client


def show_tools(screen: Transcript, tools: list[types.Tool]) -> None:
    """The list, one mark per behaviour."""
    cells = []
    for tool in tools:
        hints = tool.annotations
        if hints is not None and hints.read_only_hint:
            cells.append(Text.assemble(("○ ", "green"), tool.name))
        elif hints is not None and hints.destructive_hint:
            cells.append(Text.assemble(("● ", "red"), tool.name))
        else:
            cells.append(Text.assemble(("◐ ", "yellow"), tool.name))
    screen.console.print(Padding(Columns(cells, equal=True, column_first=True), (0, 0, 0, 2)))
    screen.say(
        "  ",
        ("○", "green"),
        " reads  ",
        ("◐", "yellow"),
        " adds  ",
        ("●", "red"),
        " changes or deletes",
    )


async def conversation(screen: Transcript, api: bookshop_api.Server) -> None:
    """List the tools and call several; two of the calls fail, and say what to do about it."""
    started = time.perf_counter()
    async with connected(api.base_url) as client:
        listed = (await client.list_tools()).tools
        took = time.perf_counter() - started
        screen.say(
            f"{len(listed)} tools, {took:.1f} s after the process was started ",
            (_era(client), "dim"),
        )
        show_tools(screen, listed)

        screen.chapter("calls, as a model makes them")

        async def call(name: str, **arguments: Any) -> Any:
            api.seen.clear()
            screen.call(name, arguments)
            result = await client.call_tool(name, arguments)
            screen.requests(api.seen)
            screen.answer(result)
            return result.structured_content or {}

        found = await call("list_books", genre="science-fiction", price={"max": 10}, in_stock=True)
        book = found["items"][0]["id"]
        line = {"bookId": book, "quantity": 5}
        await call("place_order", lines=[line], deliverTo=ADDRESS)
        screen.say("  the API said no, and the model is told why; it tries again:")
        order = await call("place_order", lines=[{**line, "quantity": 2}], deliverTo=ADDRESS)
        await call("list_books", genre="cooking")
        await call("get_book_cover", bookId=book)
        await call("cancel_order", orderId=order["id"])

    async with connected(api.base_url, "legacy") as client:
        older = (await client.list_tools()).tools
        same = "the same list" if older == listed else "another list"
        screen.console.print()
        screen.say(f"A client of the handshake era gets {same} ", (_era(client), "dim"))


def _era(client: Client) -> str:
    return f"(protocol {client.protocol_version})"


def main() -> None:
    """Run the demo."""
    screen = Transcript()
    screen.say(
        ("mcpgen", "bold"),
        "  from an API description to an MCP server",
        (", on this machine only", "dim"),
    )

    screen.chapter("generate")
    if (FOLDER / "mcpgen.lock").is_file():
        shutil.rmtree(FOLDER)
    screen.command(["generate", DOCUMENT, "--output", os.path.relpath(FOLDER, ROOT)])

    screen.chapter("what a tool looks like (src/bookshop_mcp/tools/orders.py)")
    screen.code(function(FOLDER / "src/bookshop_mcp/tools/orders.py", "place_order"), "python")

    with bookshop_api.serving() as api:
        screen.chapter("start it and list its tools")
        screen.say(("$ ", "dim"), (f"export BOOKSHOP_MCP_BASE_URL={api.base_url}", "bold"))
        screen.say(("$ ", "dim"), ("export BOOKSHOP_MCP_API_KEY=demo-key", "bold"))
        screen.say(("$ ", "dim"), (f"python -m {' '.join(SERVER)}", "bold"))
        asyncio.run(conversation(screen, api))

    screen.chapter("yours")
    screen.say(
        "The package is in ",
        (f"{FOLDER.name}/", "bold"),
        "; its README says how to connect a client. Now your API:",
    )
    screen.say(("$ ", "dim"), ("mcpgen generate openapi.yaml", "bold"))
    screen.console.print()


if __name__ == "__main__":
    main()
