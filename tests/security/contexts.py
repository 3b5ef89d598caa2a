"""Note which test runs each line: `pytest -p tests.security.contexts`, started under coverage.

A process that a test starts reads the name of the test in its environment (`COVERAGE` below).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

COVERAGE = """
[run]
parallel = true
sigterm = true
patch = _exit
context = ${PYTEST_CURRENT_TEST-}
include =
    */mcpgen/*
    */runtime/*
omit =
    */tests/*
    */site-packages/*
[paths]
kernel =
    mcpgen/runtime/
    */runtime/
generator =
    mcpgen/
    */mcpgen/
"""
"""The configuration of coverage. A copied runtime counts as the one it was copied from."""


def _switch(item: pytest.Item, phase: str) -> None:
    from coverage import Coverage

    measured = Coverage.current()
    if measured is not None:
        measured.switch_context(f"{item.nodeid} ({phase})")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name the test whose fixtures are made."""
    _switch(item, "setup")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Name the test that runs."""
    _switch(item, "call")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write how long each test that passed took."""
    passed = {report.nodeid for report in terminalreporter.stats.get("passed", ())}
    seconds: dict[str, float] = dict.fromkeys(passed, 0.0)
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports(""):
        if report.nodeid in passed and report.when != "teardown":
            seconds[report.nodeid] += report.duration
    Path(os.environ["SECONDS_OF_TESTS"]).write_text(json.dumps(seconds), "utf-8")
