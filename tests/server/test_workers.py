"""Several processes that serve one port."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from served import Server, Start, opened, received, slow_call

from mcpgen.runtime.errors import StartError
from mcpgen.runtime.settings import Settings
from mcpgen.runtime.transports.workers import share


def children(server: Server) -> list[int]:
    """The processes that a server started to serve."""
    process = server.process
    numbers = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [
        int(number)
        for number in numbers
        if b"spawn_main" in Path(f"/proc/{number}/cmdline").read_bytes()
    ]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until something is so, ten seconds at most."""
    for _ in range(400):
        if condition():
            return
        time.sleep(0.025)
    raise AssertionError("it never came true")


def test_workers_share_the_port_and_a_dead_one_is_replaced(start: Start) -> None:
    server = start("--workers", "2")
    wait_until(lambda: len(children(server)) == 2)
    assert server.send()[0] == 200
    time.sleep(2.1)  # one that dies sooner is not replaced
    dead = children(server)[0]
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: len(children(server)) == 2 and dead not in children(server))
    assert all(server.send()[0] == 200 for _ in range(8))
    under_way = [opened(server, slow_call(100, progress=number % 2 == 0)) for number in range(8)]
    time.sleep(0.3)
    server.ask_to_end()
    for connection in under_way:
        assert b'"text":' in received(connection)
    assert server.exit_code() == 0


def test_workers_share_the_limits_of_the_server() -> None:
    settings = Settings(name="shop", max_calls=5, rate_limit=3.0)
    shared = share(settings, 2)
    assert (shared.max_calls, shared.rate_limit) == (3, 1.5)
    with pytest.raises(StartError, match="from 1 to 256"):
        share(settings, 0)


def sockets(process: int) -> int:
    """How many sockets a process has open."""
    links = [str(path.readlink()) for path in Path(f"/proc/{process}/fd").iterdir()]
    return sum(link.startswith("socket:") for link in links)


def test_connections_that_stay_are_shared_evenly(start: Start) -> None:
    """asyncio takes as many in a row as its backlog, which one process would have them all of."""
    server = start("--workers", "2")
    wait_until(lambda: len(children(server)) == 2)
    health = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    time.sleep(2.0)  # both listen
    before = [sockets(process) for process in children(server)]
    connections = [opened(server, health) for _ in range(32)]
    for connection in connections:
        assert connection.recv(12) == b"HTTP/1.1 200"
    after = [sockets(process) for process in children(server)]
    held = [late - early for late, early in zip(after, before, strict=True)]
    assert (sum(held), min(held) >= 8) == (32, True)
    for connection in connections:
        connection.close()
