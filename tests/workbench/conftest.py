"""A workbench on a document, asked without a browser."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from mcpgen.config import Config
from mcpgen.workbench.app import application
from mcpgen.workbench.bench import Bench
from tests.live.conftest import api

__all__ = ["api"]

BOOKSHOP = Path(__file__).parents[2] / "samples" / "specs" / "bookshop.yaml"
HOST = "127.0.0.1:8123"
TOKEN = "token-of-the-tests"


class Pages:
    """A client that knows the token, as the pages' own script asks."""

    def __init__(self, source: str | Path) -> None:
        self.bench = Bench(Config(sources=(str(source),)))
        self.app, self.pages = application(self.bench, host=HOST, token=TOKEN)
        self.client = self.visitor(f"/{TOKEN}")

    def visitor(self, root: str) -> TestClient:
        """A client whose addresses begin in a way."""
        return TestClient(self.app, base_url=f"http://{HOST}{root}")  # type: ignore[arg-type]

    def get(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(path, json=body, headers={"Origin": f"http://{HOST}"})
        return answer.json() | {"status": answer.status_code}

    def number(self, name: str) -> int:
        """The row of a tool."""
        return next(row.number for row in self.bench.catalogue.rows if row.tool.name == name)

    def kept(self) -> set[str]:
        """The tools that are chosen."""
        rows = self.bench.catalogue.rows
        return {row.tool.name for row in rows if row.number in self.bench.chosen}


@pytest.fixture
def open_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Pages]]:
    """Open a workbench on a source, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    opened = []

    def pages(source: str | Path = BOOKSHOP) -> Pages:
        opened.append(Pages(source))
        return opened[-1]

    yield pages
    for each in opened:
        each.pages.caller.close()


@pytest.fixture
def bookshop(open_pages: Callable[..., Pages]) -> Pages:
    """A workbench on the bookshop's document."""
    return open_pages()
