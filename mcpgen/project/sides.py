"""A document as one side of a comparison, read as a project would read it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .. import pipeline
from ..compare.sides import Side, side_of_project, side_of_server
from ..config import Config
from ..config.file import read_config
from ..problems import Problems
from .own_tools import own_files, own_tools
from .run import named


def side_of_document(
    document: str | None,
    project: Path | None,
    old: Side | None,
    problems: Problems,
    *,
    update: bool = False,
) -> Side:
    """Return the server made of a document, as a side: with the customisations of the project and
    the names of the old side. A folder is read as a generated project. None: the project's own
    document, fetched anew if `update`.
    """
    if document is not None and Path(document).is_dir():
        return side_of_project(Path(document))
    config = Config()
    if project is not None:
        config = replace(read_config(project), anew=update)
    lock = None
    if old is not None:
        lock = old.lock
        config = named(config, lock)
    if document is not None:
        config = replace(config, sources=(document,), project=None)
    result = pipeline.run(config, problems, lock=lock)
    side = side_of_server(result.server, result.facts.document, result.facts.config)
    if project is not None:
        side = replace(side, own=own_tools(own_files(project)))
    return side
