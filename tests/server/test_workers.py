"""Several processes that serve one port."""

from __future__ import annotations

import os
import signal
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from served import Server, Start, opened, received, slow_call

from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.package import StartError
from mcpgen.runtime.parts.http import share
from mcpgen.runtime.transports import http


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
    """Wait until something is so, a minute at most."""
    for _ in range(2_400):
        if condition():
            return
        time.sleep(0.025)
    raise AssertionError("it never came true")


def test_workers_share_the_port_and_a_dead_one_is_replaced(start: Start) -> None:
    server = start("--workers", "2")
    wait_until(lambda: len(children(server)) == 2)
    assert server.send()[0] == 200
    idle = [opened(server) for _ in range(32)]
    time.sleep(2.1)  # one that dies sooner is not replaced
    files = [len([*Path(f"/proc/{number}/fd").iterdir()]) for number in children(server)]
    assert max(files) - min(files) < 24, f"one process has nearly all of {len(idle)} connections"
    dead = children(server)[0]
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: len(now := children(server)) == 2 and dead not in now)
    assert all(server.send()[0] == 200 for _ in range(8))
    under_way = [opened(server, slow_call(100, progress=number % 2 == 0)) for number in range(8)]
    time.sleep(0.3)
    server.ask_to_end()
    for connection in under_way:
        assert b'"text":' in received(connection)
    assert server.exit_code() == 0


def test_workers_end_with_a_parent_that_is_killed(start: Start) -> None:
    server = start("--workers", "2")
    wait_until(lambda: len(children(server)) == 2)
    assert server.send()[0] == 200
    workers = [Path(f"/proc/{number}/cmdline") for number in children(server)]
    os.kill(server.process, signal.SIGKILL)
    wait_until(lambda: not any(worker.exists() and worker.read_bytes() for worker in workers))


def test_workers_share_the_limits_of_the_server() -> None:
    settings = ApiSettings(name="shop", max_calls=5, rate_limit=3.0)
    shared = share(settings, 2)
    assert (shared.max_calls, shared.rate_limit) == (3, 1.5)
    with pytest.raises(StartError, match="from 1 to 256"):
        share(settings, 0)


@pytest.mark.anyio
async def test_a_worker_lives_within_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        said.append(scope["type"])

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        said.append(message)

    def running(*words: Any) -> Any:
        said.append(words[2])
        if len(said) > 3:
            raise StartError("the port is taken")
        return nullcontext()

    monkeypatch.setattr(http, "running", running)
    monkeypatch.setattr(http, "application", lambda *_: guarded)
    worker: Any = http.worker_application
    worker = worker(None, Namespace(host="::1"), ApiSettings(name="shop"))
    for kind in ("lifespan", "http", "lifespan"):
        await worker({"type": kind}, receive, send)
    failed = {"type": "lifespan.startup.failed", "message": "the port is taken"}
    assert said == ["::1", "lifespan", "http", "::1", failed]
