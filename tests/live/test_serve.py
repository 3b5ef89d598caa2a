"""`mcpgen serve`: a server at once, from a document or a project, and one that follows changes."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ToolsListChanged
from mcp.types import ToolListChangedNotification

from mcpgen.config import Config
from mcpgen.live.inside.serve import is_being_written
from mcpgen.live.watch import sources
from mcpgen.pipeline import read
from mcpgen.problems import Problems

from .conftest import Ended, StandIn

DOCUMENT = """\
openapi: 3.1.0
info: {{title: Shop, version: "1"}}
servers: [{{url: "https://shop.example"}}]
paths:
  /slow:
    get: {{operationId: waitLong, responses: {{"200": {{description: Done}}}}}}
  /{name}:
    get: {{operationId: {name}, responses: {{"200": {{description: Books}}}}}}
"""
SOON = 60.0
"""Seconds within which a change must be in force on a busy machine."""


def write(path: Path, name: str = "books") -> Path:
    """A document with two operations, one of them of that name."""
    path.write_text(DOCUMENT.format(name=name))
    return path


def vouched(api: StandIn) -> tuple[str, str]:
    """The options that send the calls to the stand-in."""
    return "--base-url", api.url


@asynccontextmanager
async def served(
    *words: str | Path, mode: str = "auto", errors: Any = sys.__stderr__, **options: Any
) -> AsyncIterator[Client]:
    """A client of `mcpgen serve`, which writes its errors into a file."""
    environment = {**os.environ, "MCPGEN_PYTHON": sys.executable}
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "mcpgen", "serve", *map(str, words)], env=environment
    )
    async with Client(stdio_client(parameters, errlog=errors), mode=mode, **options) as client:
        yield client


async def names(client: Client) -> list[str]:
    listed = await client.list_tools(cache_mode="refresh")
    return [tool.name for tool in listed.tools]


def test_a_document_is_served_at_once(here: Path, api: StandIn) -> None:
    document = write(here / "shop.yaml")

    async def run() -> None:
        async with served(document, *vouched(api)) as client:
            assert await names(client) == ["books", "wait_long"]
            called = await client.call_tool("books", {})
            assert not called.is_error

    asyncio.run(run())
    assert sorted(path.name for path in here.iterdir()) == ["shop.yaml"]


def test_a_project_is_served_as_it_is(
    here: Path, api: StandIn, mcpgen: Callable[..., Ended]
) -> None:
    assert mcpgen("generate", write(here / "shop.yaml"), "-o", "shop", *vouched(api)).code == 0
    file = here / "shop" / "mcpgen.toml"
    file.write_text(f"lazy = true\n{file.read_text()}")
    assert mcpgen("generate", "-o", "shop").code == 0

    async def run() -> None:
        async with served(here / "shop", "--read-only", "--lazy") as client:
            assert "search_tools" in await names(client)

    asyncio.run(run())


def test_a_document_with_errors_is_not_served(here: Path, mcpgen: Callable[..., Ended]) -> None:
    (here / "broken.yaml").write_text("openapi: 3.1.0\npaths: [\n")
    ended = mcpgen("serve", here / "broken.yaml")
    assert ended.code == 1
    assert ended.out == ""


async def changes_of(client: Client, mode: str, heard: asyncio.Event) -> None:
    """Note when the server says that its list has changed, as each era says it."""
    if mode == "legacy":
        return
    async with client.listen(tools_list_changed=True) as subscription:
        async for event in subscription:
            if isinstance(event, ToolsListChanged):
                heard.set()


def test_an_idle_client_of_the_handshake_era_hears_of_another_list(
    here: Path, api: StandIn
) -> None:
    document = write(here / "shop.yaml")

    async def run() -> None:
        heard = asyncio.Event()

        async def note(message: Any) -> None:
            if isinstance(message, ToolListChangedNotification):
                heard.set()

        async with served(
            document, *vouched(api), "--watch", mode="legacy", message_handler=note
        ) as client:
            assert client.server_capabilities.tools.list_changed
            assert "books" in await names(client)
            write(document, "novels")
            await asyncio.wait_for(heard.wait(), SOON)
            assert await names(client) == ["novels", "wait_long"]

    asyncio.run(run())


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_new_document_is_served_without_losing_a_call(
    here: Path, api: StandIn, mode: str
) -> None:
    document = write(here / "shop.yaml")

    async def run() -> Any:
        heard = asyncio.Event()

        async def note(message: Any) -> None:
            if isinstance(message, ToolListChangedNotification):
                heard.set()

        async with served(
            document, *vouched(api), "--watch", mode=mode, message_handler=note
        ) as client:
            assert "books" in await names(client)
            listener = asyncio.create_task(changes_of(client, mode, heard))
            running = asyncio.create_task(client.call_tool("wait_long", {}))
            await asyncio.to_thread(api.arrived.wait, SOON)
            document.write_text("openapi: 3.1.0\npaths: [\n")  # half of it is saved
            await asyncio.sleep(1.5)
            assert await names(client) == ["books", "wait_long"]
            write(document, "novels")
            await asyncio.wait_for(heard.wait(), SOON)
            assert await names(client) == ["novels", "wait_long"]
            assert not running.done()
            api.delay.set()
            answer = await running
            again = await client.call_tool("novels", {})
            listener.cancel()
            return answer, again

    answer, again = asyncio.run(run())
    assert not answer.is_error
    assert not again.is_error


def test_a_new_hook_is_in_force_unless_broken(
    here: Path, api: StandIn, mcpgen: Callable[..., Ended]
) -> None:
    assert mcpgen("generate", write(here / "shop.yaml"), "-o", "shop", *vouched(api)).code == 0
    hooks = here / "shop" / "src" / "shop_mcp" / "hooks.py"

    async def refused(client: Client) -> bool:
        result = await client.call_tool("books", {})
        return bool(result.is_error) and "closed" in str(result.content)

    async def run() -> None:
        async with served(here / "shop", "--watch") as client:
            assert not await refused(client)
            hooks.write_text(
                "from . import ToolError\n\n\ndef before(call):\n    raise ToolError('closed')\n"
            )
            async with asyncio.timeout(SOON):
                while not await refused(client):
                    await asyncio.sleep(0.2)
            hooks.write_text("def before(call:\n")
            await asyncio.sleep(2)
            assert await refused(client)

    asyncio.run(run())


def test_a_file_is_not_loaded_between_its_emptying_and_its_text(
    here: Path, api: StandIn, mcpgen: Callable[..., Ended]
) -> None:
    assert mcpgen("generate", write(here / "shop.yaml"), "-o", "shop", *vouched(api)).code == 0
    hooks = here / "shop" / "src" / "shop_mcp" / "hooks.py"

    async def run() -> None:
        async with served(here / "shop", "--watch", errors=errors) as client:
            assert "books" in await names(client)
            for _ in range(20):
                hooks.write_text("")
                await asyncio.sleep(0.1)
                hooks.write_text(f"# {hooks.stat().st_mtime_ns}\n")
                await asyncio.sleep(0.1)
            assert await names(client) == ["books", "wait_long"]

    with (here / "errors").open("w+") as errors:
        asyncio.run(run())
        errors.seek(0)
        assert errors.read().count("loaded again") < 5


def test_the_connections_of_former_code_are_closed_in_the_end(
    here: Path, api: StandIn, mcpgen: Callable[..., Ended]
) -> None:
    assert mcpgen("generate", write(here / "shop.yaml"), "-o", "shop", *vouched(api)).code == 0
    hooks = here / "shop" / "src" / "shop_mcp" / "hooks.py"

    async def run() -> None:
        async with served(here / "shop", "--watch", errors=errors) as client:
            for line in (*"12345", "import gc; gc.collect()"):
                hooks.write_text(f"def before(call):\n    {line}\n")
                await asyncio.sleep(1.2)
                assert not (await client.call_tool("books", {})).is_error

    with (here / "errors").open("w+") as errors:
        asyncio.run(run())
        errors.seek(0)
        assert "Unclosed" not in errors.read()


def promised(port: int) -> Any:
    """The capability `tools` of a server over HTTP, in the handshake era: no channel leads to its
    idle clients.
    """
    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    params["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    fields = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    url = f"http://127.0.0.1:{port}/mcp"
    request = urllib.request.Request(url, json.dumps(message).encode(), fields)
    with urllib.request.urlopen(request, timeout=SOON) as answer:
        text = answer.read().decode()
    return json.loads(text[text.index("{") :])["result"]["capabilities"]["tools"]


def test_a_server_does_not_outlive_the_command(here: Path, api: StandIn) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", write(here / "shop.yaml"), "--http", "--port", str(port), "--watch"]
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = iter(process.stderr.readline, "")
    assert any("Serving MCP" in line for line in said)
    assert promised(port) == {"listChanged": False}
    process.terminate()
    assert process.wait(SOON) == 143
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    process.stderr.close()


@pytest.mark.parametrize("kept", [False, True], ids=["document", "project"])
def test_a_document_at_a_url_is_asked_for_again(
    here: Path, api: StandIn, mcpgen: Callable[..., Ended], kept: bool
) -> None:
    url, target = f"{api.url}/openapi.json", f"{api.url}/openapi.json"
    api.document = DOCUMENT.format(name="books").encode()
    if kept:
        assert mcpgen("generate", url, "-o", "shop", *vouched(api)).code == 0
        target = "shop"

    async def run() -> None:
        async with served(target, "--watch", *([] if kept else vouched(api))) as client:
            assert "books" in await names(client)
            api.document = b"openapi: 3.1.0\npaths: [\n"
            asked = len(api.requests)
            while len(api.requests) < asked + 2:  # it is fetched, and refused
                await asyncio.sleep(0.2)
            assert "books" in await names(client)
            api.document = DOCUMENT.format(name="novels").encode()
            async with asyncio.timeout(SOON):
                while "novels" not in await names(client):
                    await asyncio.sleep(0.2)

    asyncio.run(run())


def test_an_app_is_served_and_imported_again(here: Path, api: StandIn) -> None:
    text = "class Shop:\n    def openapi(self):\n        return {}\n\n\napp = Shop()\n"

    def write_app(name: str) -> None:
        document = {
            "openapi": "3.1.0",
            "info": {"title": "Shop", "version": "1"},
            "paths": {f"/{name}": {"get": {"operationId": name, "responses": {"204": {}}}}},
        }
        (here / "shop_app.py").write_text(text.replace("return {}", f"return {document!r}"))

    write_app("books")

    async def run() -> None:
        async with served("shop_app:app", "--watch", *vouched(api)) as client:
            assert await names(client) == ["books"]
            write_app("novels")
            async with asyncio.timeout(SOON):
                while await names(client) != ["novels"]:
                    await asyncio.sleep(0.2)

    asyncio.run(run())


@pytest.mark.parametrize("package", ["src/shop_mcp", "app/mcp"])
def test_a_package_that_is_being_written_is_not_loaded(tmp_path: Path, package: str) -> None:
    folder = tmp_path / package
    folder.mkdir(parents=True)
    assert not is_being_written(folder)
    project = folder if package == "app/mcp" else tmp_path
    (project / "mcpgen.lock.new").write_text("")
    assert is_being_written(folder)


def test_every_file_of_a_document_is_watched_wherever_it_lies(here: Path) -> None:
    paths = {"/a": {"$ref": "a.json"}, "/b": {"$ref": "../work/b.json"}}
    root = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    files = [here / "api" / "api.json", here / "api" / "a.json", here / "work" / "b.json"]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(root if path.name == "api.json" else {"get": {}}))
    config = Config(
        sources=(str(files[0]),), ref_root=str(here), folder=here / "work", known_apis={}
    )
    watched = sources(config, read(config, Problems()), here / "work")
    assert {path.resolve() for path in watched} >= {path.resolve() for path in files}
