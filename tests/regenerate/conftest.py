"""Commands in a project of the shop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import mcpgen

from .shop import project

__all__ = ["mcpgen", "shop"]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is a project."""
    folder = project(tmp_path)
    monkeypatch.chdir(folder)
    return folder
