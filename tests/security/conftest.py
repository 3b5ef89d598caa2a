"""Running mcpgen as a user does, with everything around it watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mcpgen.cli import run
from tests.loopback import Asked, Loopback

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
            assert not controls(stream)
        assert code in (0, 1, 2, 3, 4)
        assert code == 0 or not fresh or not folder.exists()
        return Result(code, captured.out, captured.err, folder)

    return command


def controls(text: str) -> list[str]:
    """The control characters of a text, but for the ends of its lines."""
    return [each for each in text if each != "\n" and (ord(each) < 32 or 127 <= ord(each) < 160)]


class Canary(Loopback):
    """A server nobody may ask."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(self.noted)
        self.url += "/canary"

    def noted(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Note who asks, and answer well."""
        self.asked.append(asked.target)
        return 200, {}, b"type: object\n"


@pytest.fixture
def canary() -> Iterator[Canary]:
    """A server; a test that uses it fails when it was asked for anything."""
    server = Canary()
    yield server
    server.close()
    assert server.asked == []
