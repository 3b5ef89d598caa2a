"""Running mcpgen as a user does, with everything around it watched."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import run

from .shop import Document, save


@dataclass(frozen=True)
class Result:
    """How a run ended, and the project it left."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def files(self) -> dict[str, str]:
        """The project, by path; nothing where nothing was written."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_text("utf-8")
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


Generate = Callable[..., Result]


@pytest.fixture
def generate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Generate:
    """Generate from a document: `generate(document, "--strict", name="openapi.yaml")`.

    Every run is held to what holds always: no traceback, no control character on either stream, and
    where it is refused, nothing left behind.
    """
    monkeypatch.chdir(tmp_path)
    for variable in ("FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(variable, raising=False)

    def command(
        given: Document | str | bytes, *flags: str, name: str = "openapi.json", to: str = "out"
    ) -> Result:
        folder = tmp_path / to
        fresh = not folder.exists()
        code = run(["generate", str(save(tmp_path, given, name)), "-o", str(folder), *flags])
        captured = capsys.readouterr()
        for stream in (captured.out, captured.err):
            assert "Traceback" not in stream
            assert not [
                char
                for char in stream
                if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)
            ]
        assert code in (0, 1, 2, 3, 4)
        assert code == 0 or not fresh or not folder.exists()
        return Result(code, captured.out, captured.err, folder)

    return command


@dataclass
class Canary:
    """A server nobody may ask."""

    port: int
    asked: list[str]

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/canary"


@pytest.fixture
def canary() -> Iterator[Canary]:
    """A recorder on loopback; a test that uses it fails when it was asked for anything."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"type: object\n")

        def log_message(self, *_: Any) -> None:
            """Say nothing on stderr."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield Canary(server.server_port, asked)
    server.shutdown()
    server.server_close()
    assert asked == []
