"""Calls are checked against everything a tool takes, also where the list leaves something out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from mcpgen import pipeline
from mcpgen.config.file import parse_config
from mcpgen.problems import Problems
from mcpgen.runtime.arguments.checker import Checker
from mcpgen.runtime.parts import describe
from tests.generated import importable, written

CASE = Path(__file__).parents[1] / "cases" / "a_budget_of_its_own"
PACKAGE = "payments_mcp"
QUOTE = {"amount": 5, "currency": "EUR"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Any]:
    """A server one of whose tools has a small budget."""
    config = parse_config((CASE / "mcpgen.toml").read_text(), folder=CASE)
    written(pipeline.generate(config, Problems())[2], tmp_path)
    with importable(tmp_path / "src", PACKAGE) as module:
        yield module("runtime.app").App(PACKAGE)


@pytest.fixture
def catalog(server: Any) -> Any:
    """Its tools."""
    return server.catalog


@pytest.fixture
def check(catalog: Any) -> Any:
    """Check a call of a tool, as the server does before it makes a request."""

    def run(name: str, arguments: dict[str, Any]) -> Any:
        schema, names = catalog.find(name).input()
        return Checker(name, schema, names=names).checked(arguments)[0]

    return run


def test_what_is_not_listed_is_checked(catalog: Any, check: Any) -> None:
    listed = catalog.find("create_quote").tool["inputSchema"]["properties"]["payer"]
    assert list(listed["properties"]) == ["name"]
    for payer in ({"type": "robot"}, {"address": {"country": "Italy"}}, {"reference": "x" * 36}):
        with pytest.raises(ValueError, match=next(iter(payer))):
            check("create_quote", {**QUOTE, "payer": {"name": "A", **payer}})


def test_what_is_not_listed_is_sent_as_the_api_names_it(check: Any) -> None:
    for key in ("type", "@type"):
        payer = {"name": "A", key: "person", "reference": None}
        sent = {"name": "A", "@type": "person", "reference": None}
        assert check("create_quote", {**QUOTE, "payer": payer}) == {**QUOTE, "payer": sent}


def test_a_tool_that_is_listed_whole_is_checked_against_its_list(catalog: Any) -> None:
    tool = catalog.find("create_payment")
    assert tool.input() == (tool.tool["inputSchema"], {})
    assert tool.described() == tool.tool


def test_the_description_of_a_tool_has_all_it_takes(catalog: Any) -> None:
    described = catalog.find("create_quote").described()
    assert described["inputSchema"] == catalog.find("create_quote").tool["inputSchema"]
    whole = described["wholeInputSchema"]
    assert whole["$defs"]["Party"]["properties"]["type"]["enum"] == ["person", "company"]


def test_a_list_that_leaves_something_out_has_a_tool_that_shows_it(server: Any) -> None:
    async def ask() -> tuple[Any, Any, Any]:
        async with Client(server.server) as client:
            names = ["create_quote", "create_quot"]
            told = [await client.call_tool("describe_tool", {"name": name}) for name in names]
            return (await client.list_tools()).tools[-1], *told

    tool, told, wrong = asyncio.run(ask())
    assert tool.name == "describe_tool" and tool.annotations.read_only_hint
    assert tool.annotations.model_dump() == {
        "title": tool.title, "read_only_hint": True, "destructive_hint": False,
        "idempotent_hint": True, "open_world_hint": False,
    }  # fmt: skip
    party = json.loads(told.content[0].text)["wholeInputSchema"]["$defs"]["Party"]
    assert party["properties"]["type"]["enum"] == ["person", "company"]
    assert wrong.is_error and "did you mean `create_quote`" in wrong.content[0].text
    server.catalog.entries["describe_tool"] = tool
    assert not describe.PART.beside(server.catalog)
