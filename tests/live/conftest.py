"""A stand-in for an API that demands a credential and headers, and ways to use a project."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import run


@dataclass
class StandIn:
    """An API on loopback. `wanted` are the headers without which it answers 401 or 400."""

    wanted: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, str, bytes]] = field(default_factory=list)
    delay: threading.Event = field(default_factory=threading.Event)
    """Answers to `/slow` wait for it."""
    arrived: threading.Event = field(default_factory=threading.Event)
    """A request for `/slow` has arrived."""
    document: bytes = b""
    """What it answers at `/openapi.json`."""
    token: str = ""
    """The access token that it gives at `/token`, to everybody."""
    url: str = ""

    def refusal(self, headers: Any) -> tuple[int, str]:
        for name, value in self.wanted.items():
            if headers.get(name) != value:
                status = 401 if name == "Authorization" else 400
                return status, f"the header {name} must be {value[:6]}..."
        return 200, ""


def handler_of(api: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            api.requests.append((self.command, self.path, body))
            if self.path.startswith("/slow"):
                api.arrived.set()
                api.delay.wait(30)
            status, message = api.refusal(self.headers)
            content = json.dumps({"message": message, "path": self.path}).encode()
            if self.path == "/openapi.json":
                content = api.document
            if self.path == "/token":
                status = 200
                content = json.dumps({"access_token": api.token, "expires_in": 60}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            """Say nothing on stderr."""

    return Handler


@pytest.fixture
def api() -> Iterator[StandIn]:
    """The stand-in."""
    stand_in = StandIn()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(stand_in))
    server.daemon_threads = True
    stand_in.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    yield stand_in
    stand_in.delay.set()
    server.shutdown()
    server.server_close()


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; servers run with the Python of these tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    monkeypatch.setenv("COLUMNS", "140")
    return tmp_path


@pytest.fixture
def mcpgen(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a command in this process."""

    def command(*words: str | Path) -> Ended:
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return command
