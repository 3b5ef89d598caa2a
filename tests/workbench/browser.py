"""A workbench in a process of its own, and Chromium to look at it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
)
"""Chromium as root in a machine without a screen; `evil.example` is a name that was made to point
here.
"""


def missing() -> str:
    """Why there is no browser to test with; empty where there is one."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed (`pip install playwright`)"
    if program() is None:
        return "Chromium is not installed (on Debian: `apt install chromium`)"
    return ""


def program() -> str | None:
    """The path of an installed Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=list(SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def workbench(source: str | Path, folder: Path, **environment: str) -> Iterator[str]:
    """The address of a workbench that was started in a folder; its process ends with the block."""
    with started(source, folder, **environment) as (address, _):
        yield address


@contextmanager
def started(source: str | Path, folder: Path, **environment: str) -> Iterator[tuple[str, int]]:
    """The address of a workbench as `workbench` has it, and the number of its process."""
    command = [sys.executable, "-m", "mcpgen", "workbench", str(source), "--no-browser"]
    variables = {**os.environ, "MCPGEN_PYTHON": sys.executable, **environment}
    process = subprocess.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(process.communicate()[1])
        yield address, process.pid
    finally:
        process.terminate()
        process.communicate(timeout=30)


class Watch:
    """What a page did besides showing itself: requests elsewhere, refusals of its own policy, errors
    of its script.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.elsewhere: list[str] = []
        self.errors: list[str] = []
        own = address.rstrip("/")
        page.on("request", lambda request: self._request(request.url, own))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._message(message))

    def _request(self, url: str, own: str) -> None:
        if not url.startswith((f"{own}/", "data:", "about:")):
            self.elsewhere.append(url)

    def _message(self, message: Any) -> None:
        if message.type == "error" and "favicon" not in str(message.location):
            self.errors.append(message.text)

    def nothing_happened(self) -> None:
        """Assert that the page kept to itself."""
        assert (self.elsewhere, self.errors) == ([], [])


def faults(page: Any, axe: str) -> list[str]:
    """What axe-core calls serious or critical on a page: rule and place."""
    page.evaluate(axe)
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['target']}"
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
