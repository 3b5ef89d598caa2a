"""Projects made of lists of tools."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.append(
    str(Path(__file__).parent)
)  # pytest's importlib mode leaves the folder of the tests out

from own_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Callable[..., Project]]:
    """Make a project of a source."""
    yield lambda source, **config: Project(source, tmp_path, **config)
