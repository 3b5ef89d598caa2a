"""A stand-in for an API that demands a credential and headers, and ways to use a project."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.commands import Command, Ended
from tests.commands import mcpgen as command
from tests.loopback import JSON, Asked, Loopback

__all__ = ["Command", "Ended", "command"]


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

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Answer a request."""
        self.requests.append((asked.method, asked.target, asked.body))
        if asked.target.startswith("/slow"):
            self.arrived.set()
            self.delay.wait(30)
        if asked.target == "/openapi.json":
            return self.refusal(asked)[0], JSON, self.document
        if asked.target == "/token":
            token = {"access_token": self.token, "expires_in": 60}
            return 200, JSON, json.dumps(token).encode()
        status, message = self.refusal(asked)
        return status, JSON, json.dumps({"message": message, "path": asked.target}).encode()

    def refusal(self, asked: Asked) -> tuple[int, str]:
        for name, value in self.wanted.items():
            if asked.fields.get(name.lower()) != value:
                status = 401 if name == "Authorization" else 400
                return status, f"the header {name} must be {value[:6]}..."
        return 200, ""


@pytest.fixture
def api() -> Iterator[StandIn]:
    """The stand-in."""
    stand_in = StandIn()
    server = Loopback(stand_in.answer)
    stand_in.url = server.url
    yield stand_in
    stand_in.delay.set()
    server.close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; servers run with the Python of these tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    monkeypatch.setenv("COLUMNS", "140")
    return tmp_path


@pytest.fixture
def mcpgen(here: Path, command: Command) -> Command:
    """Run a command in this process and in that folder."""
    return command
