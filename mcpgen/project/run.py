"""One run for one project: what was asked for, `mcpgen.toml` and the lock → document, server and
files.

The stages themselves are in `pipeline`; here is decided what they are given, for `generate`,
`check` and `diff` alike. A folder with a `mcpgen.toml` is a project, and there the file decides: an
option that says something else is refused, so that what is on disk can always be made again from
the folder alone.

    made = run(Request(folder=folder), problems)
    write(made.files, made.folder, lock_facts=made.facts, force=…, accept=…, dry_run=…)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import NAME, SCHEMA_NAME, Config, read_config
from ..config.new_file import is_url, literal, new_text, relative_to
from ..config.options import conflicting_options
from ..lock import Lock, data_hash, facts, read_lock
from ..problems import Problems, UsageError
from ..runtime.package import decorated

if TYPE_CHECKING:
    from ..ir import Server
    from ..load import Document

Step = Callable[[str], None]

OF_LOADING = ("sources", "overlays", "ref_root", "max_bytes", "fetch_seconds", "fetch_headers")
"""Fields of a `Config` that say where the document is and how it is read."""
LATER = ("draft", "auth_scheme", "auth_description", "headers")
"""Fields that a `Config` of version 0.1.0 did not have: unset, they leave its hash as it was."""
DERIVED = ("bindings", "formerly", "places")
"""Fields of a `Config` that come from the lock and the file's layout, not from what somebody
wrote.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command was given. `config` holds what its options say; what was not given has its
    default there.
    """

    config: Config = field(default_factory=Config)
    folder: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A request made definite. `folder` is None until the server's name is known; `first`: there is
    no project yet.
    """

    config: Config
    folder: Path | None
    first: bool
    lock: Lock | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the stages made of a plan. `lock` is the last run's; `files` is empty when only the
    server was wanted.
    """

    document: Document
    server: Server
    folder: Path
    facts: Lock
    lock: Lock | None
    files: Mapping[str, str] = field(default_factory=dict)


def is_project(folder: Path) -> bool:
    """Whether a folder holds a configuration of mcpgen."""
    return (folder / NAME).is_file()


def here(start: Path = Path()) -> Path | None:
    """The project a folder is in: the nearest one upwards that holds a `mcpgen.toml`."""
    folder = start.absolute()
    found = next((place for place in (folder, *folder.parents) if is_project(place)), None)
    return start if found == folder else found


def settle(request: Request) -> Plan:
    """Decide what to generate, and where.

    Raises UsageError where there is nothing to generate from, or where options and `mcpgen.toml`
    disagree.
    """
    folder = request.folder
    if folder is None and not request.config.sources:
        folder = here()
    lock = read_lock(folder) if folder is not None else None
    if folder is not None and is_project(folder):
        config = named(_agreed(request.config, folder), lock)
        return Plan(config=config, folder=folder, first=False, lock=lock)
    if not request.config.sources:
        raise UsageError.of(
            "E1106",
            f"no document was named, and {'this folder' if folder is None else f'`{folder}`'} is"
            " not a project",
            "`mcpgen generate openapi.yaml` makes one; inside it `mcpgen generate` is enough",
        )
    return Plan(config=named(request.config, lock), folder=folder, first=True, lock=lock)


def named(config: Config, lock: Lock | None) -> Config:
    """The configuration with the server's name: where it says none, that of the last run stays."""
    if config.name or lock is None:
        return config
    return replace(config, name=lock.name or None)


def run(
    request: Request,
    problems: Problems,
    step: Step = lambda _: None,
    *,
    files: bool = True,
    thorough: bool = False,
) -> Run:
    """All stages but `write`; `thorough` compares its defaults with their schemas. Raises what
    the stages raise.
    """
    from .. import pipeline
    from ..render import render
    from . import user_code

    plan = settle(request)
    step("reading the document")
    document, server = pipeline.understand(
        plan.config, problems, lock=plan.lock, thorough=thorough, progress=step
    )
    folder = plan.folder
    if folder is None:
        folder = Path(server.distribution)
        if is_project(folder):  # only now known: what it says decides
            return run(
                replace(request, folder=folder), problems, step, files=files, thorough=thorough
            )
    package = folder / "src" / server.package
    server = replace(server, has_functions=bool(decorated(package)))
    made: dict[str, str] = {}
    if files:
        step(f"writing {len(server.tools):,} tools")
        made = {**render(server), **config_files(plan.config, folder, server.name)}
    names = [tool.name for tool in server.tools]
    problems.items += user_code.orphans(folder, package, names)
    return Run(
        document=document,
        server=server,
        folder=folder,
        lock=plan.lock,
        files=made,
        facts=lock_facts(plan.config, plan.lock, document, server),
    )


def lock_facts(config: Config, lock: Lock | None, document: Document, server: Server) -> Lock:
    """What the next lock says of one run, without the files."""
    from ..customise.bindings import customised, pin

    return facts(
        server,
        document=document.source.sha256,
        openapi=document.version,
        config=config_hash(replace(config, name=config.name or server.name)),
        customised=customised(pin(config, lock, document), lock, document),
    )


def config_files(config: Config, folder: Path, name: str, obtained: str = "") -> dict[str, str]:
    """The configuration of a project and its schema. `mcpgen.toml` is written once and then the
    user's.
    """
    return {
        NAME: new_text(config, folder, name=name, obtained=obtained),
        SCHEMA_NAME: schema_text(),
    }


def schema_text() -> str:
    """The JSON Schema of `mcpgen.toml`, which stands beside it in every project so that editors
    find it offline.
    """
    return (resources.files("mcpgen") / "data" / SCHEMA_NAME).read_text("utf-8")


def config_hash(config: Config) -> str:
    """The hash of everything in the configuration that shapes the result, besides the document and
    its overlays.
    """
    data = asdict(config)
    unset = [key for key in LATER if not data[key]]
    for key in (*OF_LOADING, *DERIVED, *unset):
        del data[key]
    if config.lazy:
        del data["lazy"]
    return data_hash(data)


def _agreed(asked: Config, folder: Path) -> Config:
    """The configuration of a project, after a look at whether the options say the same."""
    written = read_config(folder)
    if not written.sources:
        if asked.sources != ("-",):
            raise UsageError.of(
                "E1106",
                f"`{folder / NAME}` does not say where the document is",
                f"add `{_source_line(asked, folder)}` to it under `[source]`",
            )
        written = replace(written, sources=asked.sources)
    conflicts = conflicting_options(asked, written)
    if conflicts:
        options = ", ".join(f"`{conflict.option}`" for conflict in conflicts)
        raise UsageError.of(
            "E1107",
            f"`{folder / NAME}` disagrees with {options}",
            f"edit `{NAME}`, then run `mcpgen generate` there without these options; or"
            " make another project with `--output DIR`",
            notes=tuple(
                f"`{conflict.key}` is {conflict.file_value} there" for conflict in conflicts
            ),
        )
    return written


def _source_line(asked: Config, folder: Path) -> str:
    """The line of `mcpgen.toml` that names the first document asked for."""
    source = asked.sources[0] if asked.sources else str(folder / "openapi.yaml")
    if is_url(source):
        return f"url = {literal(source)}"
    return f"path = {literal(relative_to(source, folder))}"
