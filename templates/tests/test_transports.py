"""The server over HTTP, started as its command starts it: written by mcpgen."""

from __future__ import annotations

import asyncio
import http.client
import os
import subprocess
from importlib import import_module
from typing import Any
from unittest.mock import patch

from mcp import Client


async def names(server: Any) -> list[str]:
    """The names of the tools that a server lists."""
    async with Client(server) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


def test_over_http_the_same_tools_are_listed_and_no_other_host_is_served(
    package: str, command: Any
) -> None:
    words = [command.command, *command.args, "--http", "--port", "0", "--log-level", "info"]
    with subprocess.Popen(words, env=command.env, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said = next((line for line in server.stderr if "Serving MCP at" in line), "")
            assert said, "the server ended; its command says why"
            url = said.partition("Serving MCP at ")[2].split()[0]
            with patch.dict(os.environ, command.env, clear=True):
                every = asyncio.run(names(import_module(package).App(package).server))
            page = asyncio.run(names(url))
            assert page == every[: len(page)]
            assert bool(page) == bool(every)
            connection = http.client.HTTPConnection(url.split("/")[2], timeout=10)
            connection.request("POST", "/mcp", b"{}", {"Host": "elsewhere.example"})
            assert connection.getresponse().status == 421
            connection.close()
        finally:
            server.kill()
