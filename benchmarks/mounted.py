"""An app with its tools in it: `python -m benchmarks.mounted [FASTMCP_PYTHON [FASTAPI_MCP_PYTHON]]`.

The same FastAPI app, served by one process of uvicorn: with `mount`, with the same server beside it
that calls it over a socket, and as `FastMCP.from_fastapi` and fastapi_mcp are documented. Prints for
each the lines that its user writes, calls a second of four callers, the CPU of a call in all
processes, and what a call without a token gets; then the CPU of a call's request to the app alone.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
from yarl import URL

from mcpgen.runtime.client.network import Transport
from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.parts.asgi.in_process import InProcess

ROOT = Path(__file__).parents[1]
APP = ROOT / "tests" / "apps" / "fastapi_shop.py"
CALLS, CALLERS, TURNS = 400, 4, 5
IDS = itertools.count(1)
FIELDS = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
}
OURS = """\
from shop_mcp import mount
app = mount(app)
"""
BESIDE = """\
from shop_mcp import asgi
app = asgi()
"""
FASTMCP = """\
from fastapi import FastAPI
from fastmcp import FastMCP
inner = FastMCP.from_fastapi(app).http_app(path="/mcp", stateless_http=True, json_response=True)
app = FastAPI(routes=[*inner.routes, *app.routes], lifespan=inner.lifespan)
"""
FASTAPI_MCP = """\
from fastapi_mcp import FastApiMCP
FastApiMCP(app).mount_http()
"""


def serve(
    folder: Path, python: str, module: str, port: int, **more: str
) -> subprocess.Popen[bytes]:
    """Start uvicorn for a module of the folder."""
    path = os.pathsep.join([str(folder), str(folder / "shop-mcp" / "src")])
    words = ["uvicorn", f"{module}:app", "--port", str(port), "--log-level", "error"]
    return subprocess.Popen([python, "-m", *words], env={**os.environ, "PYTHONPATH": path, **more})


def cpu(processes: list[subprocess.Popen[bytes]]) -> float:
    """Return the CPU seconds of processes (Linux, `proc(5)`)."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


async def post(client: httpx2.AsyncClient, name: str, arguments: Any, **fields: str) -> Any:
    """Call a tool."""
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": next(IDS), "method": "tools/call", "params": params}
    return await client.post("/mcp", json=message, headers={**FIELDS, **fields})


async def session(client: httpx2.AsyncClient) -> str:
    """Begin a session, where the server has one; its id, or nothing."""
    about = {"name": "benchmark", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    for _ in range(150):
        with suppress(httpx2.TransportError):
            answer = await client.post("/mcp", json=message, headers=FIELDS)
            found = str(answer.headers.get("mcp-session-id", ""))
            if found:
                done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                await client.post("/mcp", json=done, headers={**FIELDS, "mcp-session-id": found})
            return found
        await asyncio.sleep(0.2)
    raise SystemExit("it does not start")


async def measure(port: int, processes: list[subprocess.Popen[bytes]]) -> tuple[float, float, str]:
    """Return calls a second, CPU milliseconds of a call, and the answer to a missing token."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        own = await session(client)
        fields = {"mcp-session-id": own} if own else {}

        async def caller() -> None:
            for _ in range(CALLS // CALLERS):
                answer = await post(client, "list_books", {"limit": 5}, **fields)
                assert "book 4" in answer.text, answer.text

        rates, costs = [], []
        for _ in range(TURNS):
            began, spent = time.perf_counter(), cpu(processes)
            await asyncio.gather(*(caller() for _ in range(CALLERS)))
            rates.append(CALLS / (time.perf_counter() - began))
            costs.append((cpu(processes) - spent) / CALLS * 1000)
        missing = await post(client, "get_me", {}, **fields)
        told = f"{missing.status_code} {missing.headers.get('www-authenticate', '')}".strip()
        return sorted(rates)[TURNS // 2], sorted(costs)[TURNS // 2], told


async def request(sender: Any, port: int, processes: list[subprocess.Popen[bytes]]) -> float:
    """Return the CPU milliseconds of a request to the app and its answer, in all processes."""

    async def send() -> None:
        url = URL(f"http://127.0.0.1:{port}/books?limit=5")
        head = await sender.send("GET", url, {"accept": "application/json"}, None)
        assert b"book 4" in b"".join([piece async for piece in head.chunks()])
        head.close()

    await send()
    costs = []
    for _ in range(TURNS):
        spent = time.process_time() + cpu(processes)
        for _ in range(CALLS):
            await send()
        costs.append((time.process_time() + cpu(processes) - spent) / CALLS * 1000)
    await sender.aclose()
    return sorted(costs)[TURNS // 2]


async def requests(
    folder: Path, port: int, processes: list[subprocess.Popen[bytes]]
) -> tuple[float, float]:
    """Return what the request costs in process, and over a socket."""
    sys.path.insert(0, str(folder))
    app = importlib.import_module("fastapi_shop").app
    base = f"http://127.0.0.1:{port}"
    settings = ApiSettings(name="shop", env_prefix="SHOP", base_url=base, allow_private=True)
    inside = await request(InProcess(app, "/mcp", settings), port, [])
    return inside, await request(Transport(settings), port, processes)


def main(arguments: list[str]) -> None:
    """Measure each, and print a table."""
    rows = [("`mount(app)`", OURS, sys.executable), ("beside it, over a socket", BESIDE, "")]
    peers = [("`FastMCP.from_fastapi`", FASTMCP), ("fastapi_mcp", FASTAPI_MCP)]
    rows += [(*peer, python) for peer, python in zip(peers, arguments, strict=False)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copy(APP, folder)
        run = [sys.executable, "-m", "mcpgen"]
        generate = ["generate", "fastapi_shop:app", "-o", "shop-mcp", "--quiet"]
        subprocess.run([*run, *generate], cwd=folder, check=True)
        subprocess.run([*run, "add", "asgi", "--quiet"], cwd=folder / "shop-mcp", check=True)
        print("| | lines | calls a second | CPU of a call | without a token |")
        print("|---|---|---|---|---|")
        for number, (name, text, python) in enumerate(rows):
            (folder / f"served{number}.py").write_text(f"from fastapi_shop import app\n{text}")
            port = 8640 + 2 * number
            processes = []
            if not python:
                processes.append(serve(folder, sys.executable, "fastapi_shop", port + 1))
            address = {"SHOP_MCP_BASE_URL": f"http://127.0.0.1:{port + 1}"}
            python = python or sys.executable
            processes.append(serve(folder, python, f"served{number}", port, **address))
            try:
                rate, cost, told = asyncio.run(measure(port, processes))
                lines = text.count("\n")
                print(f"| {name} | {lines} | {rate:.0f} | {cost:.2f} ms | {told} |", flush=True)
                if len(processes) > 1:
                    alone = asyncio.run(requests(folder, port + 1, processes[:1]))
            finally:
                for process in processes:
                    process.kill()
    inside, outside = alone
    share = f"({inside / outside:.2f})"
    print(f"\nThe request alone: {inside:.2f} ms in process, {outside:.2f} over a socket {share}")


if __name__ == "__main__":
    main(sys.argv[1:])
