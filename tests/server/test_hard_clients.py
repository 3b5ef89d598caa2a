"""Clients that behave badly or stop in the middle: the server answers, or ends cleanly, and goes on."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from served import LIST, Server, Start, opened, slow_call
from shop import begun, heard, say
from test_server_stdio import INITIALIZE, INITIALIZED, call

DROPPED = struct.pack("ii", 1, 0)
"""`SO_LINGER`: closing resets the connection."""


def calls_of(server: Server) -> list[dict[str, Any]]:
    """What the log of a server says of its calls, once the last one has ended."""
    server.ask_to_end()
    assert server.exit_code() == 0
    lines = [json.loads(line) for line in server.stop().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] in ("call", "call_failed")]


@pytest.mark.parametrize("progress", [True, False])
def test_a_client_that_closes_its_half_comes_to_a_clean_end(
    start: Start, parser: str, progress: bool
) -> None:
    server = start(HTTP_GRACE="0")
    connection = opened(server, slow_call(1_000, progress=progress))
    time.sleep(0.3)
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65_536):  # raises ConnectionResetError where the end is not clean
        pass
    connection.close()
    assert [line["status"] for line in calls_of(server)] == ["cancelled"]


@pytest.mark.parametrize("drops", [True, False])
def test_a_client_that_vanishes_in_an_answer_ends_its_call(
    start: Start, parser: str, drops: bool
) -> None:
    server = start(HTTP_GRACE="0")
    connection = opened(server, slow_call(100_000))
    content = b""
    while b'"progress":3' not in content.replace(b" ", b""):
        content += connection.recv(65_536)
    if drops:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, DROPPED)
    connection.close()
    assert [line["status"] for line in calls_of(server)] == ["cancelled"]


def test_a_body_that_comes_byte_by_byte_has_to_arrive_in_time(start: Start, parser: str) -> None:
    server = start(HTTP_BODY_TIMEOUT="0.5")
    head, _, body = slow_call(1).partition(b"\r\n\r\n")
    connection = opened(server, head + b"\r\n\r\n")
    connection.settimeout(0.05)
    answer = b""
    for place in range(len(body)):
        connection.sendall(body[place : place + 1])
        try:
            answer = connection.recv(65_536)
            break
        except TimeoutError:
            continue
    connection.close()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert server.send(LIST)[0] == 200


def test_a_client_on_stdio_that_does_not_read_stderr_is_served(
    package: Path, environment: dict[str, str]
) -> None:
    unread, errors = os.pipe()
    process = begun(package, environment, stderr=errors)
    os.close(errors)
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    say(process, INITIALIZE, INITIALIZED)
    heard(process)
    count = 600  # each writes a line, all of them several times what a pipe holds
    for number in range(1, count + 2):
        if number == count + 1:  # now it reads what is there
            said = os.read(unread, 1_000_000)
        say(process, call(number, "crash", {"how": "tool"}))
        assert heard(process)["id"] == number
    said += os.read(unread, 1_000_000)
    process.communicate(timeout=20)
    assert process.returncode == 0
    watchdog.cancel()
    os.close(unread)
    lines = [json.loads(line) for line in said.splitlines()]
    lost = [line["lines"] for line in lines if line["event"] == "lines_lost"]
    written = [line for line in lines if line["event"] == "call_failed"]
    assert [len(written) + lost[0]] == [count + 1]
    assert lost[0] > 100
