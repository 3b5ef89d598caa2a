"""One run for one project: what was asked for, `mcpgen.toml` and the lock → document, server and files.

The stages themselves are in `pipeline`; here is decided what they are given. A folder with a `mcpgen.toml` is a project,
and there the file decides: an option that says something else is refused, so that what is on disk can always be made
again from the folder alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from . import pipeline
from .bindings import customised, pin
from .config import Config, Selection
from .config_file import NAME, new_text, parse_config, read_config
from .customise import customise
from .ir import Server
from .load import Document
from .parse import parse
from .problems import Problem, Problems, UsageError
from .render import render
from .write import Lock, facts, read_lock
from .write.lock import data_hash

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command was given. `config` holds what its options say; what was not given has its default there."""

    config: Config
    folder: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A request made definite. `folder` is None until the server's name is known; `text` is `mcpgen.toml`, if any."""

    config: Config
    folder: Path | None
    text: str | None
    lock: Lock | None


@dataclass(slots=True, kw_only=True)
class Run:
    """What the stages made of a plan; `files` is empty when only the server was asked for."""

    document: Document
    server: Server
    folder: Path
    config: Config
    facts: Lock
    files: Mapping[str, str] = field(default_factory=dict)


def here(start: Path | None = None) -> Path | None:
    """The project a folder is in: the nearest one upwards that holds a `mcpgen.toml`."""
    folder = (start or Path()).absolute()
    return next((place for place in (folder, *folder.parents) if (place / NAME).is_file()), None)


def settle(request: Request) -> Plan:
    """Decide what to generate, and where. Raises UsageError where options and `mcpgen.toml` disagree."""
    folder = request.folder
    if folder is None and not request.config.sources:
        folder = here()
        if folder is None:
            raise _usage(
                "E1106",
                "no document was named, and this folder is not a project",
                "`mcpgen generate openapi.yaml` makes one; inside it `mcpgen generate` is enough",
            )
    if folder is None or not (folder / NAME).is_file():
        if not request.config.sources:
            raise _usage("E1106", f"no document was named, and `{folder}` holds no `{NAME}`", "name a document")
        return Plan(config=request.config, folder=folder, text=None, lock=read_lock(folder) if folder else None)
    text = (folder / NAME).read_text(encoding="utf-8-sig")
    return Plan(config=_agreed(request.config, read_config(folder)), folder=folder, text=text, lock=read_lock(folder))


def understand(plan: Plan, problems: Problems, step: Step = lambda _: None) -> tuple[Plan, Document, Server]:
    """Everything up to the server. The plan comes back with the names of the last run in its configuration."""
    step("reading the document")
    document = pipeline.read(plan.config, problems)
    step("understanding its operations")
    config = pin(plan.config, plan.lock, document)
    return replace(plan, config=config), document, customise(parse(document, config, problems), config, problems)


def run(request: Request, problems: Problems, step: Step = lambda _: None, *, files: bool = True) -> Run:
    """All stages but `write`."""
    plan, document, server = understand(settle(request), problems, step)
    if plan.folder is None:
        folder = Path(server.distribution)
        if (folder / NAME).is_file():
            return run(replace(request, folder=folder), problems, step, files=files)
        plan = replace(plan, folder=folder)
    assert plan.folder is not None
    text = plan.text if plan.text is not None else new_text(plan.config, plan.folder, name=server.name)
    made: dict[str, str] = {}
    if files:
        step(f"writing {len(server.tools):,} tools in Python")
        made = {**render(server, plan.config), NAME: text}
    said = asdict(parse_config(text))
    return Run(
        document=document,
        server=server,
        folder=plan.folder,
        config=plan.config,
        facts=facts(
            server,
            document=document.source.sha256,
            openapi=document.version,
            config=data_hash(said),
            customised=customised(plan.config, plan.lock, document),
        ),
        files=made,
    )


def _agreed(asked: Config, written: Config) -> Config:
    """The configuration of the project, after a look at whether the options say the same."""
    if not written.sources and asked.sources:
        written = replace(written, sources=asked.sources)
    differing = [
        name
        for name in ("sources", "overlays", "name", "title", "base_url", "allow_origins", "profile")
        if getattr(asked, name) != getattr(Config(), name) and _plain(asked, name) != _plain(written, name)
    ]
    differing += [
        item.name
        for item in fields(Selection)
        if getattr(asked.selection, item.name) != getattr(Selection(), item.name)
        and getattr(asked.selection, item.name) != getattr(written.selection, item.name)
    ]
    if differing:
        shown = ", ".join(f"`{name}`" for name in differing)
        raise _usage(
            "E1107",
            f"this is a project, and its `{NAME}` says something else about {shown}",
            f"change it in `{NAME}`, then run `mcpgen generate` without these options",
        )
    return written


def _plain(config: Config, name: str) -> object:
    """A value of the configuration, with files as absolute paths."""
    value = getattr(config, name)
    if name in ("sources", "overlays"):
        return tuple(item if "://" in item or item == "-" else str(Path(item).resolve()) for item in value)
    return value


def _usage(code: str, message: str, hint: str) -> UsageError:
    return UsageError(Problem(code=code, severity="error", message=message, hint=hint))
