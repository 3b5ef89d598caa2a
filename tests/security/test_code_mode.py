"""Programs of code mode that try to get out of their sandbox, or to bring the server down.

The attempts are in `escapes.toml`.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.generated import importable, written

from .shop import document, operation, rendered
from .test_runtime import GIVEN, SECRET, Upstream, environment

ESCAPES = {
    f"{group}: {name}": escape
    for group, escapes in tomllib.loads(
        Path(__file__).with_name("escapes.toml").read_text("utf-8")
    ).items()
    for name, escape in escapes.items()
}
DEEP = "[" * 20_000 + "]" * 20_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The generated server with a list of books, started with `--code` and `--read-only`."""
    folder = tmp_path_factory.mktemp("code")
    upstream = Upstream()
    paths = {**GIVEN["paths"], "/books/{id}": {"delete": operation(operationId="deleteBook")}}
    given = document(paths, components=GIVEN["components"], security=GIVEN["security"])
    source = written(rendered(folder, given, code=True), folder) / "src"
    variables = {**environment(upstream), "SHOP_MCP_ALLOW_PRIVATE": "1"}
    with importable(source, "shop_mcp", **variables) as module:
        module("runtime.parts.code.sandbox").SLEEPING_SECONDS = 1.0
        yield module("runtime.app").App("shop_mcp", mode="--code", read_only=True)
    upstream.close()


def results(server: Any, *programs: str) -> list[Any]:
    """What becomes of programs, one after the other."""

    async def run() -> list[Any]:
        async with Client(server.server) as client:
            return [await client.call_tool("run_code", {"code": each}) for each in programs]

    return asyncio.run(asyncio.wait_for(run(), 30))


def test_at_least_fifty_escapes_are_tried() -> None:
    assert len(ESCAPES) >= 50


@pytest.mark.parametrize("name", ESCAPES)
def test_an_escape_is_refused_with_its_reason_and_the_server_serves_on(
    server: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    escape = ESCAPES[name]
    if name.startswith("endless: "):
        sandbox = importlib.import_module("shop_mcp.runtime.parts.code.sandbox")
        monkeypatch.setattr(sandbox, "COMPUTING_SECONDS", 1.0)
    program = escape["program"].replace("DEEP", DEEP)
    before = escape.get("before", "1")
    books = "[book['n'] for book in await list_books(q='tea')]"
    first, refused, after = results(server, before, program, books)
    assert not first.is_error
    assert refused.is_error
    text = refused.content[0].text
    reasons = [escape["says"]] if isinstance(escape["says"], str) else escape["says"]
    assert any(reason in text for reason in reasons), text
    assert SECRET not in text
    assert len(text) < 10_000
    assert "[and -" not in text  # characters more
    assert not after.is_error
    assert after.content[0].text == "[0]"


def test_programs_that_run_at_the_same_time_do_not_see_each_other(server: Any) -> None:
    program = "import asyncio\nmine = {n}\nawait asyncio.sleep(0.2)\nawait list_books(q='x')\nmine"

    async def run() -> list[Any]:
        async with Client(server.server) as client:
            programs = [{"code": program.replace("{n}", str(n))} for n in range(6)]
            calls = [client.call_tool("run_code", each) for each in programs]
            return list(await asyncio.gather(*calls))

    texts = [result.content[0].text for result in asyncio.run(asyncio.wait_for(run(), 30))]
    assert texts == ["0", "1", "2", "3", "4", "5"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_program_runs_in_the_process_of_another(server: Any) -> None:
    def children() -> set[str]:
        tasks = Path("/proc/self/task").glob("*/children")
        return {child for task in tasks for child in task.read_text().split()}

    async def run() -> list[set[str]]:
        async with Client(server.server) as client:
            left = []
            for _ in range(2):
                result = await client.call_tool("run_code", {"code": "1"})
                assert not result.is_error
                left.append(children() - before)
            return left

    before = children()
    first, second = asyncio.run(asyncio.wait_for(run(), 30))
    assert not first & second


def test_what_a_program_prints_and_returns_is_bounded(server: Any) -> None:
    [result] = results(server, "for _ in range(1_000):\n    print('x' * 1_000)\n'y' * 1_000_000")
    assert not result.is_error
    assert len(result.content[0].text) < 60_000
    assert "characters more]" in result.content[0].text
    assert "[truncated. Kept " in result.content[0].text


def test_a_program_cannot_hide_text_from_a_reader(server: Any) -> None:
    [result] = results(server, "'a' + chr(0x202e) + 'b' + chr(0xe0041)")
    assert result.content[0].text == "a\ufffdb\ufffd"
