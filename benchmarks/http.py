"""Calls over Streamable HTTP: a client of raw sockets that measures a server and nothing of itself."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .stdio import processor

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
CLIENT = {"name": "benchmark", "version": "1"}


@dataclass(frozen=True, slots=True)
class Rate:
    """What a load cost: calls per second and the server's CPU seconds per call."""

    calls: float
    cpu: float


def request(era: str, port: int, name: str, arguments: Any) -> bytes:
    """The bytes of one `tools/call` in an era of the protocol."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    fields = [f"mcp-protocol-version: {era}"]
    if era == MODERN:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientInfo": CLIENT,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        fields += ["mcp-method: tools/call", f"mcp-name: {name}"]
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    head = [
        "POST /mcp HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        f"content-length: {len(body)}",
        *fields,
    ]
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


async def answer(reader: asyncio.StreamReader) -> bytes:
    """The body of the next response: with a length, or in chunks (RFC 9112, section 7.1)."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    for line in head.split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return await reader.readexactly(int(line.split(b":")[1]))
    body = b""
    while True:
        size = int(await reader.readline(), 16)
        chunk = await reader.readexactly(size + 2)
        if not size:
            return body
        body += chunk[:-2]


async def load(port: int, message: bytes, process: int, *, calls: int, together: int) -> Rate:
    """So many calls, so many of them under way at any time, a connection for each caller."""
    remaining = iter(range(calls))

    async def caller() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in remaining:
            writer.write(message)
            body = await answer(reader)
            if b'"isError":true' in body.replace(b" ", b"") or b'"error":' in body:
                raise RuntimeError(f"the call fails: {body[:300]!r}")
        writer.close()

    before, began = processor(process), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(together)))
    elapsed = time.perf_counter() - began
    return Rate(calls / elapsed, (processor(process) - before) / calls)


async def start(
    command: list[str], port: int, environment: Mapping[str, str], folder: Path | None = None
) -> asyncio.subprocess.Process:
    """Start a server, and wait until it listens."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **environment},
        cwd=folder,
    )
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return process
    raise TimeoutError("the server did not start")


@dataclass(slots=True)
class Served:
    """What was measured over HTTP: the rates of each server by era, a value for each round, and
    calls per second of ours with one process, with two, and with a slow API.
    """

    rates: dict[str, dict[str, list[Rate]]]
    one: float = 0.0
    two: float = 0.0
    slow: float = 0.0

    def figures(self) -> dict[str, Any]:
        """The medians as plain data."""
        eras = {
            era: {
                name: {
                    "calls": statistics.median(each.calls for each in values),
                    "cpu": statistics.median(each.cpu for each in values),
                }
                for name, values in servers.items()
            }
            for era, servers in self.rates.items()
        }
        return {"eras": eras, "workers": self.two / self.one, "slow": self.slow}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A server to measure: its command, which gets the port as its last word, what its environment
    needs besides, and the name of the tool to call.
    """

    command: list[str]
    environment: Mapping[str, str]
    tool: str


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


async def measure(
    candidates: Mapping[str, Candidate], slow: Candidate, arguments: Any, rounds: int
) -> Served:
    """Measure the servers in turn, round by round. `candidates` holds ours as `mcpgen`, and `slow`
    is ours in front of an API that takes its time.
    """
    served = Served({era: {name: [] for name in candidates} for era in (HANDSHAKE, MODERN)})
    for name, candidate in candidates.items():
        for era, rates in served.rates.items():
            rates[name] = await one_era(candidate, era, arguments, rounds)
    ours = candidates["mcpgen"]
    two = Candidate([*ours.command[:-1], "--workers", "2", "--port"], ours.environment, ours.tool)
    served.one = _calls(served.rates[HANDSHAKE]["mcpgen"])
    served.two = _calls(await one_era(two, HANDSHAKE, arguments, rounds))
    served.slow = _calls(await one_era(slow, HANDSHAKE, arguments, rounds))
    return served


def _calls(rates: list[Rate]) -> float:
    """Calls per second, the median."""
    return statistics.median(rate.calls for rate in rates)


async def one_era(candidate: Candidate, era: str, arguments: Any, rounds: int) -> list[Rate]:
    """The rates of a server in one era, a value for each round."""
    port = free_port()
    server = await start([*candidate.command, str(port)], port, candidate.environment)
    try:
        message = request(era, port, candidate.tool, arguments)
        await load(port, message, server.pid, calls=200, together=32)
        return [
            await load(port, message, server.pid, calls=600, together=32) for _ in range(rounds)
        ]
    finally:
        server.terminate()
        await server.wait()
