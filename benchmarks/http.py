"""Calls over Streamable HTTP: a client of raw sockets that measures a server and nothing of itself."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
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
LOAD_SECONDS = 15
STEADY_CALLS = 3_200
"""A hundred for each of 32 callers."""
SLOW_SECONDS = 0.1
"""What the slow API takes for a call."""
CALLS_EACH = 60
METHODS = frozenset(("get", "put", "post", "patch", "delete"))
PATHS = ("/gists", "/gitignore")
"""What the paths of the smaller document begin with."""


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


async def load(
    port: int,
    message: bytes,
    process: int,
    *,
    calls: int = 640,
    together: int = 32,
    over: float = 0.0,
) -> Rate:
    """So many calls, so many of them under way at any time, a connection for each caller; the
    callers begin over so many seconds. No call is begun after LOAD_SECONDS. Raises TimeoutError
    when one has no answer long after.
    """
    remaining = iter(range(calls))
    before, began = processor(process), time.perf_counter()
    finished = 0

    async def caller(number: int) -> None:
        nonlocal finished
        await asyncio.sleep(over * number / together)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in remaining:
            if time.perf_counter() - began > LOAD_SECONDS:
                break
            writer.write(message)
            body = await answer(reader)
            if b'"isError":true' in body.replace(b" ", b"") or b'"error":' in body:
                raise RuntimeError(f"the call fails: {body[:300]!r}")
            finished += 1
        writer.close()

    async with asyncio.timeout(10 * LOAD_SECONDS):
        await asyncio.gather(*(caller(number) for number in range(together)))
    elapsed = time.perf_counter() - began
    return Rate(finished / elapsed, (processor(process) - before) / finished)


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
    """What was measured over HTTP: the rates of each server by era, a value for each round; the
    rate of each with the whole document, one call at a time in the modern era; what `busiest` says
    of ours; and calls per second to a slow API through ours, and without a server.
    """

    rates: dict[str, dict[str, list[Rate]]]
    whole: dict[str, Rate]
    alone: float = 0.0
    apart: float = 0.0
    two: float = 0.0
    slow: float = 0.0
    straight: float = 0.0

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
        return {
            "eras": eras,
            "whole": {name: rate.cpu for name, rate in self.whole.items()},
            "alone": self.alone,
            "apart": self.apart,
            "two": self.two,
            "slow": self.slow,
            "straight": self.straight,
        }


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


def smaller(document: dict[str, Any]) -> dict[str, Any]:
    """The operations of a few paths, with the components they refer to."""
    paths = {path: item for path, item in document["paths"].items() if path.startswith(PATHS)}
    components: dict[str, dict[str, Any]] = {}
    unread = _references(paths)
    while unread:
        kind, name = unread.pop()
        if name in components.setdefault(kind, {}):
            continue
        components[kind][name] = document["components"][kind][name]
        unread |= _references(components[kind][name])
    return {**document, "paths": paths, "x-webhooks": {}, "components": components}


def operations(document: dict[str, Any]) -> int:
    """How many operations a document has."""
    return sum(len(METHODS & item.keys()) for item in document["paths"].values())


def _references(value: Any) -> set[tuple[str, str]]:
    """The components that a value refers to, as kind and name."""
    return set(re.findall(r'"#/components/(\w+)/([^"]+)"', json.dumps(value)))


async def measure(
    candidates: Mapping[str, Candidate],
    whole: Mapping[str, Candidate],
    slow: Candidate,
    slow_port: int,
    arguments: Any,
    rounds: int,
) -> Served:
    """Measure the servers. `candidates` serve the smaller document, ours as `mcpgen`; `whole` the
    large one; `slow` is ours in front of an API, at `slow_port`, that takes its time.
    """
    served = Served({HANDSHAKE: {}, MODERN: {}}, {})
    for era in served.rates:
        served.rates[era] = await in_turn(candidates, era, arguments, rounds)
    for name, candidate in whole.items():
        # One at a time, as a large list is called
        rates_of_one = await one_era(candidate, MODERN, arguments, 1, together=1)
        served.whole[name] = rates_of_one[0]
    ours = candidates["mcpgen"]
    # A round is short, and how connections are spread is chance
    served.alone, served.apart, served.two = await busiest(ours, arguments, max(rounds, 10))
    served.slow = await steady_calls(slow, arguments, rounds)
    served.straight = await _steady(slow_port, b"GET / HTTP/1.1\r\n\r\n", rounds)
    return served


async def steady_calls(candidate: Candidate, arguments: Any, rounds: int) -> float:
    """Calls per second that a server in front of the slow API answers."""
    port = free_port()
    server = await start([*candidate.command, str(port)], port, candidate.environment)
    try:
        return await _steady(port, request(HANDSHAKE, port, candidate.tool, arguments), rounds)
    finally:
        await stop(server)


async def _steady(port: int, message: bytes, rounds: int) -> float:
    """Calls per second of callers who are independent: they do not begin together, and call for so
    long that the beginning does not count.
    """
    await load(port, message, os.getpid())
    rates = [
        await load(port, message, os.getpid(), calls=STEADY_CALLS, over=SLOW_SECONDS)
        for _ in range(rounds)
    ]
    return _calls(rates)


def _calls(rates: list[Rate]) -> float:
    """Calls per second, the median."""
    return statistics.median(rate.calls for rate in rates)


async def one_era(
    candidate: Candidate, era: str, arguments: Any, rounds: int, *, together: int = 32
) -> list[Rate]:
    """The rates of a server in one era, a value for each round."""
    rates = await in_turn({"it": candidate}, era, arguments, rounds, together=together)
    return rates["it"]


async def in_turn(
    candidates: Mapping[str, Candidate],
    era: str,
    arguments: Any,
    rounds: int,
    *,
    together: int = 32,
) -> dict[str, list[Rate]]:
    """The rates of servers in one era, one after the other in every round."""
    rates: dict[str, list[Rate]] = {name: [] for name in candidates}
    servers: dict[str, tuple[asyncio.subprocess.Process, int, bytes]] = {}
    try:
        for name, candidate in candidates.items():
            port = free_port()
            server = await start([*candidate.command, str(port)], port, candidate.environment)
            servers[name] = server, port, request(era, port, candidate.tool, arguments)
        for turn in range(rounds + 1):
            for name, (server, port, message) in servers.items():
                calls = 20 * together if turn else 4 * together
                rate = await load(port, message, server.pid, calls=calls, together=together)
                rates[name] += [rate] if turn else []
    finally:
        for server, _, _ in servers.values():
            await stop(server)
    return rates


async def busiest(candidate: Candidate, arguments: Any, rounds: int) -> list[float]:
    """CPU seconds of a call in a server alone, and in the busier of two that share nothing and have
    half of the callers each; and, of a server with two processes, CPU seconds of the busier one for
    each call of both. The means of rounds in turn.
    """
    setups: list[list[Running]] = []
    costs: list[list[float]] = []
    try:
        for servers, workers in ((1, 1), (2, 1), (1, 2)):
            setups.append([])
            costs.append([])
            for _ in range(servers):
                setups[-1].append(await _running(candidate, workers))
        for turn in range(rounds + 1):
            for found, setup in zip(costs, setups, strict=True):
                cost = await _equal_load(setup, candidate.tool, arguments)
                found += [len(setup) * cost] if turn else []
    finally:
        for server, _, _ in itertools.chain(*setups):
            await stop(server)
    return [statistics.fmean(found) for found in costs]


Running = tuple[asyncio.subprocess.Process, list[int], int]
"""A server, its processes that serve, and its port."""


async def _running(candidate: Candidate, workers: int) -> Running:
    """A server with so many processes."""
    port = free_port()
    *command, option = candidate.command
    command += ["--workers", str(workers), option, str(port)]
    server = await start(command, port, candidate.environment)
    while len(processes := _workers(server.pid)) < workers:
        await asyncio.sleep(0.1)
    return server, processes, port


async def _equal_load(setup: list[Running], tool: str, arguments: Any) -> float:
    """CPU seconds of the busiest process for each call of 32 callers, who make CALLS_EACH each,
    every one on a connection that it keeps.
    """
    processes = [process for _, found, _ in setup for process in found]
    ports = [port for _, _, port in setup] * (32 // len(setup))
    before = [processor(process) for process in processes]
    messages = [request(HANDSHAKE, port, tool, arguments) for port in ports]
    await asyncio.gather(*map(_caller, ports, messages))
    after = [processor(process) for process in processes]
    most = max(late - early for late, early in zip(after, before, strict=True))
    return most / (CALLS_EACH * 32)


def _workers(process: int) -> list[int]:
    """The processes of a server that serve: those it started, or itself."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children] or [process]


async def _caller(port: int, message: bytes) -> None:
    """Some calls, one after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(CALLS_EACH):
        writer.write(message)
        await answer(reader)
    writer.close()


async def stop(server: asyncio.subprocess.Process) -> None:
    """End a server, which may wait for requests that nobody waits for any more."""
    server.terminate()
    try:
        await asyncio.wait_for(server.wait(), 15)
    except TimeoutError:
        server.kill()
        await server.wait()
