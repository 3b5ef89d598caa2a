"""A project to write to."""

from pathlib import Path

import pytest

from .folders import project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project that was generated once, beside nothing else."""
    return project(tmp_path / "shop")
