"""One run for one project: request, `mcpgen.toml` and lock → document, server and files.

The stages are in `pipeline`; here is decided what they are given, for `generate`, `check` and
`diff` alike. In a folder with a `mcpgen.toml` the file decides, and options that differ are
refused: the folder alone gives the same files again.

    result = run(CommandInput(folder=folder), problems)
    save(result, force=…, accept=…, dry_run=…)
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import NAME, SCHEMA, Config, read_config
from ..config.options import (
    OptionConflict,
    agreed_with,
    conflicting_options,
    literal,
    new_text,
    relative_to,
)
from ..customise.bindings import known_apis, known_operations
from ..load.source import STDIN, by_key, copies_of, home_of, is_fetched, is_url
from ..load.values import as_object
from ..lock import Lock, read_lock, salvaged_lock, text_hash
from ..paths import here, homes, is_project, read_plain, refuse_devices
from ..problems import Problems, Severity, UsageError
from ..runtime.package import decorated
from .functions import functions, parts_used
from .manifest import refuse_place

if TYPE_CHECKING:
    from ..ir import Server
    from ..load import Document
    from ..pipeline import Result
    from ..render import BlackStyle

READING = ("overlays", "workflows", "draft", "ref_root", "ref_map", "max_bytes")
"""Fields of a `Config` that change what is read of the same document."""

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandInput:
    """The input of a command. `config`: what its options say, else defaults. `update`: fetch the
    document anew if the project has a copy of it. `adopt`: the lock may be damaged. `add`: groups
    of files to write on request. `keep`: a module whose source is that of the last run keeps its
    text on the disk. `severity`: that of problems which break a rule of the document's OpenAPI
    version.
    """

    config: Config = field(default_factory=Config)
    folder: Path | None = None
    update: bool = False
    adopt: bool = False
    add: tuple[str, ...] = ()
    keep: bool = True
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A request made definite. `folder` is None until the server's name is known; `first`: there is
    no project yet; `lock`: the last run's.
    """

    config: Config
    folder: Path | None
    first: bool
    lock: Lock | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The result of the stages. `facts`: the new lock; `lock`: the last run's; `files`: path →
    content, empty if only the server was requested; `updated`: the document was fetched anew.
    """

    document: Document
    server: Server
    folder: Path
    facts: Lock
    lock: Lock | None
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    updated: bool = False


def request_of(config: Config) -> CommandInput:
    """Return the request for a configuration; a project's folder as its only source becomes
    `folder`.
    """
    if len(config.sources) == 1 and is_project(Path(config.sources[0])):
        return CommandInput(config=replace(config, sources=()), folder=Path(config.sources[0]))
    return CommandInput(config=config)


def settle(request: CommandInput) -> Plan:
    """Decide what to generate, and where: by default, the project around this folder.

    Raises UsageError without a document, and if options and `mcpgen.toml` disagree.
    """
    folder = request.folder
    if folder is None and not request.config.documents:
        folder = here()
    refuse_devices(folder or Path())
    lock = _last_lock(folder, adopt=request.adopt)
    if folder is not None and is_project(folder):
        config = named(_agreed(request.config, folder), lock)
        config = replace(config, anew=request.update)
        if request.config.sources:
            config = replace(config, project=None)
        return Plan(config=config, folder=folder, first=False, lock=lock)
    if not request.config.documents:
        raise UsageError.of(
            "E1106",
            f"no document was named, and {'this folder' if folder is None else f'`{folder}`'} is"
            " not a project",
            "`mcpgen generate openapi.yaml` makes one; inside it `mcpgen generate` is enough",
        )
    config = named(request.config, lock)
    if config.inside:
        refuse_place(folder)
        config = replace(config, parts=config.parts or ("http", "asgi"))
    return Plan(config=config, folder=folder, first=True, lock=lock)


def _last_lock(folder: Path | None, *, adopt: bool) -> Lock | None:
    """Return the lock of a project; None without a lock or a folder. `adopt` accepts a damaged
    lock.
    """
    if folder is None:
        return None
    return salvaged_lock(folder) if adopt else read_lock(folder)


def named(config: Config, lock: Lock | None) -> Config:
    """Return the configuration with the lock's names of APIs, servers and operations, and of the
    server unless it has one. Unchanged without a lock.
    """
    if lock is None:
        return config
    return replace(
        config,
        name=config.name or lock.name or None,
        known_apis=known_apis(lock),
        known_servers=lock.servers,
        known_operations=known_operations(lock),
    )


def run(
    request: CommandInput, problems: Problems, step: Step = lambda _: None, *, files: bool = True
) -> Run:
    """Run all stages but `write`; without `files` nothing is rendered. Adds to `problems`, tells
    `step` each stage. Raises what the stages raise.
    """
    from .. import pipeline
    from ..lint.hidden_text import report_hidden
    from ..lint.validation import Validation
    from ..parse import distribution_of
    from ..render import ModuleFormatter, render
    from ..render.parts import requested

    plan = settle(request)
    step("reading the document")
    validation = Validation(plan.lock, request.severity, files)
    document = pipeline.read(plan.config, problems, progress=step, validate=validation)
    folder = plan.folder
    if folder is None:
        folder = Path(distribution_of(document, plan.config))
        if is_project(folder):  # only now known: what it says decides
            asked, plan = plan.config, settle(replace(request, folder=folder))
            if any(getattr(asked, name) != getattr(plan.config, name) for name in READING):
                known = document.originals
                validation = replace(validation, lock=plan.lock, made={})
                document = pipeline.read(plan.config, problems, known=known, validate=validation)
    if document.pages:
        sources = tuple(document.pages.get(source, source) for source in plan.config.sources)
        plan = replace(plan, config=replace(plan.config, sources=sources))
    report_hidden(document, problems)
    result = pipeline.understood(document, plan.config, problems, lock=plan.lock)
    packages = homes(folder)
    before = () if plan.lock is None else (*plan.lock.files, *plan.lock.once)
    server = replace(
        result.server,
        files=(*requested(before, folder), *request.add),
        has_functions=any(map(decorated, packages)),
        has_contracts=any(any(home.glob("custom/*.json")) for home in packages),
        uses=parts_used(packages),
        functions=tuple(function.name for home in packages for function in functions(home)),
        profile=plan.config.profile,
        inside=plan.config.inside,
        fetched=any(map(is_url, plan.config.documents)),
    )
    texts: dict[str, str | bytes] = {}
    formatter = ModuleFormatter(_style(folder), _kept(folder, plan.lock) if request.keep else {})
    formatter.tell = step
    if files:
        step(f"writing {len(server.tools):,} tools")
        texts = {
            **render(server, formatter),
            **_catalogue(result, server),
            **config_files(plan.config, folder, server.name),
            **_copies(result, plan.config.documents, folder, plan.lock),
        }
    return Run(
        document=result.document,
        server=server,
        folder=folder,
        lock=plan.lock,
        files=texts,
        facts=replace(
            result.facts, made={**formatter.made, **validation.made}, own=_own_tools(folder, server)
        ),
        updated=plan.config.anew,
    )


def _own_tools(folder: Path, server: Server) -> dict[str, dict[str, Any]]:
    """Return the Tool objects of the user's code in a project, by name."""
    if not (server.has_functions or server.has_contracts):
        return {}
    from .own_tools import own_files, own_tools  # late: most projects have none

    return own_tools(own_files(folder))


def _kept(folder: Path, lock: Lock | None) -> dict[str, tuple[str, str]]:
    """Return the modules that are unedited since the last run: path → (hash of their source, text
    on the disk). Empty without a lock.
    """
    kept: dict[str, tuple[str, str]] = {}
    if lock is None:
        return kept
    for path, source in lock.made.items():
        content = read_plain(folder, path)
        if isinstance(content, bytes) and text_hash(content) == lock.files.get(path):
            kept[path] = source, content.decode("utf-8", "replace").replace("\r\n", "\n")
    return kept


def _style(folder: Path) -> BlackStyle:
    """Return the settings of black in a project's `pyproject.toml`; missing and wrong ones have
    their default.
    """
    from ..render import BlackStyle

    try:
        manifest = tomllib.loads((folder / "pyproject.toml").read_text("utf-8-sig"))
    except (OSError, ValueError):
        manifest = {}
    settings = as_object(as_object(manifest.get("tool")).get("black"))
    given = {key.replace("-", "_"): value for key, value in settings.items()}
    kinds = {field.name: type(field.default) for field in fields(BlackStyle)}
    return BlackStyle(
        **{name: given[name] for name in kinds if type(given.get(name)) is kinds[name]}
    )


def _catalogue(result: Result, server: Server) -> dict[str, str]:
    """Return path → text of the page served at `/`, empty unless the configuration asks for it."""
    if not server.catalogue:
        return {}
    from ..catalogue.model import Catalogue
    from ..catalogue.pages import html

    return {f"{server.home}catalogue.html": html(Catalogue(result.document, server))}


def _copies(
    result: Result, sources: Sequence[str], folder: Path, lock: Lock | None
) -> dict[str, bytes]:
    """Return path → content of the copies of the document. Those of an unchanged document stay: a
    difference in spaces or in the order of keys is no change.
    """
    copies = dict(copies_of(result.document.originals, folder, home_of(sources, folder)))
    if lock is None or lock.document != result.facts.document:
        return copies
    for path in copies.keys() & lock.files.keys():
        kept = read_plain(folder, path)
        if isinstance(kept, bytes) and text_hash(kept) == lock.files[path]:
            copies[path] = kept
    return copies


def config_files(config: Config, folder: Path, name: str) -> dict[str, str]:
    """Return path → text of `mcpgen.toml`, as a new project has it, and of its JSON Schema."""
    return {NAME: new_text(config, folder, name=name), SCHEMA: schema_text()}


def schema_text() -> str:
    """Return the JSON Schema of `mcpgen.toml`, which every project has for editors without a
    network.
    """
    return (resources.files("mcpgen") / "data" / Path(SCHEMA).name).read_text("utf-8")


def _agreed(asked: Config, folder: Path) -> Config:
    """Return the configuration of a project's file. Raises UsageError for options that disagree
    with it, and without a document in it or from stdin.
    """
    written = read_config(folder)
    if not written.documents:
        if asked.sources != (STDIN,):
            raise UsageError.of(
                "E1106",
                f"`{folder / NAME}` does not say where the document is",
                f"add `{_source_line(asked, folder)}` to it under `[source]`",
            )
        written = replace(written, sources=asked.sources)
    conflicts = conflicting_options(asked, written)
    if conflicts:
        tried = agreed_with(asked, written)
        _try(replace(tried, project=None) if asked.sources else tried)
        options = ", ".join(f"`{conflict.option}`" for conflict in conflicts)
        raise UsageError.of(
            "E1107",
            f"`{folder / NAME}` disagrees with {options}",
            f"make these edits in `{NAME}`, then run `mcpgen generate` there without these"
            " options; or make another project with `--output DIR`",
            notes=tuple(_edit(conflict, asked, folder) for conflict in conflicts),
        )
    return written


def _try(config: Config) -> None:
    """Run the stages with a requested configuration, so that its own errors are raised before a
    disagreement is.
    """
    from .. import pipeline

    pipeline.run(config, Problems())


def _edit(conflict: OptionConflict, asked: Config, folder: Path) -> str:
    """Return a sentence: the line of `mcpgen.toml` that replaces an option, and what is there
    now.
    """
    line = f"{conflict.key} = {conflict.value}"
    if conflict.option == "SPEC" and STDIN in asked.sources:
        return f"{conflict.header}: no `path` and no `url`, for a document from standard input"
    if conflict.option == "SPEC":
        return f"{conflict.header}: `{_source_line(asked, folder)}` (it names another document now)"
    state = "is not set there now"
    if conflict.file_value:
        state = f"is {conflict.file_value} there now"
    return f"{conflict.header}: `{line}` (`{conflict.key}` {state})"


def _source_line(asked: Config, folder: Path) -> str:
    """Return the line of `mcpgen.toml` for the requested documents: `path = "openapi.yaml"`."""
    sources = asked.sources or (str(folder / "openapi.yaml"),)
    key = next(key for key, items in by_key(sources).items() if sources[0] in items)
    places = [source if is_fetched(source) else relative_to(source, folder) for source in sources]
    if len(places) == 1:
        return f"{key} = {literal(places[0])}"
    return f"{key} = {literal(places)}"
