"""The whole process on stdio: through the official client in both eras, and byte by byte."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from shop import BOOKS, DESK, PACKAGE, PREFIX, Recorder, command, process_environment

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, name: str, arguments: Any) -> dict[str, Any]:
    """A `tools/call` message."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


def converse(
    package: Path,
    environment: dict[str, str],
    *messages: dict[str, Any],
    arguments: tuple[str, ...] = (),
) -> tuple[list[dict[str, Any]], str]:
    """Write messages to the process and close its stdin when all are answered: the answers, and
    stderr.
    """
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", PACKAGE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**process_environment(), **environment, "PYTHONPATH": str(package.parent)},
        )
        assert process.stdin is not None and process.stdout is not None
        lines = []
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                lines.append(process.stdout.readline())
        rest, _ = process.communicate(timeout=20)
        assert rest == b""
        assert process.returncode == 0
        errors.seek(0)
        return [json.loads(line) for line in lines], errors.read()


def refuse(package: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Start a process that is not meant to serve: its exit code, and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE, *arguments],
        input=b"",
        capture_output=True,
        timeout=20,
        env={**process_environment(), **environment, "PYTHONPATH": str(package.parent)},
    )
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_lists_and_calls(
    package: Path, environment: dict[str, str], api: Recorder, mode: str
) -> None:
    async def run() -> tuple[Any, Any]:
        with Path(package, "errors").open("w") as errors:
            transport = stdio_client(command(package, environment), errlog=errors)
            async with Client(transport, mode=mode) as client:
                return await client.list_tools(), await client.call_tool(
                    "get_book", {"book_id": "a/b"}
                )

    listed, called = asyncio.run(run())
    assert [tool.name for tool in listed.tools] == [tool["name"] for tool in BOOKS + DESK]
    assert listed.tools[0].output_schema == BOOKS[0]["outputSchema"]
    assert called.is_error is False
    assert api.requests[0][1] == "/v1/books/a%2Fb"


def test_stdout_carries_nothing_but_the_protocol(
    package: Path, environment: dict[str, str]
) -> None:
    (package / "hooks.py").write_text("print('printed at import')\n")
    answers, errors = converse(package, environment, INITIALIZE, INITIALIZED, call(1, "noise", {}))
    assert [answer["id"] for answer in answers] == [0, 1]
    assert answers[1]["result"]["content"][0]["text"] == "quiet\nand\u2028more"
    for text in ("printed at import", "printed", "and more", "written to fd 1"):
        assert text in errors


def test_text_from_elsewhere_cannot_forge_a_line_on_stderr(
    package: Path, environment: dict[str, str]
) -> None:
    _, errors = converse(
        package,
        environment,
        INITIALIZE,
        INITIALIZED,
        call(1, "crash", {"how": "crash"}),
        call(2, "no\r\nERROR fake", {}),
    )
    records = [json.loads(line) for line in errors.splitlines()]
    assert not any(line.startswith("ERROR fake") for line in errors.splitlines())
    assert "\x1b" not in errors
    failed = [record for record in records if record["event"] == "call_failed"]
    assert [(record["tool"], record["status"]) for record in failed] == [
        ("crash", "internal_error"),
        ("no\r\nERROR fake", "unknown_tool"),
    ]
    assert all(isinstance(record["ms"], int) for record in failed)
    assert failed[0]["file"].endswith("desk.py")


def test_a_failure_tells_no_secret(package: Path, environment: dict[str, str]) -> None:
    environment[f"{PREFIX}_API_KEY"] = "opensesame"
    answers, errors = converse(
        package,
        environment,
        INITIALIZE,
        INITIALIZED,
        call(1, "crash", {"how": "crash"}),
        arguments=("--log-level", "debug"),
    )
    assert "opensesame" not in errors
    assert "opensesame" not in json.dumps(answers)


def test_a_function_that_returns_a_secret_is_masked(
    package: Path, environment: dict[str, str]
) -> None:
    environment[f"{PREFIX}_API_KEY"] = "opensesame"
    answers, _ = converse(
        package, environment, INITIALIZE, INITIALIZED, call(1, "echo", {"text": "opensesame!"})
    )
    assert answers[1]["result"]["content"][0]["text"] == "****!"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"book_id": "a/b"}', '"isError": false'),
        ("a/b", "they must be a JSON object"),
        (["a/b"], "they must be a JSON object"),
    ],
)
def test_arguments_sent_as_text_are_read_and_others_say_what_they_must_be(
    package: Path, environment: dict[str, str], arguments: Any, told: str
) -> None:
    message = call(1, "get_book", arguments)
    answers, _ = converse(package, environment, INITIALIZE, INITIALIZED, message)
    assert told in json.dumps(answers[1])
    assert ("error" in answers[1]) == told.startswith("they")


def test_half_a_character_and_other_things_json_cannot_say_do_not_stop_the_server(
    package: Path, environment: dict[str, str], api: Recorder
) -> None:
    names = ["half", "halves", "nan", "thing", "after"]
    (package / "custom" / "odd.json").write_text(json.dumps([{"name": name} for name in names]))
    (package / "custom" / "odd.py").write_text(
        "def half(): return 'x\\ud800y'\n"
        "def halves(): return {'\\ud800': ['\\udfff']}\n"
        "def nan(): return {'a': float('nan')}\n"
        "def thing(): return {'a': object()}\n"
        "def after(): return 'as it was'\n"
    )
    (package / "hooks.py").write_text(
        "def after_after(call, result): return {'content': object()}\n"
    )
    api.answer = (200, b'{"a": "\\ud800", "b": 1}')
    calls = [call(2 + index, name, {}) for index, name in enumerate(names)]
    answers, _ = converse(
        package, environment, INITIALIZE, INITIALIZED, call(1, "get_book", {"book_id": "1"}), *calls
    )
    texts = [answer["result"]["content"][0]["text"] for answer in answers[1:]]
    assert json.loads(texts[0]) == {"a": "\ufffd", "b": 1}
    assert texts[1] == "x\ufffdy"
    assert [answer["result"]["isError"] for answer in answers[1:]] == [
        False,
        False,
        False,
        True,
        True,
        True,
    ]


def test_an_interrupt_ends_the_process_while_it_waits_for_the_client(
    package: Path, environment: dict[str, str]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", PACKAGE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**process_environment(), **environment, "PYTHONPATH": str(package.parent)},
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    process.stdin.close()
    process.stdout.close()


def test_the_start_needs_neither_the_tools_modules_nor_the_http_ones(
    package: Path, environment: dict[str, str]
) -> None:
    (package / "tools" / "books.py").write_text("raise RuntimeError('imported too early')\n")
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answers, errors = converse(package, environment, INITIALIZE, INITIALIZED, listing)
    assert len(answers[1]["result"]["tools"]) == len(BOOKS) + len(DESK)
    assert "too early" not in errors
    script = (
        f"import sys, {PACKAGE}.__main__, {PACKAGE}.runtime.app, {PACKAGE}.runtime.settings;"
        "late = ('client.api', 'client.network', 'arguments.checker', 'transports.guard',"
        " 'transports.http', 'transports.tokens', 'install');"
        f"print([n for n in late if '{PACKAGE}.runtime.' + n in sys.modules]"
        " + [n for n in ('jsonschema_rs', 'jwt') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**process_environment(), "PYTHONPATH": str(package.parent)},
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "changes", "code", "told"),
    [
        (["--toolsets", "bocks"], {}, 2, "did you mean `books`"),
        (["--bogus"], {}, 2, "--bogus"),
        (["instal", "cursor"], {}, 2, "there is no command `instal`; did you mean `install`?"),
        (
            ["cursor"],
            {},
            2,
            "the commands are `help`, `list`, `describe`, `call`, `install`, `uninstall`, `login`, `logout`",
        ),
        ([], {f"{PREFIX}_BASE_URL": ""}, 1, f"{PREFIX}_BASE_URL"),
        ([], {f"{PREFIX}_TOOLSETS": "bocks"}, 2, "did you mean `books`"),
        (["--http", "--host", "0.0.0.0"], {}, 2, "--allowed-host"),
        (
            ["--http", "--host", "0.0.0.0", "--allowed-host", "a.example"],
            {},
            2,
            f"{PREFIX}_HTTP_TOKEN",
        ),
        (
            ["--http", "--host", "0.0.0.0", "--allowed-host", "a.example"],
            {f"{PREFIX}_HTTP_TOKEN": "short"},
            2,
            "at least 32 characters",
        ),
        (["--http"], {f"{PREFIX}_HTTP_ISSUER": "https://a.example"}, 2, f"{PREFIX}_HTTP_AUDIENCE"),
        (["--http", "--allowed-host", "a b"], {}, 2, "not a host name"),
        (["--http", "--port", "80000"], {}, 2, "--port: invalid port value: '80000'"),
        (["--http", "--workers", "1000"], {}, 2, "--workers has to be from 1 to 256"),
        (["--port", "8001"], {}, 2, "--port is for --http"),
        (["--workers", "2"], {}, 2, "--workers is for --http"),
    ],
)
def test_what_cannot_work_stops_the_start_with_a_reason(
    package: Path,
    environment: dict[str, str],
    arguments: list[str],
    changes: dict[str, str],
    code: int,
    told: str,
) -> None:
    returned, errors = refuse(package, {**environment, **changes}, *arguments)
    assert returned == code
    assert told in errors
    assert "Traceback" not in errors


def test_a_terminal_is_told_what_the_server_waits_for(
    package: Path, environment: dict[str, str]
) -> None:
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", PACKAGE],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**process_environment(), **environment, "PYTHONPATH": str(package.parent)},
    )
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    process.kill()
    process.communicate()
    os.close(terminal)
    os.close(master)
    assert line.startswith("shop-mcp is waiting for a client's messages on standard input")


def test_a_terminal_gets_sentences_and_a_pipe_gets_data(
    package: Path, environment: dict[str, str]
) -> None:
    del environment[f"{PREFIX}_API_KEY"]
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", PACKAGE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**process_environment(), **environment, "PYTHONPATH": str(package.parent)},
    )
    shown = os.read(master, 10_000).decode()
    process.kill()
    process.communicate()
    os.close(terminal)
    os.close(master)
    assert shown.startswith(f"note: `{PREFIX}_API_KEY` is not set")
    _, errors = converse(package, environment)
    assert json.loads(errors.splitlines()[0])["event"] == "settings"


def test_a_port_that_is_taken_is_told_with_the_option_for_another(
    package: Path, environment: dict[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, errors = refuse(package, environment, "--http", "--port", port)
    assert code == 2
    assert errors.strip().splitlines()[-1] == (
        f"error: cannot listen on 127.0.0.1:{port}: another program does;"
        " choose another port with `--port`"
    )


def test_help_is_a_word_too(package: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE, "help"],
        capture_output=True,
        text=True,
        env={**process_environment(), "PYTHONPATH": str(package.parent)},
    )
    assert done.returncode == 0
    assert done.stdout.startswith("usage: shop-mcp")


def test_the_version_is_printed(package: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE, "--version"],
        capture_output=True,
        text=True,
        env={**process_environment(), "PYTHONPATH": str(package.parent)},
    )
    assert done.returncode == 0
    assert done.stdout.startswith("shop-mcp (not installed), for version ")


def test_a_missing_credential_is_named_at_the_start_and_stops_nothing_else(
    package: Path, environment: dict[str, str], api: Recorder
) -> None:
    del environment[f"{PREFIX}_API_KEY"]
    answers, errors = converse(
        package,
        environment,
        INITIALIZE,
        INITIALIZED,
        call(1, "get_book", {"book_id": "1"}),
        call(2, "echo", {"text": "x"}),
    )
    assert f"{PREFIX}_API_KEY" in errors
    assert f"{PREFIX}_API_KEY" in answers[1]["result"]["content"][0]["text"]
    assert answers[2]["result"]["isError"] is False
    assert api.requests == []
