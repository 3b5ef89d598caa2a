"""What one connection chooses among the tools: by header fields, or by the path."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from served import LIST, Server, Start, call
from shop import BOOKS, DESK, Recorder

READING = {tool["name"] for tool in BOOKS if tool["annotations"]["readOnlyHint"]}
BOOK_NAMES = {tool["name"] for tool in BOOKS}
DESK_NAMES = {tool["name"] for tool in DESK}


def listed(server: Server, path: str = "/mcp", **fields: str) -> set[str]:
    """The names of the tools that a connection lists."""
    status, _, body = server.send(LIST, path=path, **fields)
    assert status == 200, body
    return {tool["name"] for tool in json.loads(body)["result"]["tools"]}


def said(server: Server, name: str, arguments: Any, path: str = "/mcp", **fields: str) -> str:
    """The first text of a call's result."""
    answer = json.loads(server.send(call(name, arguments), path=path, **fields)[2])
    return str(answer["result"]["content"][0]["text"])


@pytest.fixture
def server(start: Start) -> Server:
    """A server with every tool."""
    return start()


@pytest.mark.parametrize(("path", "fields", "expected"), [
    ("/mcp/x/books", {}, BOOK_NAMES),
    ("/mcp/x/books/", {}, BOOK_NAMES),
    ("/mcp/x/books/readonly", {}, READING),
    ("/mcp", {"x_mcp_toolsets": "books"}, BOOK_NAMES),
    ("/mcp", {"x_mcp_toolsets": " books ,", "x_mcp_readonly": "true"}, READING),
    ("/mcp", {"x_mcp_toolsets": "books", "x_mcp_readonly": "True"}, READING),
    ("/mcp", {"x_mcp_toolsets": "books", "x_mcp_readonly": "yes"}, READING),
    ("/mcp", {"x_mcp_tools": "get_book, echo", "x_mcp_readonly": "Off"}, {"get_book", "echo"}),
    ("/mcp", {"x_mcp_toolsets": "books", "x_mcp_tools": "echo"}, BOOK_NAMES | {"echo"}),
    ("/mcp/x/books", {"x_mcp_tools": "echo,get_book"}, {"get_book"}),
    ("/mcp/x/all/readonly", {"x_mcp_toolsets": "books"}, READING),
])  # fmt: skip
def test_the_list_and_the_calls_are_those_that_a_connection_chose(
    server: Server, api: Recorder, path: str, fields: dict[str, str], expected: set[str]
) -> None:
    before = listed(server)
    assert listed(server, path, **fields) == expected < before
    assert listed(server) == before  # and another connection's choice is its own
    for name, arguments in {"delete_book": {"book_id": "1"}, "get_book": {"book_id": "1"}}.items():
        refused = "this connection asks for" in said(server, name, arguments, path, **fields)
        assert refused == (name not in expected)
    assert {each.method for each in api.requests} <= {"GET", "DELETE"}
    assert ("DELETE" in {each.method for each in api.requests}) == ("delete_book" in expected)


def test_a_choice_only_narrows_what_the_operator_allows(start: Start, api: Recorder) -> None:
    server = start("--toolsets", "books", "--read-only")
    for fields in ({"x_mcp_readonly": "false"}, {"x_mcp_toolsets": "all"}, {}):
        assert listed(server, **fields) == READING
    assert "started read-only" in said(
        server, "delete_book", {"book_id": "1"}, x_mcp_tools="delete_book"
    )
    for path, fields in (("/mcp/x/desk", {}), ("/mcp", {"x_mcp_toolsets": "desk"}),
                         ("/mcp", {"x_mcp_tools": "echo"}), ("/mcp/x/boks", {})):  # fmt: skip
        status, _, body = server.send(LIST, path=path, **fields)
        assert status == 400 and "there is no tool" in json.loads(body)["error"]
    assert api.requests == []


def test_a_stranger_learns_no_names(start: Start) -> None:
    server = start(HTTP_TOKEN="t" * 32)
    assert server.send(LIST, path="/mcp/x/nothing")[0] == 401
    assert server.bearer("t" * 32, path="/mcp/x/nothing")[0] == 400


def test_an_answer_says_what_it_depends_on(server: Server) -> None:
    async def scopes() -> list[Any]:
        found = []
        for path in ("", "/x/books"):
            transport = streamable_http_client(f"{server.url}{path}")
            async with Client(transport, mode="2026-07-28") as client:
                result = await client.list_tools()
                found.append((result.cache_scope, {tool.name for tool in result.tools}))
        return found

    (public, every), (private, some) = asyncio.run(scopes())
    assert (public, private) == ("public", "private") and some == BOOK_NAMES < every
    assert server.send()[1]["vary"] == "origin, x-mcp-toolsets, x-mcp-tools, x-mcp-readonly"


def test_the_search_finds_what_may_be_called(start: Start, api: Recorder) -> None:
    server = start("--lazy")
    found = said(server, "search_tools", {"query": "book", "limit": 50})
    assert "delete_book" in found
    narrow = {"path": "/mcp/x/books/readonly"}
    found = said(server, "search_tools", {"query": "delete book", "limit": 50}, **narrow)
    assert "delete_book" not in found and "get_book" in found
    inside = {"name": "delete_book", "arguments": {"book_id": "1"}}
    assert "no tool `delete_book`" in said(server, "call_tool", inside, **narrow)
    assert "no tool `delete_book`" in said(
        server, "describe_tool", {"name": "delete_book"}, **narrow
    )
    assert len(listed(server, **narrow)) == 3 and api.requests == []
