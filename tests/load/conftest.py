"""What the tests of `load` share: writing documents, loading them, and a server that must not be
asked.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli.report import render
from mcpgen.load import Document, load
from mcpgen.problems import McpgenError, Problem, Problems
from tests.loopback import Asked, Loopback

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


class Canary(Loopback):
    """A server that writes down every request and answers from `files`."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        super().__init__(self.answered)
        self.port = int(self.url.rpartition(":")[2])

    def at(self, path: str = "/x.yaml") -> str:
        return f"{self.url}{path}"

    def answered(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(asked.target)
        assert asked.fields["accept"].startswith("application/json, application/yaml")
        assert asked.fields["accept-encoding"] == "identity"
        if asked.target in self.redirects:
            return 302, {"Location": self.redirects[asked.target]}, b""
        content = self.files.get(asked.target.partition("?")[0])
        return 200 if content is not None else 404, {}, content or b""


@pytest.fixture
def canary() -> Iterator[Canary]:
    """The recorder; a test of references asserts that it was not asked."""

    server = Canary()
    yield server
    server.close()
