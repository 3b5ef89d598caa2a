"""An app with its tools in it, under load: `python -m benchmarks.mounted_load [SECONDS]` (120).

Prints what becomes of the calls while uvicorn ends its four workers at SIGTERM, and while one of
them is killed before that (SIGKILL); and what one process holds (tasks, open files, memory) before
and after calls of which many are left by their callers, of a slow function, an endless stream and
an upload.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

APP = Path(__file__).parents[1] / "tests" / "apps" / "fastapi_shop.py"
SERVING = """\
import asyncio, gc, os, re
import fastapi_shop
from shop_mcp import mount

inner = mount(fastapi_shop.app)

@inner.get("/counts")
async def counts():
    gc.collect()
    memory = re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())
    files = len(os.listdir("/proc/self/fd"))
    return {"tasks": len(asyncio.all_tasks()), "files": files, "kilobytes": int(memory[1])}

async def app(scope, receive, send):
    number = dict(scope.get("headers", ())).get(b"x-number", b"")
    if number:
        with open("accepted", "ab", buffering=0) as file:
            file.write(number + b"\\n")
    await inner(scope, receive, send)
"""
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_books", {"limit": 5}),
    ("get_book", {"id": 3}),
    ("get_book", {"id": 49}),
    ("list_events", {"count": 2_000}),
    ("add_cover", {"cover": "data:image/png;base64,aGVsbG8="}),
]
"""The third takes 0.3 seconds in a thread."""
NUMBERS = itertools.count(1)


def project(folder: Path) -> None:
    """Write the app and the package of its tools."""
    shutil.copy(APP, folder)
    (folder / "serving.py").write_text(SERVING)
    run = [sys.executable, "-m", "mcpgen"]
    generate = ["generate", "fastapi_shop:app", "-o", "shop-mcp", "--quiet"]
    subprocess.run([*run, *generate], cwd=folder, check=True)
    subprocess.run([*run, "add", "asgi", "--quiet"], cwd=folder / "shop-mcp", check=True)


@contextmanager
def served(folder: Path, port: int, workers: int) -> Iterator[subprocess.Popen[bytes]]:
    """Serve the app with uvicorn until the context ends."""
    path = os.pathsep.join([str(folder), str(folder / "shop-mcp" / "src")])
    words = ["uvicorn", "serving:app", "--port", str(port), "--workers", str(workers)]
    with subprocess.Popen(
        [sys.executable, "-m", *words, "--log-level", "error"],
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def asked(port: int, request: str, body: bytes = b"", leave: float | None = None) -> bytes:
    """Send a request on a connection of its own; its answer, or nothing for a caller who leaves
    after some seconds. Raises OSError.
    """
    fields = (
        f"{request} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
        "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
        f"mcp-protocol-version: 2025-11-25\r\ncontent-length: {len(body)}\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        number = f"x-number: {json.loads(body)['id']}\r\n" if body else ""
        writer.write(f"{fields}{number}\r\n".encode() + body)
        if leave is not None:
            await asyncio.sleep(leave)
            return b""
        return await reader.read()
    finally:
        writer.close()


async def call(port: int, name: str, arguments: Any, leave: float | None = None) -> tuple[int, str]:
    """Call a tool; its number, and what became of it: `answered`, `left`, `refused` before it was
    sent, or `broken`.
    """
    number = next(NUMBERS)
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    try:
        answer = await asked(port, "POST /mcp", json.dumps(message).encode(), leave)
    except ConnectionRefusedError:
        return number, "refused"
    except OSError:
        return number, "broken"
    if leave is not None:
        return number, "left"
    with suppress(ValueError):
        found = json.loads(answer.partition(b"\r\n\r\n")[2])
        if found["id"] == number and not found["result"]["isError"]:
            return number, "answered"
    return number, "broken"


async def counts(port: int) -> dict[str, int]:
    """Return what the process holds, once it serves."""
    for _ in range(300):
        with suppress(OSError):
            answer = await asked(port, "GET /counts")
            found: dict[str, int] = json.loads(answer.partition(b"\r\n\r\n")[2])
            return found
        await asyncio.sleep(0.2)
    raise SystemExit("it does not start")


async def ended(
    folder: Path,
    port: int,
    workers: int,
    callers: int = 32,
    seconds: float = 3,
    *,
    killed: bool = False,
) -> Counter[str]:
    """Send SIGTERM to a server under load, after its youngest worker was `killed`. Returns what
    became of the calls; `lost` are those that a worker had taken and no caller got an answer to.
    """
    became: dict[int, str] = {}
    (folder / "accepted").unlink(missing_ok=True)
    with served(folder, port, workers) as process:
        await counts(port)

        async def caller() -> None:
            for name, arguments in itertools.cycle(CALLS):
                number, end = await call(port, name, arguments)
                became[number] = end
                if process.poll() is not None:
                    return
                if end == "refused":
                    await asyncio.sleep(0.05)

        calling = asyncio.gather(*(caller() for _ in range(callers)))
        await asyncio.sleep(seconds)
        if killed:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            os.kill(int(children.split()[-1]), signal.SIGKILL)
            await asyncio.sleep(seconds)
        process.send_signal(signal.SIGTERM)
        await calling
        assert process.returncode in (0, -signal.SIGTERM), process.returncode
    accepted = [int(line) for line in (folder / "accepted").read_text().split()]
    lost = sum(became[number] != "answered" for number in accepted)
    return Counter({"lost": lost, **Counter(became.values())})


async def soaked(
    folder: Path, port: int, seconds: float, callers: int = 16
) -> tuple[Counter[str], dict[str, int], dict[str, int]]:
    """Call a server, half of the calls left by their callers. Returns what became of the calls, and
    what the process holds before, once it is warm, and after.
    """
    became: Counter[str] = Counter()
    chance = random.Random(1)
    with served(folder, port, 1):
        await counts(port)

        async def caller(until: float) -> None:
            while asyncio.get_running_loop().time() < until:
                name, arguments = chance.choice(CALLS)
                leave = chance.choice([None, chance.random() / 10])
                became[(await call(port, name, arguments, leave))[1]] += 1

        held = []
        for share in (0.25, 0.75):
            until = asyncio.get_running_loop().time() + seconds * share
            await asyncio.gather(*(caller(until) for _ in range(callers)))
            await asyncio.sleep(3)
            held.append(await counts(port))
        return became, held[0], held[1]


async def main(seconds: float) -> None:
    """Run both, and print what is found."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        project(folder)
        print("SIGTERM with 4 workers:", dict(await ended(folder, 8660, 4)), flush=True)
        killed = await ended(folder, 8662, 4, killed=True)
        print("SIGKILL of one of them before:", dict(killed), flush=True)
        became, before, after = await soaked(folder, 8661, seconds)
        print(f"{became.total()} calls: {dict(became)}\nbefore: {before}\nafter:  {after}")


if __name__ == "__main__":
    asyncio.run(main(float((*sys.argv[1:], "120")[0])))
