"""The stages of a run, in order: load → upgrade → parse → render → write.

Only `load` and `write` touch the world. `check` and `diff` are the same stages with a comparison at the end.
"""

from __future__ import annotations

from .bindings import pin
from .config import Config
from .customise import customise
from .ir import Server
from .load import Document, load
from .parse import parse
from .problems import Problems
from .render import render
from .upgrade import upgrade
from .write.lock import Lock


def read(config: Config, problems: Problems) -> Document:
    """Load the document the configuration names, as OpenAPI 3.1 whatever its version was."""
    return upgrade(load(config.sources, overlays=config.overlays, problems=problems), problems)


def understand(config: Config, problems: Problems, *, lock: Lock | None = None) -> tuple[Document, Server]:
    """Everything up to the intermediate representation; a lock keeps the names of the last run."""
    document = read(config, problems)
    config = pin(config, lock, document)
    return document, customise(parse(document, config, problems), config, problems)


def generate(
    config: Config, problems: Problems, *, lock: Lock | None = None
) -> tuple[Document, Server, dict[str, str]]:
    """Everything up to the text of every file, nothing written yet."""
    document, server = understand(config, problems, lock=lock)
    return document, server, render(server, config)
