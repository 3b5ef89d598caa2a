"""What holds for every test."""

import functools
import gc
import importlib._bootstrap_external as imports  # type: ignore[import-not-found]
import logging
import marshal
import os
import signal
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import mcpgen.cli

collect_ignore = ["packaging/before"]
"""The code of people in projects of an older version, which runs there."""


def pytest_configure() -> None:
    """Take SIGINT as usual. `nohup` and a job in the background ignore it, a child would inherit
    that, and a test that interrupts its child would wait without end.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_teardown() -> None:
    """Forget the folders that packages were imported from, as each import would look at all, and
    the log of a server that a test began: its level would hide events from the next test.
    """
    for path in [path for path in sys.path_importer_cache if "pytest-of-" in path]:
        del sys.path_importer_cache[path]
    logging.basicConfig(level=logging.WARNING, handlers=[], force=True)


LONGEST = """
    test_console_blocks test_deploy test_upgrade test_server_http test_browser test_tour test_call
    test_server_stdio test_installed_runtime test_real_apis test_metamorphic test_code_mode test_new
    test_page_examples test_commit test_fairness test_serve
""".split()
"""Files that take more than half a minute, which no processor should be left alone with."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


def pytest_collection_finish() -> None:
    """Spare the collector what lives until the end: it took an eighth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def nothing_is_done_twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Modules that all projects hold are compiled once, as are the command's options; no test asks
    a server that the system's authorities vouch for, or fails when the machine does: nothing has to
    be synced.
    """
    projects, system = str(tmp_path_factory.getbasetemp()), ssl.get_default_verify_paths()
    real, trust = imports.SourceLoader.get_code, ssl.SSLContext.load_verify_locations
    compiled: dict[bytes, bytes] = {}

    def get_code(loader: Any, name: str) -> Any:
        path = loader.get_filename(name)
        if not path.startswith(projects):
            return real(loader, name)
        source = loader.get_data(path)
        if source not in compiled:
            compiled[source] = marshal.dumps(loader.source_to_code(source, path))
        return imports._compile_bytecode(compiled[source], name, None, path)

    def load_verify_locations(context: Any, file: Any = None, *more: Any, **named: Any) -> None:
        if file is None or file != system.openssl_cafile:
            trust(context, file, *more, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imports.SourceLoader, "get_code", get_code)
        patch.setattr(ssl.SSLContext, "load_verify_locations", load_verify_locations)
        patch.setattr(mcpgen.cli, "get_command", functools.cache(mcpgen.cli.get_command))
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
