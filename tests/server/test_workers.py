"""Several processes that serve one port."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from served import Server, Start, opened, received, slow_call

from mcpgen.runtime.errors import StartError
from mcpgen.runtime.settings import Settings
from mcpgen.runtime.transports import workers
from mcpgen.runtime.transports.turns import Listener
from mcpgen.runtime.transports.workers import share


def children(server: Server) -> list[int]:
    """The processes that a server started."""
    process = server.process
    return [
        int(number)
        for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()
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


@pytest.mark.parametrize(("count", "processes"), [("1", 0), ("2", 2)])
def test_callers_who_have_connected_are_answered_when_the_server_ends(
    start: Start, parser: str, count: str, processes: int
) -> None:
    """A balancer that asks no `/ready` sends calls until nobody listens."""
    server = start("--workers", count, HTTP_GRACE="0")
    wait_until(lambda: len(children(server)) == processes)
    time.sleep(0.5)  # a process that is about to listen would end at once
    asked = [*children(server), server.process]
    for process in asked:
        os.kill(process, signal.SIGSTOP)
    request = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    connections = [opened(server, request) for _ in range(60)]
    for process in asked:
        os.kill(process, signal.SIGTERM)
        os.kill(process, signal.SIGCONT)
    for connection in connections:
        assert received(connection).startswith(b"HTTP/1.1 200 ")
    assert server.exit_code() == 0


def sockets(process: int) -> int:
    """How many sockets a process has open."""
    links = [str(path.readlink()) for path in Path(f"/proc/{process}/fd").iterdir()]
    return sum(link.startswith("socket:") for link in links)


def test_connections_that_stay_are_shared_evenly(start: Start, parser: str) -> None:
    server = start("--workers", "2")
    wait_until(lambda: len(children(server)) == 2 and min(map(sockets, children(server))) > 2)
    before = [sockets(process) for process in children(server)]
    request = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    connections = [opened(server, request) for _ in range(32)]
    for connection in connections:
        assert connection.recv(12) == b"HTTP/1.1 200"
    after = [sockets(process) for process in children(server)]
    held = [late - early for late, early in zip(after, before, strict=True)]
    assert sum(held) == 32
    assert min(held) >= 10
    for connection in connections:
        connection.close()


class Held(asyncio.Protocol):
    """A connection that is among the others of its server from its beginning."""

    def __init__(self, others: set[object]) -> None:
        self._others = others

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._others.add(self)


def test_a_connection_counts_once_from_the_moment_it_is_taken() -> None:
    counts: list[int] = []
    held: set[object] = set()

    def is_my_turn(count: int) -> bool:
        counts.append(count)
        return True

    async def take(bound: socket.socket) -> None:
        listener = Listener(bound, is_my_turn, lambda: Held(held), held)
        async with asyncio.timeout(10):
            while len(held) < 8:
                await asyncio.sleep(0)
        listener.close()

    with socket.create_server(("127.0.0.1", 0)) as bound:
        clients = [socket.create_connection(bound.getsockname()) for _ in range(8)]
        asyncio.run(take(bound))
    assert counts[:8] == list(range(8))
    for client in clients:
        client.close()


def test_workers_end_with_the_process_that_started_them(start: Start) -> None:
    server = start("--workers", "2", HTTP_GRACE="0")
    wait_until(lambda: len(children(server)) == 2)
    left = children(server)
    assert server.send()[0] == 200
    os.kill(server.process, signal.SIGKILL)
    wait_until(lambda: not any(Path(f"/proc/{process}/fd").exists() for process in left))


def test_no_process_is_started_once_all_are_to_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The signal may come while a process that died is about to be replaced."""
    started = tmp_path / "started"

    def serve(index: int, parent: int) -> int:
        with started.open("a") as file:
            file.write("one\n")
        os.kill(os.getpid(), signal.SIGKILL)
        return 1

    def at_its_end(*_: object, **fields: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(workers, "SHORTEST_LIFE", 0.0)
    monkeypatch.setattr(workers, "event", at_its_end)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        assert workers.Workers(1, serve, lambda: None).run() == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert started.read_text() == "one\n"


def test_workers_share_the_limits_of_the_server() -> None:
    settings = Settings(name="shop", max_calls=5, rate_limit=3.0)
    shared = share(settings, 2)
    assert (shared.max_calls, shared.rate_limit) == (3, 1.5)
    with pytest.raises(StartError, match="from 1 to 256"):
        share(settings, 0)
