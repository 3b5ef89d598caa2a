"""What the tests of `load` share: writing documents, loading them, and a server that must not be
asked.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli.report import render
from mcpgen.load import Document, load
from mcpgen.problems import McpgenError, Problem, Problems

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the test's folder and return its path."""

    def to(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


def loaded(path: object, **options: Any) -> tuple[Document, list[Problem]]:
    """Load a document; return it, and what was found on the way."""
    problems = Problems()
    return load(str(path), problems=problems, **options), list(problems)


@dataclass
class Refusal:
    """An error that ended `load`: its exit code, its problems, and how they are told."""

    exit_code: int
    problems: tuple[Problem, ...]
    text: str
    codes: list[str] = field(default_factory=list)

    @property
    def where(self) -> tuple[int, int]:
        place = self.problems[0].place
        assert place is not None
        return place.line, place.column


def refused(path: object, **options: Any) -> Refusal:
    """Load what cannot be loaded; return how that is told, and fail when it is not."""
    try:
        document = load(str(path), problems=Problems(), **options)
    except McpgenError as error:
        return Refusal(
            exit_code=error.exit_code,
            problems=error.problems,
            text=render(error.problems),
            codes=[problem.code for problem in error.problems],
        )
    raise AssertionError(f"loaded: {str(document.root)[:200]}")


@dataclass
class Canary:
    """A server on a loopback port that writes down every request and answers from `files`."""

    port: int
    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def url(self, path: str = "/x.yaml") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@pytest.fixture
def canary() -> Iterator[Canary]:
    """The recorder; a test of references asserts that it was not asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            recorder.asked.append(self.path)
            if self.path in recorder.redirects:
                self.send_response(302)
                self.send_header("Location", recorder.redirects[self.path])
                self.end_headers()
                return
            content = recorder.files.get(self.path.partition("?")[0])
            self.send_response(200 if content is not None else 404)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_: object) -> None:
            """Say nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder = Canary(port=server.server_port)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    yield recorder
    server.shutdown()
    server.server_close()
