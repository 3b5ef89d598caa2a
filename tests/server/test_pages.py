"""A long list of tools: in pages over HTTP, so that no client refuses its size; whole on stdio."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import ListToolsResult
from shop import PREFIX, command, write_package
from test_server_http import Server

from mcpgen.runtime.settings import PAGE_BYTES
from mcpgen.runtime.transports.http import pages_of

LINE = 512_000
"""What a page may be on the wire; clients refuse events of more than 1 MiB."""


def tool(number: int, size: int = 4_000) -> dict[str, Any]:
    hints = {"readOnlyHint": True, "destructiveHint": False}
    return {
        "name": f"tool_{number:04}",
        "title": "Tool",
        "description": "é" * (size // 2),
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"title": "Tool", "idempotentHint": True, "openWorldHint": True, **hints},
    }


def bytes_of(tools: list[dict[str, Any]]) -> int:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())


def collected(page: Callable[[str | None], tuple[list[Any], str | None]]) -> list[list[Any]]:
    pages, cursor = [], None
    while True:
        tools, cursor = page(cursor)
        pages.append(tools)
        if cursor is None:
            return pages


@pytest.mark.parametrize("count", [0, 1, 3, 400])
def test_pages_hold_every_tool_once_and_none_is_too_large(count: int) -> None:
    tools = [tool(number) for number in range(count)]
    pages = pages_of(tools, PAGE_BYTES)
    parts = collected(pages.__getitem__)
    assert [item for part in parts for item in part] == tools
    assert all(bytes_of(part) <= PAGE_BYTES + 2 for part in parts)


def test_a_list_that_fits_is_one_page() -> None:
    assert pages_of([tool(1), tool(2)], PAGE_BYTES)[None][1] is None


def test_a_tool_larger_than_a_page_has_one_of_its_own() -> None:
    tools = [tool(1), tool(2, PAGE_BYTES * 2), tool(3)]
    pages = pages_of(tools, PAGE_BYTES)
    parts = collected(pages.__getitem__)
    assert [len(part) for part in parts] == [1, 1, 1]


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A package with a list of more than a megabyte."""
    tools = [tool(number) for number in range(400)]
    return write_package(
        tmp_path, {"tools/big.json": json.dumps(tools, ensure_ascii=False), "tools/big.py": ""}
    )


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_over_http_both_eras_get_the_list_in_pages(big: Path, mode: str) -> None:
    server = Server(big, {f"{PREFIX}_BASE_URL": "https://api.example.com"})

    async def run() -> list[ListToolsResult]:
        pages = []
        async with Client(server.url, mode=mode) as client:
            pages.append(await client.list_tools(cursor=""))
            while pages[-1].next_cursor is not None:
                pages.append(await client.list_tools(cursor=pages[-1].next_cursor))
            with pytest.raises(MCPError, match="Unknown cursor"):
                await client.list_tools(cursor="nothing")
        return pages

    try:
        pages = asyncio.run(run())
    finally:
        server.stop()
    assert len(pages) == 4
    names = [item.name for page in pages for item in page.tools]
    assert len(names) == len(set(names)) >= 400
    for page in pages:
        text = page.model_dump_json(by_alias=True, exclude_none=True)
        assert len(text.encode()) <= LINE


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_that_reads_the_first_page_only_can_get_the_list_in_one(
    big: Path, mode: str
) -> None:
    variables = {"BASE_URL": "https://api.example.com", "HTTP_LIST_BYTES": "4000000"}
    server = Server(big, {f"{PREFIX}_{name}": value for name, value in variables.items()})

    async def run() -> ListToolsResult:
        async with Client(server.url, mode=mode) as client:
            return await client.list_tools()

    try:
        listed = asyncio.run(run())
    finally:
        server.stop()
    assert listed.next_cursor is None
    assert len(listed.tools) >= 400


def test_on_stdio_the_list_stays_whole(big: Path) -> None:
    parameters = command(big, {f"{PREFIX}_BASE_URL": "https://api.example.com"})

    async def run() -> ListToolsResult:
        async with Client(stdio_client(parameters, errlog=sys.__stderr__)) as client:
            return await client.list_tools()

    listed = asyncio.run(run())
    assert listed.next_cursor is None
    assert len(listed.tools) >= 400
