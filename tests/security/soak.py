"""A soak: `python -m tests.security.soak [SECONDS]` (an hour) keeps a generated server at its limit
and watches it.

An API that answers well, badly, slowly, hugely, brokenly or not at all; a server on stdio, one over
HTTP and one with `--code`, each with callers at full concurrency beside callers, connections and
programs that attack it. Every call has to be answered, and the good ones well; memory has to level
off, and at the end no connection to the API and no file may be left open.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import socket
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import IO, Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.generated import written

from .shop import document, operation, query, rendered

CALLERS = 24
PROGRAMMERS = 6
"""Callers who send programs, fewer than may run at a time."""
HELD = 400
"""Connections that the attack holds open at a time."""
BUSY = 0.01
"""Share of good calls that may fail, for the machine has other work and a call a second of time."""
GROWTH = 24 * 1024 * 1024
"""Bytes a server may grow by after it is warm."""
SECRET = "canary-key-0123456789abcdef"
GIVEN = document(
    {"/x": {"get": operation(operationId="getX", parameters=[query("kind")])},
     "/y": {"post": operation(operationId="sendY", parameters=[query("kind")],
         requestBody={"content": {"application/json": {"schema": {
             "type": "object", "properties": {"a": {}}}}}})}},
    components={"securitySchemes": {"key": {
        "type": "apiKey", "in": "header", "name": "X-API-Key"}}},
    security=[{"key": []}],
)  # fmt: skip


def answer(status: int, body: bytes, *fields: str) -> bytes:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *fields, "", ""]
    return "\r\n".join(lines).encode() + body


JSON = "Content-Type: application/json"
ANSWERS: dict[str, bytes] = {
    "good": answer(200, b'{"a": [1, 2, 3]}', JSON), "empty": answer(204, b""),
    "huge": answer(
        200, json.dumps([{"n": n, "text": "x" * 200} for n in range(10_000)]).encode(), JSON),
    "too large": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + (
        b"10000\r\n" + b"x" * 65536 + b"\r\n") * 170),
    "bomb": answer(200, gzip.compress(b"\0" * 30_000_000), JSON, "Content-Encoding: gzip"),
    "deep": answer(200, b"[" * 50_000 + b"]" * 50_000, JSON),
    "error": answer(500, f'{{"message": "broken", "key": "{SECRET}"}}'.encode(), JSON),
    "refused": answer(401, b"{}", JSON), "busy": answer(429, b"{}", JSON, "Retry-After: 0"),
    "redirect": answer(302, b"", "Location: http://127.0.0.1:1/evil"),
    "html": answer(200, b"<html>" + b"<p>x</p>" * 5_000, "Content-Type: text/html"),
    "costly html": answer(200, b"<script" * 100_000 + b"<" * 100_000, "Content-Type: text/html"),
    "costly charset": answer(
        200, b"+" * 200_000 + b"xn--" * 50_000, "Content-Type: text/plain; charset=utf-7"),
    "binary": answer(200, bytes(range(256)) * 2_000, "Content-Type: application/octet-stream"),
    "half": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "nonsense": b"\x16\x03\x01 nonsense\r\n\r\n",
    "headers": b"HTTP/1.1 200 OK\r\n" + b"X-A: 1\r\n" * 2_000 + b"Content-Length: 0\r\n\r\n",
    "two": answer(200, b"{}", JSON) + b"HTTP/1.1 200 OK\r\n\r\nsmuggled",
}  # fmt: skip
KINDS = (*ANSWERS, "slow", "silent", "gone")
ESCAPES = [
    escape["program"].replace("list_books", "get_x")
    for group in tomllib.loads(Path(__file__).with_name("escapes.toml").read_text("utf-8")).values()
    for escape in group.values()
]


class Upstream:
    """The API. It knows how many connections are open."""

    def __init__(self) -> None:
        self.open = self.served = 0

    async def start(self) -> str:
        """Listen; the URL."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = [
                    line.split(":")[1]
                    for line in head.lower().split("\r\n")
                    if line.startswith("content-length:")
                ]
                if length:
                    await reader.readexactly(int(length[0]))
                self.served += 1
                kind = head.partition("kind=")[2].split(" ")[0].split("&")[0].replace("%20", " ")
                if not await self._answer(kind or "good", writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def _answer(self, kind: str, writer: asyncio.StreamWriter) -> bool:
        """Answer as asked; whether the connection goes on."""
        if kind == "gone":
            return False
        if kind == "silent":
            await asyncio.sleep(5)
            return False
        if kind == "slow":
            whole = ANSWERS["good"]
            for place in range(0, len(whole), 12):
                writer.write(whole[place : place + 12])
                await writer.drain()
                await asyncio.sleep(0.05)
            return True
        writer.write(ANSWERS[kind])
        await writer.drain()
        return kind not in ("half", "nonsense", "too large")


def children() -> dict[int, str]:
    """The processes this one started, by id."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
            if int(words[1]) == os.getpid():
                found[int(path.parent.name)] = (path.parent / "cmdline").read_text()
        except OSError:
            continue
    return found


def resident(process: int) -> int:
    """Bytes of memory a process holds."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def sockets(process: int) -> int:
    """How many sockets a process holds."""
    count = 0
    for path in Path(f"/proc/{process}/fd").iterdir():
        try:
            count += "socket:" in str(path.readlink())
        except FileNotFoundError:  # closed since it was listed
            continue
    return count


Call = tuple[str, dict[str, Any], bool]
"""The name of a tool, its arguments, and whether it has to work."""
Draw = Callable[[random.Random], Call]


def any_call(draw: random.Random) -> Call:
    """One of the API's tools, with an answer of any kind."""
    kind = draw.choice(KINDS)
    if draw.random() < 0.05:
        return "get_x", {"nobody": 1}, False
    if draw.random() < 0.2:
        return "send_y", {"kind": kind, "a": "x" * draw.randrange(1000)}, kind == "good"
    return "get_x", {"kind": kind}, kind == "good"


def any_program(draw: random.Random) -> Call:
    """A good program, or an attack on the sandbox."""
    if draw.random() < 0.5:
        return "run_code", {"code": "(await get_x(kind='good'))['a']"}, True
    return "run_code", {"code": draw.choice(ESCAPES)}, False


async def calling(client: Client, until: float, seen: Counter[str], draw: partial[Call]) -> None:
    """One caller: the next call when the last is answered."""
    while time.monotonic() < until:
        name, arguments, is_good = draw()
        result = await asyncio.wait_for(client.call_tool(name, arguments), 60)
        assert SECRET not in str(result.content) and result.content, arguments
        seen["failed" if result.is_error else "worked"] += 1
        seen["good"] += is_good
        seen["good, and failed"] += is_good and result.is_error
        seen["calls"] += 1


async def watched(
    transport: Any, process: Callable[[], int], upstream: Upstream, seconds: float, label: str,
    draw: Draw = any_call, callers: int = CALLERS, *, most_sockets: int = CALLERS + 12,
) -> list[str]:  # fmt: skip
    """Callers at full concurrency over one client; what is wrong at the end."""
    seen: Counter[str] = Counter()
    memory: list[int] = []

    async def look() -> None:
        while True:
            memory.append(resident(process()))
            await asyncio.sleep(max(0.5, seconds / 100))

    async with Client(transport) as client:
        if draw is any_program:  # the allocator keeps what errors of 10 MB needed once
            huge = {"code": "raise ValueError('x' * 10_000_000)"}
            for _ in range(30):
                await asyncio.gather(*(client.call_tool("run_code", huge) for _ in range(callers)))
        start = time.monotonic()
        looking = asyncio.create_task(look())
        draws = [partial(draw, random.Random(number)) for number in range(callers)]
        await asyncio.gather(*(calling(client, start + seconds, seen, each) for each in draws))
        looking.cancel()
        await asyncio.sleep(0.5)
        name, arguments, _ = next(call for call in iter(draws[0], None) if call[2])
        result = await client.call_tool(name, arguments)
        held = sockets(process())
    third = max(1, len(memory) // 3)
    early, late = map(median, (memory[third : 2 * third] or memory, memory[2 * third :]))
    print(
        f"{label}: {seen['calls']} calls in {seconds:.0f} s, {seen['worked']} worked,"
        f" {seen['failed']} told why not; of {seen['good']} good ones {seen['good, and failed']}"
        f" failed; memory {early / 2**20:.0f} then {late / 2**20:.0f} MiB;"
        f" {held} sockets, {upstream.open} connections"
    )
    wrong = [f"{label}: memory grew from {early} to {late}"] if late - early > GROWTH else []
    wrong += [f"{label}: the last call failed"] if result.is_error else []
    if seen["good, and failed"] > BUSY * seen["good"]:
        wrong.append(f"{label}: {seen['good, and failed']} good calls failed")
    wrong += [f"{label}: {held} sockets are open"] if held > most_sockets else []
    return wrong + (
        [f"{label}: nothing was called"] if seen["worked"] < 3 or seen["failed"] < 3 else []
    )


POST = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
ATTACKS = (
    b"", POST[:-2], POST + b"Content-Length: 99\r\n\r\n{", b"\x16\x03\x01 nonsense\r\n\r\n",
    POST + b"Content-Type: application/json\r\nContent-Length: 7\r\n\r\ngarbage",
    *(POST + rest for rest in (
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1",
        b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nfffffffff\r\nx",
        b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Host: evil.example\r\nContent-Length: 2\r\n\r\n{}",
        b"X-A: 1\r\n" * 5_000 + b"Content-Length: 2\r\n\r\n{}",
        b"Authorization: Bearer " + b"a." * 30_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n{}" + b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 300,
    )),
)  # fmt: skip
"""Half requests, requests of two readings, and requests that are too much."""


async def attacking(port: int) -> None:
    """Open connection after connection with half a request on each, and leave them open."""
    draw = random.Random(0)
    held: list[asyncio.StreamWriter] = []
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(draw.choice(ATTACKS))
            held.append(writer)
        except OSError:
            pass
        if len(held) > HELD:
            held.pop(0).close()
        await asyncio.sleep(0.01)


BAD_LINES = (
    b"garbage", b"[]", b"{", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {"a": "\\ud83d"}}', b"[" * 100_000,
    b'{"id": "' + b"x" * 1_000_000,
)  # fmt: skip


async def confusing(process: asyncio.subprocess.Process, seconds: float) -> list[str]:
    """Send a server on stdio line after line that is not a message; what is wrong."""
    assert process.stdin is not None and process.stdout is not None
    draw = random.Random(0)
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        line = draw.choice(BAD_LINES)
        process.stdin.write(line + b"\n")
        await process.stdin.drain()
        reply = json.loads(await asyncio.wait_for(process.stdout.readline(), 60))
        if reply.get("error", {}).get("code") not in (-32700, -32600):
            return [f"stdio: {line[:50]!r} was answered with {reply}"]
        count += 1
        await asyncio.sleep(0.02)
    process.stdin.close()
    await process.wait()
    print(f"stdio: {count} bad lines answered")
    return []


async def serving(
    upstream: Upstream, seconds: float, environment: dict[str, str], errors: IO[str], label: str,
    draw: Draw, callers: int, *mode: str,
) -> list[str]:  # fmt: skip
    """A server over HTTP that is attacked; what is wrong."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["-m", "shop_mcp", "--http", "--port", str(port), "--log-level", "error", *mode]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, env=environment, stderr=errors, stdin=asyncio.subprocess.DEVNULL
    )
    try:
        await listening(port)
        attack = asyncio.create_task(attacking(port))
        url, most = f"http://127.0.0.1:{port}/mcp", CALLERS + 12 + HELD
        wrong = await watched(
            url, lambda: process.pid, upstream, seconds, label, draw, callers, most_sockets=most
        )
        attack.cancel()
    finally:
        process.terminate()
        await process.wait()
    return wrong


async def soak(seconds: float) -> list[str]:
    """Both transports and code mode, one after the other; what is wrong."""
    folder = Path(tempfile.mkdtemp())
    written(rendered(folder, GIVEN, code=True), folder)
    upstream = Upstream()
    given = {
        "BASE_URL": await upstream.start(), "KEY": SECRET, "TIMEOUT": "1", "TOTAL_TIMEOUT": "3",
        "RETRIES": "1", "MAX_CONCURRENCY": "16", "CALL_RATE": "0",
        "BREAKER_FAILURES": "0",  # the calls shall reach this API, however badly it answers
    }  # fmt: skip
    environment = {**os.environ, **{f"SHOP_MCP_{name}": value for name, value in given.items()}}
    environment["PYTHONPATH"] = str(folder / "src")
    with (folder / "stderr").open("w") as errors:
        command, words = sys.executable, ["-m", "shop_mcp"]
        parameters = StdioServerParameters(command=command, args=words, env=environment)
        pipes = dict.fromkeys(("stdin", "stdout"), asyncio.subprocess.PIPE)
        confused = await asyncio.create_subprocess_exec(
            command, *words, env=environment, **pipes, stderr=errors
        )
        before = set(children())

        class Started:
            """The transport, which finds out the id of its process."""

            async def __aenter__(self) -> Any:
                self.inner = stdio_client(parameters, errlog=errors)
                streams = await self.inner.__aenter__()
                self.process = next(iter(set(children()) - before))
                return streams

            async def __aexit__(self, *details: Any) -> Any:
                return await self.inner.__aexit__(*details)

        started = Started()
        confusion = asyncio.create_task(confusing(confused, seconds / 3))
        wrong = await watched(started, lambda: started.process, upstream, seconds / 3, "stdio")
        wrong += await confusion
        over_http = partial(serving, upstream, seconds / 3, environment, errors)
        wrong += await over_http("HTTP", any_call, CALLERS)
        wrong += await over_http("code", any_program, PROGRAMMERS, "--code")
    for _ in range(80):  # what is silent notices late that nobody listens
        await asyncio.sleep(0.1 if upstream.open else 0)
    said = (folder / "stderr").read_text()
    wrong += ["a secret was logged"] if SECRET in said else []
    wrong += [f"{upstream.open} connections to the API are left"] if upstream.open else []
    return wrong + (
        ["an exception was never retrieved"]
        if "never retrieved" in said or "was destroyed" in said
        else []
    )


async def listening(port: int) -> None:
    """Wait until somebody listens: a minute on a busy machine."""
    for _ in range(1200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise TimeoutError("the server did not start")


def main() -> int:
    """Soak for the seconds given, or for an hour."""
    seconds = float(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SOAK_SECONDS", "3600"))
    wrong = asyncio.run(soak(seconds))
    print("\n".join(wrong) or "all is well")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
