"""The whole process on stdio: through the official client in both eras, and byte by byte."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from shop import BOOKS, DESK, PACKAGE, PREFIX, Recorder, begun, command, ended, heard, say

INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, name: str, arguments: Any) -> dict[str, Any]:
    """A `tools/call` message."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


Converse = Callable[..., tuple[list[dict[str, Any]], str]]


@pytest.fixture
def converse(package: Path, environment: dict[str, str]) -> Converse:
    """Start the server, write messages, and close its stdin when all are answered: the answers to
    what comes after the handshake, and stderr.
    """

    def run(
        *messages: dict[str, Any], words: tuple[str, ...] = (), first: dict[str, Any] = INITIALIZE
    ) -> tuple[list[Any], str]:
        with tempfile.TemporaryFile("w+") as errors:
            process = begun(package, environment, *words, stderr=errors)
            say(process, first, INITIALIZED)
            assert heard(process)["id"] == 0
            answers = []
            for message in messages:
                say(process, message)
                answers.append(heard(process))
            rest, _ = process.communicate(timeout=20)
            assert (rest, process.returncode) == (b"", 0)
            errors.seek(0)
            return answers, errors.read()

    return run


@pytest.mark.parametrize(("revision", "among_hints"), [
    ("2025-03-26", True), ("2025-06-18", False), ("2025-11-25", False),
])  # fmt: skip
def test_clients_that_know_no_title_of_tools_find_it_among_the_hints(
    package: Path, converse: Converse, revision: str, among_hints: bool
) -> None:
    path = package / "tools" / "books.json"
    tools = json.loads(path.read_text())
    for tool in tools:
        del tool["annotations"]["title"]
    path.write_text(json.dumps(tools))
    params = {**INITIALIZE["params"], "protocolVersion": revision}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    [answer], _ = converse(ask, first={**INITIALIZE, "params": params})
    listed = {tool["name"]: tool["annotations"] for tool in answer["result"]["tools"]}
    assert listed["get_book"].get("title") == ("Get book" if among_hints else None)


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


def test_stdout_carries_nothing_but_the_protocol(package: Path, converse: Converse) -> None:
    (package / "hooks.py").write_text("print('printed at import')\n")
    [answer], errors = converse(call(1, "noise", {}))
    assert answer["id"] == 1
    assert answer["result"]["content"][0]["text"] == "quiet\nand\u2028more"
    for text in ("printed at import", "printed", "and more", "written to fd 1"):
        assert text in errors


def test_text_from_elsewhere_cannot_forge_a_line_on_stderr(converse: Converse) -> None:
    crash, unknown = call(1, "crash", {"how": "crash"}), call(2, "no\r\nERROR fake", {})
    _, errors = converse(crash, unknown)
    records = [json.loads(line) for line in errors.splitlines()]
    assert not any(line.startswith("ERROR fake") for line in errors.splitlines())
    assert "\x1b" not in errors
    failed = [record for record in records if record["event"] == "call_failed"]
    assert [(record["tool"], record["status"]) for record in failed] == [
        ("crash", "internal_error"), ("no\r\nERROR fake", "unknown_tool")]  # fmt: skip
    assert all(isinstance(record["ms"], int) for record in failed)
    assert failed[0]["file"].endswith("desk.py")


def test_a_secret_is_told_neither_in_a_failure_nor_in_an_answer(
    environment: dict[str, str], converse: Converse
) -> None:
    environment[f"{PREFIX}_API_KEY"] = "opensesame"
    messages = [call(1, "crash", {"how": "crash"}), call(2, "echo", {"text": "opensesame!"})]
    answers, errors = converse(*messages, words=("--log-level", "debug"))
    assert "opensesame" not in errors + json.dumps(answers)
    assert answers[1]["result"]["content"][0]["text"] == "****!"


@pytest.mark.parametrize(("arguments", "told"), [
    ('{"book_id": "a/b"}', '"isError": false'),
    (" ", "`book_id` is required"),
    ("a/b", "they must be a JSON object"),
    (["a/b"], "they must be a JSON object"),
])  # fmt: skip
def test_arguments_may_be_sent_as_text(converse: Converse, arguments: Any, told: str) -> None:
    [answer], _ = converse(call(1, "get_book", arguments))
    assert told in json.dumps(answer)
    assert ("error" in answer) == told.startswith("they")


def test_what_json_cannot_say_stops_nothing(
    package: Path, api: Recorder, converse: Converse
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
    answers, _ = converse(call(1, "get_book", {"book_id": "1"}), *calls)
    texts = [answer["result"]["content"][0]["text"] for answer in answers]
    assert json.loads(texts[0]) == {"a": "\ufffd", "b": 1}
    assert texts[1] == "x\ufffdy"
    failed = [answer["result"]["isError"] for answer in answers]
    assert failed == [False, False, False, True, True, True]


def test_an_interrupt_ends_the_process_while_it_waits_for_the_client(
    package: Path, environment: dict[str, str]
) -> None:
    with begun(package, environment) as process:
        say(process, INITIALIZE)
        heard(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


def test_the_start_imports_neither_tools_nor_http(package: Path, converse: Converse) -> None:
    (package / "tools" / "books.py").write_text("raise RuntimeError('imported too early')\n")
    [answer], errors = converse({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    assert len(answer["result"]["tools"]) == len(BOOKS) + len(DESK)
    assert "too early" not in errors
    script = (
        f"import sys, {PACKAGE}.__main__, {PACKAGE}.runtime.app, {PACKAGE}.runtime.settings;"
        "late = ('client.api', 'client.network', 'arguments.checker', 'transports.guard',"
        " 'transports.http', 'parts.oauth.tokens', 'parts.install.command');"
        f"print([n for n in late if '{PACKAGE}.runtime.' + n in sys.modules]"
        " + [n for n in ('jsonschema_rs', 'jwt') if n in sys.modules])"
    )
    assert ended(package, {}, "-c", script).stdout.strip() == "[]"


def test_what_the_start_made_is_not_looked_at_for_cycles_at_the_end(
    package: Path, environment: dict[str, str]
) -> None:
    script = f"import gc; from {PACKAGE}.__main__ import main; main(); print(gc.get_freeze_count())"
    assert int(ended(package, environment, "-c", script).stdout) > 50_000


def test_over_http_what_calls_import_is_there_before_the_first(
    package: Path, environment: dict[str, str]
) -> None:
    script = (
        f"import argparse, sys; from {PACKAGE}.runtime.app import App;"
        f"from {PACKAGE}.runtime import settings; from {PACKAGE}.runtime.transports import http;"
        f"app = App('{PACKAGE}'); read = settings.read(app.home.facts(), http=True);"
        "options = argparse.Namespace(allowed_host=[], host='127.0.0.1', port=8000);"
        "http.application(app, options, read);"
        f"soon = ('{PACKAGE}.runtime.client.report', 'aiohttp', 'jsonschema_rs');"
        "print([name for name in soon if name not in sys.modules])"
    )
    assert ended(package, environment, "-c", script).stdout.strip() == "[]"


EVERYWHERE = ["--http", "--host", "0.0.0.0"]


@pytest.mark.parametrize(("arguments", "changes", "code", "told"), [
    (["--toolsets", "bocks"], {}, 2, "did you mean `books`"),
    (["--bogus"], {}, 2, "--bogus"),
    (["instal", "cursor"], {}, 2, "there is no command `instal`; did you mean `install`?"),
    (["cursor"], {}, 2,
     "the commands are `help`, `install`, `uninstall`, `login`, `logout`, `list`, `describe`, `call`"),
    ([], {"BASE_URL": ""}, 1, f"{PREFIX}_BASE_URL"),
    ([], {"TOOLSETS": "bocks"}, 2, "did you mean `books`"),
    (EVERYWHERE, {}, 2, "--allowed-host"),
    ([*EVERYWHERE, "--allowed-host", "a.example"], {}, 2, f"{PREFIX}_HTTP_TOKEN"),
    (["--http", "--allowed-host", "a b"], {}, 2, "not a host name"),
    (["--http", "--port", "80000"], {}, 2, "--port: invalid port value: '80000'"),
    (["--http", "--workers", "1000"], {}, 2, "--workers has to be from 1 to 256"),
    (["--port", "8001"], {}, 2, "--port is for --http"),
    (["--workers", "2"], {}, 2, "--workers is for --http"),
])  # fmt: skip
def test_what_cannot_work_stops_the_start_with_a_reason(
    package: Path, environment: dict[str, str],
    arguments: list[str], changes: dict[str, str], code: int, told: str,
) -> None:  # fmt: skip
    named = {f"{PREFIX}_{name}": value for name, value in changes.items()}
    done = ended(package, {**environment, **named}, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("stream", "begins"), [
    ("stdin", "shop-mcp is waiting for a client's messages on standard input"),
    ("stderr", f"note: `{PREFIX}_API_KEY` is not set"),
])  # fmt: skip
def test_a_terminal_gets_sentences(
    package: Path, environment: dict[str, str], stream: str, begins: str
) -> None:
    if stream == "stderr":
        del environment[f"{PREFIX}_API_KEY"]
    master, terminal = pty.openpty()
    streams = {"stdin": subprocess.DEVNULL, stream: terminal}
    with begun(package, environment, **streams) as process:
        said = process.stderr.fileno() if process.stderr else master
        assert os.read(said, 10_000).decode().startswith(begins)
        process.kill()
    os.close(terminal)
    os.close(master)


def test_a_port_that_is_taken_is_told_with_the_option_for_another(
    package: Path, environment: dict[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = ended(package, environment, "--http", "--port", port)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == (
        f"error: cannot listen on 127.0.0.1:{port}: another program does;"
        " choose another port with `--port`"
    )


@pytest.mark.parametrize(("word", "begins"), [
    ("help", "usage: shop-mcp"), ("--version", "shop-mcp (not installed), for version "),
])  # fmt: skip
def test_help_and_version_are_printed(package: Path, word: str, begins: str) -> None:
    done = ended(package, {}, word)
    assert done.returncode == 0
    assert done.stdout.startswith(begins)


def test_a_missing_credential_is_named_at_the_start_and_stops_nothing_else(
    environment: dict[str, str], api: Recorder, converse: Converse
) -> None:
    del environment[f"{PREFIX}_API_KEY"]
    environment[f"{PREFIX}_TOKEN"] = "canary"
    messages = [call(1, "get_book", {"book_id": "1"}), call(2, "echo", {"text": "x"})]
    (missing, echoed), errors = converse(*messages)
    assert json.loads(errors.splitlines()[0])["event"] == "settings"  # data, for a pipe
    assert (
        f"`{PREFIX}_TOKEN` is not a setting of this server; did you mean `{PREFIX}_API_KEY`?"
        in errors
    )
    text = missing["result"]["content"][0]["text"]
    assert f"(`{PREFIX}_API_KEY`); only the operator of this server can set it" in text
    assert text.endswith(f"; set, but not read by it: `{PREFIX}_TOKEN`") and "canary" not in text
    assert echoed["result"]["isError"] is False
    assert api.requests == []


def test_a_function_that_never_returns_does_not_keep_the_process(
    package: Path, environment: dict[str, str], converse: Converse
) -> None:
    path = package / "custom" / "desk.py"
    path.write_text(f"{path.read_text()}\n\ndef echo(*, text: str) -> None:\n    time.sleep(60)\n")
    path.write_text(path.read_text().replace("import os\n", "import os\nimport time\n"))
    environment[f"{PREFIX}_TOTAL_TIMEOUT"] = "0.2"
    [answer], _ = converse(call(1, "echo", {"text": "x"}))  # and ends in less than 20 seconds
    assert "or still go on" in answer["result"]["content"][0]["text"]
