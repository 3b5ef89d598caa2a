"""Generate a project again whenever its sources change."""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import NAME, Config
from ..config.credentials import fetch_headers
from ..load.app import module_of
from ..load.fetch import Downloads, Poll
from ..load.source import is_app, is_fetched, is_url
from ..problems import McpgenError, Problems

if TYPE_CHECKING:
    from ..load import Document

INTERVAL = 0.3
"""Seconds between two looks at the files."""
POLL_SECONDS = 5.0
"""Seconds between two questions to the server of a document at a URL."""

States = dict[Path, tuple[int, int]]


def sources(config: Config, document: Document, folder: Path) -> list[Path]:
    """Return the files to watch: `mcpgen.toml`, the files of the document, and the modules of an
    app; no URLs.
    """
    names = (*config.documents, *document.originals)
    paths = [Path(name) for name in names if not is_fetched(name)]
    for module in (module_of(name, folder) for name in names if is_app(name)):
        paths += module.parent.rglob("*.py") if module is not None else ()
    return [folder / NAME, *paths]


def polls(config: Config, document: Document) -> list[Poll]:
    """Return a poll for each file of the document at a URL."""
    from ..pipeline import limits_of

    headers = partial(fetch_headers, config.fetch_headers, os.environ)
    first = next(filter(is_url, config.sources), "")
    return [
        Poll(
            url,
            hashlib.sha256(content).digest(),
            Downloads(
                limits_of(config),
                headers=headers,
                certificate=(config.fetch_certificate, config.fetch_key),
                first_url=first,
            ),
        )
        for url, content in document.originals.items()
        if is_url(url)
    ]


def wait(
    process: subprocess.Popen[bytes],
    paths: Iterable[Path],
    urls: list[Poll],
    act: Callable[[bool], None],
) -> int:
    """Wait for a process, and return its exit code. Call `act` after a change: with True if a file
    at a URL changed, else with False. A local file that changes is waited for: an editor empties it
    before it writes it.
    """
    watched = list(paths)
    known = seen = states_of(watched)
    fetched = threading.Event()
    if urls:
        threading.Thread(target=_ask, args=(urls, fetched), daemon=True).start()
    while process.poll() is None:
        time.sleep(INTERVAL)
        before, seen = seen, states_of(watched)
        if seen == before != known or fetched.is_set():
            is_new = fetched.is_set()
            fetched.clear()
            known = seen
            act(is_new)
    return process.returncode


def _ask(urls: list[Poll], fetched: threading.Event) -> None:
    """Ask for the files at URLs every `POLL_SECONDS`, without an end, and set the event when a file
    is new.
    """
    while True:
        time.sleep(POLL_SECONDS)
        if any(url.has_changed() for url in urls):
            fetched.set()


def states_of(paths: Iterable[Path]) -> States:
    """Return path → (time of the last change in nanoseconds, size); missing files are left out."""
    states = {}
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue
        states[path] = (state.st_mtime_ns, state.st_size)
    return states


def generated(config: Config, folder: Path, *, update: bool = False) -> tuple[Document, Problems]:
    """Generate a project, as `mcpgen generate` does, and return its document and problems. Raises
    McpgenError.
    """
    from ..project.run import CommandInput, run
    from ..project.save import save

    problems = Problems()
    made = run(CommandInput(config=config, folder=folder, update=update), problems)
    save(made)
    return made.document, problems


__all__ = ["McpgenError", "generated", "polls", "sources", "states_of", "wait"]
