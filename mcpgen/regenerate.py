"""From a project, or a first configuration for one, to everything that is written: what `generate` and `check` share.

`mcpgen generate` without arguments, inside a project, is:

    config = plan(folder)                                   # mcpgen.toml
    built = build(config, problems, folder=folder)          # load to render, with the names of the last run
    write(built.files, folder, lock_facts=built.facts)

The first run is the same with a `Config` made from the command line; `build` then adds the first `mcpgen.toml`. A
project that has a `mcpgen.toml` is always generated from it: what was said on the command line once is in there, and
what is to change is changed there (`config_file.edit` keeps the comments).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import config_file
from .config import Config
from .problems import Problem, Problems, UsageError
from .write.lock import Lock, data_hash, facts, read_lock
from .write.swap import recover

if TYPE_CHECKING:
    from .ir import Server
    from .load import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One run up to the text of every file. `lock` is the last run's, None on the first."""

    document: Document
    server: Server
    files: dict[str, str]
    facts: Lock
    lock: Lock | None


def is_project(folder: Path) -> bool:
    """Whether a folder holds a configuration of mcpgen."""
    return (folder / config_file.NAME).is_file()


def plan(folder: Path) -> Config:
    """The recorded configuration of a project; what a killed run left behind is put right first.

    Raises UsageError when the folder is no project, when the file has faults, or when it names no source.
    """
    recover(folder.resolve())
    config = config_file.read_config(folder)
    if not config.sources:
        raise UsageError(
            Problem(
                code="E1106",
                severity="error",
                message=f"`{folder / config_file.NAME}` does not say where the document is",
                hint='add `path = "openapi.yaml"` under `[source]`',
            )
        )
    return config


def config_hash(config: Config) -> str:
    """The hash of everything in the configuration that shapes the result, besides the document and its overlays."""
    data = asdict(config)
    for key in ("sources", "overlays", "bindings", "formerly"):
        del data[key]
    return data_hash(data)


def build(config: Config, problems: Problems, *, folder: Path, obtained: str = "") -> Built:
    """Load, upgrade, parse and render for a folder; nothing is written.

    The names of the folder's last run are kept. Raises what the stages raise.
    """
    from .pipeline import generate

    lock = read_lock(folder)
    document, server, rendered = generate(config, problems, lock=lock)
    return Built(
        document=document,
        server=server,
        files={**rendered, **config_files(config, folder, server.name, obtained)},
        facts=lock_facts(config, lock, document, server),
        lock=lock,
    )


def lock_facts(config: Config, lock: Lock | None, document: Document, server: Server) -> Lock:
    """What the next lock says of one run, without the files."""
    from .bindings import customised, pin

    return facts(
        server,
        document=document.source.sha256,
        openapi=document.version,
        config=config_hash(replace(config, name=config.name or server.name)),
        customised=customised(pin(config, lock, document), lock, document),
    )


def config_files(config: Config, folder: Path, name: str, obtained: str = "") -> dict[str, str]:
    """The configuration of a project and its schema. `mcpgen.toml` is written once and then the user's."""
    return {
        config_file.NAME: config_file.new_text(config, folder, name=name, obtained=obtained),
        config_file.SCHEMA_NAME: config_file.schema_text(),
    }
