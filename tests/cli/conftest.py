"""Running commands as a user does: words in, exit code and two texts out."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import run

SPECS = Path(__file__).parents[2] / "samples" / "specs"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


@pytest.fixture
def mcpgen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ended]:
    """Run a command in this process, without a terminal."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def command(*words: str | Path) -> Ended:
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bookshop(here: Path) -> Path:
    """The sample document, in the folder to work in."""
    path = here / "bookshop.yaml"
    path.write_bytes((SPECS / "bookshop.yaml").read_bytes())
    return path
