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
from shop import PACKAGE, begun, heard, say
from test_server_stdio import INITIALIZE, INITIALIZED, call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK serves there")


def ping(number: int) -> dict[str, Any]:
    """A message that is answered at once."""
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(package: Path, environment: dict[str, str]) -> Iterator[Start]:
    """A function that starts the server with the given streams, pipes where none are given."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(**streams: Any) -> subprocess.Popen[bytes]:
        started.append(begun(package, environment, **streams))
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
    if process.stdout is not None and not process.stdout.closed:
        assert process.stdout.read() == b""
    return process.stderr.read().decode()


def test_a_client_that_reads_late_gets_every_answer_whole(start: Start) -> None:
    process = start()
    count = 6_000  # their answers are more than a pipe holds, several times
    say(process, INITIALIZE, INITIALIZED, *(ping(number) for number in range(1, count)))
    time.sleep(0.5)
    answers = [heard(process) for _ in range(count)]
    assert sorted(answer["id"] for answer in answers) == list(range(count))
    assert stopped(process) == ""


def request(number: Any, arguments: bytes) -> bytes:
    """A line that calls `echo`, its arguments as they are."""
    params = b'{"name":"echo","arguments":' + arguments + b"}"
    head = b'{"jsonrpc":"2.0","id":' + json.dumps(number).encode()
    return head + b',"method":"tools/call","params":' + params + b"}\n"


DIGITS = b"1" * 5_000
BAD_LINES: list[tuple[bytes, Any, str]] = [
    (b"garbage\n", None, "expected value"),
    (b"\xff\xfe\x00\n", None, "expected value"),
    (b"[" * 100_000 + b"\n", None, "recursion limit exceeded"),
    (request("a", b'{"text":"\\ud83d"}'), "a", "unexpected end of hex escape"),
    (request(2, b'{"text":' + b"[" * 90_000 + b"]" * 90_000 + b"}"), None, "recursion limit exceeded"),
    (request(3, b'{"text":' + DIGITS + b"}"), 3, "number out of range"),
    (b'{"params":{"id":9,"a":' + DIGITS + b'},"id":4}\n', 4, "number out of range"),
    (request(5, b'{"text":"')[:70] + b"\n", None, "EOF while parsing a value"),
    (b'{"jsonrpc":"2.0","id":' + DIGITS + b"}\n", None, "number out of range"),
    (b'{"jsonrpc":"2.0","id":12\n', None, "EOF while parsing an object"),
    (b"5\n", None, "a message is a JSON object"),
    (b'"text"\n', None, "a message is a JSON object"),
    (b"{}\n", None, '`jsonrpc` must be `"2.0"`'),
    (b"[]\n", None, "batches are not part of MCP; send one message at a time"),
    (b"[" + json.dumps(ping(6)).encode() + b"]\n", None,
     "batches are not part of MCP; send one message at a time"),
    (b'{"jsonrpc":"1.0","id":7,"method":"ping"}\n', 7, '`jsonrpc` must be `"2.0"`'),
    (b'{"id":8,"method":"ping"}\n', 8, '`jsonrpc` must be `"2.0"`'),
    (b'{"jsonrpc":"2.0","id":9,"method":5}\n', 9, "`method` must be text"),
    (b'{"jsonrpc":"2.0","id":10}\n', 10, "`method` must be text"),
    (b'{"jsonrpc":"2.0","id":11,"method":"ping","params":[1]}\n', 11, "`params` must be an object"),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', None, "`id` must be text or a whole number"),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', None, "`id` must be text or a whole number"),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', None, "`id` must be text or a whole number"),
]  # fmt: skip


def test_every_line_that_is_no_message_is_answered_and_logged(start: Start) -> None:
    process = start()
    say(process, INITIALIZE, INITIALIZED)
    heard(process)
    codes = [-32700] * 10 + [-32600] * 13
    for (line, request_id, reason), code in zip(BAD_LINES, codes, strict=True):
        say(process, line)
        answer = heard(process)
        assert (answer["id"], answer["error"]["code"]) == (request_id, code), reason
        heading = "Parse error" if code == -32700 else "Invalid request"
        assert answer["error"]["message"].partition(" at line")[0] == f"{heading}: {reason}"
    say(process, ping(99))
    assert heard(process) == {"jsonrpc": "2.0", "id": 99, "result": {}}
    events = [json.loads(line) for line in stopped(process).splitlines()]
    assert [event["code"] for event in events] == codes
    assert all(event["answered"] and event["transport"] == "stdio" for event in events)


def test_malformed_notifications_and_responses_are_logged_and_never_answered(start: Start) -> None:
    process = start()
    say(process, INITIALIZE, INITIALIZED, b"\n", b"  \r\n")
    say(
        process,
        {"jsonrpc": "1.0", "method": "notifications/x"},
        {"jsonrpc": "2.0", "method": "notifications/x", "params": [1]},
        {"jsonrpc": "2.0", "id": 1, "result": 5},
        {"jsonrpc": "2.0", "id": 1, "error": "bad"},
        ping(2),
    )
    assert [heard(process)["id"] for _ in range(2)] == [0, 2]
    events = [json.loads(line) for line in stopped(process).splitlines()]
    assert [event["answered"] for event in events] == [False] * 4


def test_bytes_that_are_not_utf_8_and_a_last_line_without_an_end_are_read(start: Start) -> None:
    process = start()
    text = json.dumps(call(1, "echo", {"text": "?"})).encode()
    say(process, INITIALIZE, INITIALIZED, text.replace(b"?", b"caf\xc3\xa9 \xff") + b"\r\n")
    assert heard(process)["id"] == 0
    assert heard(process)["result"]["content"][0]["text"] == "caf\u00e9 \ufffd"
    answer, _ = process.communicate(json.dumps(ping(2)).encode(), timeout=20)
    assert json.loads(answer)["id"] == 2
    assert process.returncode == 0


def test_sockets_do_as_well_as_pipes(start: Start) -> None:
    ours_in, theirs_in = socket.socketpair()
    ours_out, theirs_out = socket.socketpair()
    process = start(stdin=theirs_in, stdout=theirs_out)
    theirs_in.close()
    theirs_out.close()
    with ours_in, ours_out, ours_out.makefile("rb") as answers:
        for message in (INITIALIZE, INITIALIZED, call(1, "echo", {"text": "over a socket"})):
            ours_in.sendall(json.dumps(message).encode() + b"\n")
        assert [json.loads(answers.readline())["id"] for _ in range(2)] == [0, 1]
        ours_in.close()
        assert process.wait(20) == 0
        assert answers.read() == b""


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_stream_that_was_closed_leads_nowhere(start: Start, closed: int) -> None:
    process = start(preexec_fn=lambda: os.close(closed))
    answer, errors = process.communicate(json.dumps(ping(1)).encode(), timeout=20)
    assert (process.returncode, errors) == (0, b"") and (b'"id":1' in answer) == (closed == 2)


@pytest.mark.parametrize("kind", ["a file", "one socket for both", "stderr on stdout"])
def test_other_streams_are_left_to_the_sdk(start: Start, tmp_path: Path, kind: str) -> None:
    said = json.dumps(INITIALIZE).encode() + b"\nno message\n"
    if kind == "one socket for both":
        ours, theirs = socket.socketpair()
        process = start(stdin=theirs, stdout=theirs)
        theirs.close()
        with ours, ours.makefile("rb") as answers:
            ours.sendall(said)
            answer = answers.readline() + answers.readline()
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
    parts = [json.loads(line) for line in answer.splitlines() if b"jsonrpc" in line]
    assert sorted(part.get("error", {}).get("code", 0) for part in parts) == [-32700, 0]


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
    say(process, INITIALIZE, INITIALIZED, call(1, "nosy", {}))
    heard(process)
    assert heard(process)["result"]["content"][0]["text"] == "['', b'']"
    said = stopped(process)
    assert all(text in said for text in ("to fd 1", "to stdout, late", "from a child"))


def test_a_client_that_is_gone_ends_the_server_without_a_word(start: Start) -> None:
    process = start()
    say(process, INITIALIZE, INITIALIZED)
    heard(process)
    assert process.stdout is not None
    process.stdout.close()
    say(process, *(ping(number) for number in range(1, 10)))
    assert stopped(process) == ""


def test_the_pipe_is_given_back_as_it_was(start: Start) -> None:
    reading, writing = os.pipe()
    process = start(stdout=writing)
    say(process, INITIALIZE)
    assert b'"id":0' in os.read(reading, 65_536)
    assert not os.get_blocking(writing)  # one pipe, held here and there
    assert stopped(process) == ""
    assert os.get_blocking(writing)
    os.close(reading)
    os.close(writing)


def test_a_line_without_end_is_one_error_and_is_never_kept(in_process: Any) -> None:
    in_process()
    stdio = importlib.import_module(f"{PACKAGE}.runtime.transports.stdio")

    async def run() -> None:
        reader = asyncio.StreamReader(1_000)
        messages = stdio.Messages(reader)
        reader.feed_data(b'{"id":5,"x":"' + b"x" * 3_000)
        coming = asyncio.ensure_future(anext(messages))
        for _ in range(20):
            await asyncio.sleep(0)
            assert len(reader._buffer) <= 3_000  # what has been read is gone
            reader.feed_data(b"x" * 2_000)
        reader.feed_data(b"y\n" + json.dumps(ping(7)).encode() + b"\n")
        error = await coming
        assert error.code == -32700
        assert (await messages.__anext__()).message.id == 7
        reader.feed_data(b"z" * 5_000)
        reader.feed_eof()
        assert (await anext(messages)).code == -32700
        with pytest.raises(anyio.EndOfStream):
            await stdio.AnsweredErrors(messages, None).receive()

    asyncio.run(run())
