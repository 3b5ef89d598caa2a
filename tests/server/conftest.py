"""Fixtures: the hand-written package, the API behind it, and ways to start it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

sys.path.append(
    str(Path(__file__).parent)
)  # pytest's importlib mode leaves the folder of the tests out

from served import Server, Start
from shop import PACKAGE, PREFIX, Recorder, write_package

from tests.generated import importable
from tests.issuer import Issuer


@pytest.fixture
def api() -> Iterator[Recorder]:
    """The API behind the tools."""
    with closing(Recorder()) as recorder:
        yield recorder


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """An authorization server that signs its tokens."""
    with closing(Issuer()) as server:
        yield server


@pytest.fixture
def environment(api: Recorder) -> dict[str, str]:
    """What the server needs in its environment to reach the API."""
    return {
        f"{PREFIX}_BASE_URL": api.url,
        f"{PREFIX}_API_KEY": "canary-key-0123456789",
        f"{PREFIX}_ALLOW_PRIVATE": "true",
        f"{PREFIX}_RETRIES": "0",
    }


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of the package."""
    return write_package(tmp_path)


@pytest.fixture
def in_process(
    package: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """A function that imports the package and makes its `ToolServer`."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    logging.root.setLevel(logging.WARNING)  # whatever a command said that ran here before
    with importable(package.parent, PACKAGE) as module:
        yield lambda **options: module("runtime.app").App(PACKAGE, **options)


@pytest.fixture
def start(package: Path, environment: dict[str, str]) -> Iterator[Start]:
    """A function that serves the package over HTTP, with further settings and arguments."""
    running: list[Server] = []

    def run(*arguments: str, files: int | None = None, **settings: str) -> Server:
        named = {f"{PREFIX}_{name}": value for name, value in settings.items()}
        running.append(Server(package, {**environment, **named}, *arguments, files=files))
        return running[-1]

    yield run
    for server in running:
        server.stop()


@pytest.fixture(params=["httptools", "h11"])
def parser(request: pytest.FixtureRequest, package: Path) -> str:
    """What reads HTTP in the server: what the extra `fast` installs, or what is always there."""
    if request.param == "h11":
        (package.parent / "httptools.py").write_text("raise ImportError\n")
    else:
        pytest.importorskip("httptools")
    return str(request.param)
