"""What holds for every test."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

collect_ignore = ["packaging/before"]
"""The code of people in projects of an older version, which runs there."""


def pytest_collection_finish() -> None:
    """Spare the collector what lives until the end: it took an eighth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """A machine that fails in the middle of a test fails the test: nothing has to be synced."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


@pytest.fixture
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache of mypy for generated projects: one for all processes, which come one by one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with FileLock(folder / "mypy.lock"):
        yield folder / "mypy"
