"""The stdio transport of the package: what comes over the pipe, whatever the pipe is, and what
never does.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from shop import PACKAGE, process_environment
from test_server_stdio import INITIALIZE, INITIALIZED, call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK serves there")


def lines(*messages: Any) -> bytes:
    """Messages as a client writes them; bytes as they are."""
    parts = [
        part if isinstance(part, bytes) else json.dumps(part).encode() + b"\n" for part in messages
    ]
    return b"".join(parts)


def ping(number: int) -> dict[str, Any]:
    """A message that is answered at once."""
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(package: Path, environment: dict[str, str]) -> Iterator[Start]:
    """A function that starts the server with the given streams, pipes where none are given."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(**streams: Any) -> subprocess.Popen[bytes]:
        streams = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        } | streams
        environ = {**process_environment(), **environment, "PYTHONPATH": str(package.parent)}
        started.append(subprocess.Popen([sys.executable, "-m", PACKAGE], env=environ, **streams))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def stopped(process: subprocess.Popen[bytes]) -> str:
    """Close the server's stdin and wait for its end: what it had to say on stderr."""
    assert process.stdin is not None and process.stderr is not None
    process.stdin.close()
    assert process.wait(20) == 0
    return process.stderr.read().decode()


def test_a_client_that_reads_late_gets_every_answer_whole(start: Start) -> None:
    process = start()
    assert process.stdin is not None and process.stdout is not None
    count = 6_000  # their answers are more than a pipe holds, several times
    process.stdin.write(
        lines(INITIALIZE, INITIALIZED, *(ping(number) for number in range(1, count)))
    )
    process.stdin.flush()
    time.sleep(0.5)
    answers = [json.loads(process.stdout.readline()) for _ in range(count)]
    assert sorted(answer["id"] for answer in answers) == list(range(count))
    assert stopped(process) == ""


def test_a_line_that_is_no_message_is_passed_over(start: Start) -> None:
    process = start()
    assert process.stdin is not None and process.stdout is not None
    text = call(1, "echo", {"text": "?"})
    process.stdin.write(
        lines(
            INITIALIZE, INITIALIZED, b"\n", b"no message\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n"
        )
    )
    process.stdin.write(json.dumps(text).encode().replace(b"?", b"caf\xc3\xa9 \xff") + b"\r\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 0
    answer = json.loads(process.stdout.readline())
    assert answer["result"]["content"][0]["text"] == "caf\u00e9 \ufffd"
    process.stdin.write(json.dumps(ping(2)).encode())  # the last line may lack its end
    process.stdin.close()
    assert json.loads(process.stdout.readline())["id"] == 2
    assert process.wait(20) == 0


def test_sockets_do_as_well_as_pipes(start: Start) -> None:
    ours_in, theirs_in = socket.socketpair()
    ours_out, theirs_out = socket.socketpair()
    process = start(stdin=theirs_in, stdout=theirs_out)
    theirs_in.close()
    theirs_out.close()
    with ours_in, ours_out, ours_out.makefile("rb") as answers:
        ours_in.sendall(lines(INITIALIZE, INITIALIZED, call(1, "echo", {"text": "over a socket"})))
        assert [json.loads(answers.readline())["id"] for _ in range(2)] == [0, 1]
        ours_in.close()
        assert process.wait(20) == 0
        assert answers.read() == b""


@pytest.mark.parametrize("kind", ["a file", "one socket for both", "stderr on stdout"])
def test_other_streams_are_left_to_the_sdk(start: Start, tmp_path: Path, kind: str) -> None:
    said = lines(INITIALIZE)
    if kind == "one socket for both":
        ours, theirs = socket.socketpair()
        process = start(stdin=theirs, stdout=theirs)
        theirs.close()
        with ours, ours.makefile("rb") as answers:
            ours.sendall(said)
            answer = answers.readline()
            ours.shutdown(socket.SHUT_WR)
            assert process.wait(20) == 0
    elif kind == "a file":
        (tmp_path / "said").write_bytes(said)
        with (tmp_path / "said").open("rb") as stdin:
            process = start(stdin=stdin)
            answer, _ = process.communicate(timeout=20)
    else:
        process = start(stderr=subprocess.STDOUT)
        answer, _ = process.communicate(said, timeout=20)
    assert process.returncode == 0
    assert json.loads(answer.splitlines()[0])["id"] == 0


def test_a_tool_finds_nothing_on_stdin_and_cannot_write_to_the_client(
    start: Start, package: Path
) -> None:
    (package / "custom" / "nosy.json").write_text(json.dumps([{"name": "nosy"}]))
    (package / "custom" / "nosy.py").write_text(
        "import os, subprocess, sys\n"
        "def nosy():\n"
        "    os.write(1, b'to fd 1\\n'); sys.stdout.write('to stdout, late\\n')\n"
        "    subprocess.run([sys.executable, '-c', 'print(\"from a child\")'], check=True)\n"
        "    return repr([sys.stdin.read(), os.read(0, 10)])\n"
    )
    process = start()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(lines(INITIALIZE, INITIALIZED, call(1, "nosy", {})))
    process.stdin.flush()
    process.stdout.readline()
    assert json.loads(process.stdout.readline())["result"]["content"][0]["text"] == "['', b'']"
    process.stdin.close()
    assert process.wait(20) == 0
    assert process.stdout.read() == b""
    assert process.stderr is not None
    said = process.stderr.read().decode()
    assert all(text in said for text in ("to fd 1", "to stdout, late", "from a child"))


def test_a_client_that_is_gone_ends_the_server_without_a_word(start: Start) -> None:
    process = start()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(lines(INITIALIZE, INITIALIZED))
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(lines(*(ping(number) for number in range(1, 10))))
    process.stdin.flush()
    assert stopped(process) == ""


def test_the_pipe_is_given_back_as_it_was(start: Start) -> None:
    reading, writing = os.pipe()
    process = start(stdout=writing)
    assert process.stdin is not None
    process.stdin.write(lines(INITIALIZE))
    process.stdin.flush()
    assert b'"id":0' in os.read(reading, 65_536)
    assert not os.get_blocking(writing)  # one pipe, held here and there
    assert stopped(process) == ""
    assert os.get_blocking(writing)
    os.close(reading)
    os.close(writing)


def test_a_message_without_end_costs_no_more_than_its_limit(in_process: Any) -> None:
    in_process()
    stdio = importlib.import_module(f"{PACKAGE}.runtime.transports.stdio")

    async def run() -> None:
        reader = asyncio.StreamReader(1_000)
        messages = stdio.Messages(reader)
        reader.feed_data(b"x" * 3_000)
        assert isinstance(await anext(messages), ValueError)
        reader.feed_data(b"y\n" + lines(ping(7)))
        assert isinstance(await anext(messages), ValueError)
        assert (await messages.receive()).message.id == 7
        reader.feed_eof()
        with pytest.raises(anyio.EndOfStream):
            await messages.receive()

    asyncio.run(run())
