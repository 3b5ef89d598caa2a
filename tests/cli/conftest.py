"""Running commands as a user does: words in, exit code and two texts out."""

from pathlib import Path

import pytest

from tests.commands import Command
from tests.commands import mcpgen as typed

__all__ = ["typed"]

SPECS = Path(__file__).parents[2] / "samples" / "specs"


@pytest.fixture
def mcpgen(typed: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in this process, without a terminal."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return typed


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
