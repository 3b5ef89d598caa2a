"""A client that measures a server and nothing of itself: JSON-RPC lines over the server's own stdin
and stdout.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


def processor(process: int) -> float:
    """CPU seconds of a process so far, of all its threads."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Server:
    """A running server. `started` is when its process was."""

    process: asyncio.subprocess.Process
    started: float
    waiting: dict[int, asyncio.Future[bytes]] = field(default_factory=dict)
    count: int = 0
    reader: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls, command: list[str], environment: Mapping[str, str], folder: Path | None = None
    ) -> Server:
        """Start a server; nothing is said to it yet."""
        started = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **environment},
            cwd=folder,
            limit=1 << 30,
        )
        server = cls(process, started)
        server.reader = asyncio.create_task(server._read())
        return server

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            # The id is all that is read here: parsing a long list would be the client's time
            tail, head = line[-40:], line[:60]
            for number in list(self.waiting):
                mark = b'"id":%d' % number
                spaced = b'"id": %d' % number
                if any(
                    part in where
                    for where in (head, tail)
                    for part in (mark + b",", mark + b"}", spaced + b",", spaced + b"}")
                ):
                    self.waiting.pop(number).set_result(line)
                    break
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(ConnectionError("the server has ended"))

    async def ask(self, method: str, params: Any) -> bytes:
        """Send a request; the line of its answer."""
        self.count += 1
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.waiting[self.count] = future
        self.tell({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        return await asyncio.wait_for(future, 120)

    def tell(self, message: Any) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def list_tools(self) -> bytes:
        """Initialise and list, as a client of the handshake era does."""
        await self.ask("initialize", INITIALIZE)
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return await self.ask("tools/list", {})

    def memory(self) -> float:
        """Resident memory, megabytes; of the process alone."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise ValueError("no resident memory known")

    def cpu(self) -> float:
        """CPU seconds of the process so far."""
        return processor(self.process.pid)

    async def stop(self) -> None:
        """End it as a client does: by closing its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        if self.reader is not None:
            await self.reader
