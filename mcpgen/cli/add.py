"""`mcpgen add`: a tool for a project, parts for its server, or files that few projects need."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import typer

from ..runtime.parts import NAMED
from .screen import Screen, may_ask, or_ask

if TYPE_CHECKING:
    from ..write import Changes

READS = "only reads: clients may call it without asking"
MAY_CHANGE = (
    "may change data: clients ask before a call; `annotations` in the contract says otherwise"
)
FUNCTION_MAY_CHANGE = (
    "may change data: clients ask before a call; `@tool(read_only=True)` says otherwise"
)


class Thing(StrEnum):
    """Things that `add` creates: a tool, an API, settings of the server, its parts, and files."""

    tool = "tool"
    production = "production"
    confirm = "confirm"
    api = "api"
    asgi = "asgi"
    audit = "audit"
    exchange = "exchange"
    http = "http"
    install = "install"
    oauth = "oauth"
    redis = "redis"
    search_model = "search-model"
    shell = "shell"
    telemetry = "telemetry"
    docker = "docker"
    registry = "registry"
    bundle = "bundle"
    clients = "clients"
    skill = "skill"
    kubernetes = "kubernetes"
    compose = "compose"
    systemd = "systemd"
    monitoring = "monitoring"
    github_workflow = "github-workflow"
    pre_commit = "pre-commit"


PARTS: dict[str, tuple[str, ...]] = {
    **{part: (part,) for part in NAMED},
    Thing.production: ("audit", "exchange", "http", "oauth", "redis", "telemetry"),
    **dict.fromkeys((Thing.docker, Thing.kubernetes, Thing.compose, Thing.systemd), ("http",)),
    Thing.monitoring: ("http",),
    Thing.skill: ("shell",),
}
"""Thing → the parts of the server to add for it."""
NEED_AN_IMAGE = (Thing.kubernetes, Thing.compose)


def add(
    what: Thing,
    name: str = "",
    description: str = "",
    argument: list[str] | None = None,
    read_only: bool | None = None,
    python: bool = False,
    prefix: str = "",
    quiet: bool = False,
    as_json: bool = False,
) -> int:
    """Add a tool, an API, parts of the server, or files, here.

    `tool` adds a tool to the project's list (`tools.json`, unless it has another), generates the
    project again and leaves you a function to fill in. With `--python` that function is all there
    is: its contract is its signature and docstring.

    `api` enters another API into `mcpgen.toml`, as in `mcpgen add api ../billing.yaml --prefix
    billing`, and generates the project again: its tools join those of the server.

    `docker` writes a `Dockerfile`, `registry` the entry of the MCP registry (`server.json`),
    `bundle` the manifest of a bundle for Claude Desktop, `clients` settings to paste, `skill` an
    Agent Skill for models that use the server from a shell. mcpgen keeps those that are not yours
    up to date as long as they are there.

    `kubernetes`, `compose` (with a load balancer) and `systemd` write what runs the server over
    HTTP into `deploy/`, the first two with a `Dockerfile`; `monitoring` alerts, a dashboard and
    what finds the metrics. `github-workflow` and `pre-commit` write to the root of the repository
    that the project lies in: a workflow of GitHub, and a hook, that run `mcpgen check` here. The
    files are yours.

    `http`, `install` (the server's own command `install CLIENT`), `shell` (its commands `list`,
    `describe` and `call`), `audit`, `exchange`, `oauth`, `redis` and `telemetry` enter a part of
    the server into `mcpgen.toml`, and generate the project again; `search-model` the sentence model
    of a search (`--lazy`), which brings PyTorch; `production` enters those that a
    server for a whole company needs. `confirm` enters `confirm =
    true`: a person has to agree to each call that may delete or overwrite. `asgi` gives the package
    `mount`, which serves the tools at a path of your own app and lets them call it in process.
    """
    from ..paths import here
    from ..problems import UsageError
    from ..project.scaffold import new_tool

    screen = Screen(quiet=quiet, as_json=as_json)
    folder = here()
    if folder is None:
        hint = "`mcpgen new NAME` makes one"
        raise UsageError.of("E1101", "this folder is not a project", hint)
    if what is Thing.api:
        return _add_api(screen, folder, name, prefix)
    if what is not Thing.tool:
        if any((name, description, argument, python, read_only is not None, prefix)):
            message = f"names and options are those of a tool, not of `{what}`"
            raise UsageError.of("E1191", message, f"`mcpgen add {what}` is all")
        if what is Thing.confirm:
            return _add_confirm(screen, folder)
        _refuse_inside(folder, what)
        lines = _add_parts(screen, folder, PARTS.get(what, ()))
        if what in (*NAMED, Thing.production):
            return _tell(screen, {"parts": list(PARTS[what])}, lines)
        return _add_files(screen, folder, what)
    if not name:
        raise UsageError.of("E1191", "a tool has a name", "as in `mcpgen add tool find_book`")
    arguments = argument or []
    new_tool(name, description, arguments)  # what cannot be is said before what is asked
    _refuse_taken(folder, name)
    reads = bool(or_ask(read_only, _read_only, ask=not as_json and may_ask()))
    if python:
        return _add_function(screen, folder, name, description, arguments, read_only=reads)
    tool = new_tool(name, description, arguments, read_only=reads)
    return _add_contract(screen, folder, tool, read_only=reads)


def _refuse_inside(folder: Path, what: Thing) -> None:
    """Raise UsageError for files of a server of its own, in a project inside an app."""
    from ..paths import FACTS
    from ..problems import UsageError
    from ..render.deployment import IN_REPOSITORY

    if what not in (*NAMED, Thing.production, *IN_REPOSITORY) and (folder / FACTS).is_file():
        message = f"`{what}` is for a server of its own, and this one is part of an app"
        raise UsageError.of("E1191", message, "deploy the app: the tools are at a path of it")


def _refuse_taken(folder: Path, name: str) -> None:
    """Raise UsageError (E1115) for the name of an existing tool."""
    from ..live.environment import home_of
    from ..live.tools import listed_functions, listed_tools
    from ..problems import UsageError

    package = home_of(folder)
    if any(tool.name == name for tool in (*listed_tools(package), *listed_functions(package))):
        hint = "choose another name; `mcpgen.toml` and `hooks.py` change the one that is there"
        raise UsageError.of("E1115", f"there is a tool `{name}` already", hint)


def _read_only() -> bool:
    return typer.confirm("Does it only read, and change nothing", default=False)


def _tell(screen: Screen, data: dict[str, Any], lines: Iterable[str]) -> int:
    """Print what was added: `data` for programs, `lines` for people. Returns 0."""
    screen.result(data, lambda: screen.out.print("\n".join(lines), highlight=False))
    return 0


def _add_contract(screen: Screen, folder: Path, tool: dict[str, Any], *, read_only: bool) -> int:
    """Write a contract into the project's list, and generate its function's stub; undo both on
    failure. Returns 0.
    """
    from ..project.scaffold import add_tool

    before = {path: path.read_bytes() for path in _texts(folder)}
    path = add_tool(folder, tool)
    try:
        changes = _generate(screen, folder)
    except BaseException:
        # A contract without what belongs to it would only be in the way
        for old, content in before.items():
            old.write_bytes(content)
        if path not in before:
            path.unlink(missing_ok=True)
        raise
    functions = [_shown(folder / new) for new in changes.created if "/custom/" in new]
    contract = _shown(path)
    data = {"tool": tool["name"], "contract": contract, "functions": functions}
    hints = f"hints      {READS if read_only else MAY_CHANGE}"
    stubs = [f"function   {function} (yours to fill in)" for function in functions]
    lines = [f"contract   {contract}", hints, *stubs]
    return _tell(screen, {**data, "read_only": read_only}, lines)


def _add_files(screen: Screen, folder: Path, what: Thing) -> int:
    """Write a group of files for other programs, and print their paths. Returns 0."""
    from ..paths import is_once
    from ..project.deploy import add_deployment
    from ..render.deployment import TARGETS
    from ..render.parts import on_request

    files: dict[str, bool] = {}
    if what in TARGETS:
        files = {_shown(path): True for path in add_deployment(folder, what)}
    group = Thing.docker if what in NEED_AN_IMAGE else what
    if group in on_request():
        created = _generate(screen, folder, add=(group.value,)).created
        added = [path for path in created if path.startswith(on_request()[group])]
        files |= {_shown(folder / path): is_once(path) for path in added}
    return _tell(screen, {"added": what, "files": [*files]}, _told_files(files, what))


def _told_files(files: dict[str, bool], what: Thing) -> list[str]:
    """Return the lines that tell which files were written, and which are the user's."""
    if not files:
        return [f"the files of `{what}` are here already: nothing was written"]
    return [f"{file} (yours)" if is_yours else file for file, is_yours in files.items()]


def _add_parts(screen: Screen, folder: Path, parts: tuple[str, ...]) -> list[str]:
    """Enter `parts` that the server lacks into `mcpgen.toml`, and generate again; return the line
    that tells of the parts.
    """
    from ..config import read_config
    from ..lock import read_lock
    from ..pipeline import effective_parts, kept_parts
    from ..project.scaffold import entered

    config = read_config(folder)
    before = effective_parts(config, kept_parts(config, read_lock(folder)))
    if not set(before).issuperset(parts):
        with entered(folder, {("parts",): list(dict.fromkeys((*before, *parts)))}):
            _generate(screen, folder)
        _print_missing(screen, folder, **dict.fromkeys(parts, True))
    return [f"parts      {', '.join(parts)}"]


def _print_missing(screen: Screen, folder: Path, **features: bool) -> None:
    """Print the dependencies that the project lacks for features of its server."""
    from ..problems import Problems
    from ..project.manifest import missing_dependencies
    from .problem_output import print_problems

    missing = list(missing_dependencies(folder, **features))
    print_problems(screen, Problems(items=missing), None, "text")


def _add_confirm(screen: Screen, folder: Path) -> int:
    """Enter `confirm = true` into `mcpgen.toml`, generate again, and print its tools. Returns 0."""
    from ..live.environment import home_of
    from ..paths import FACTS
    from ..project.scaffold import entered

    with entered(folder, {("confirm",): True}):
        _generate(screen, folder)
    facts = json.loads((home_of(folder) / FACTS).read_text("utf-8"))
    tools = list(facts["confirm"]["tools"])
    return _tell(screen, {"confirm": tools}, [f"confirm    {', '.join(tools)}"])


def _add_api(screen: Screen, folder: Path, document: str, prefix: str) -> int:
    """Enter a document as `[apis.NAME]` into `mcpgen.toml`, and generate again; return 0. Raises
    UsageError for an invalid or taken name.
    """
    from ..config import read_config
    from ..config.file import name_problem
    from ..config.options import relative_to
    from ..load.beside import name_of
    from ..load.source import is_url
    from ..problems import UsageError
    from ..project.scaffold import entered

    name = prefix or name_of(PurePath(document))
    if any((not document, name_problem(name), name in read_config(folder).apis)):
        hint = "`mcpgen add api DOCUMENT --prefix NAME`, with a name that no other API here has"
        raise UsageError.of("E1191", "an API has a document and a name", hint)
    key, place = ("url", document) if is_url(document) else ("path", relative_to(document, folder))
    _generate(screen, folder)  # what has to be accepted otherwise is no part of this
    with entered(folder, {("apis", name, key): place}):
        changes = _generate(screen, folder, accept=True)
    files = [path for path in changes.created if "/tools/" in path]
    tools = [f"tools      {path}" for path in files]
    entry = f"api        {name} (`[apis.{name}]` in `mcpgen.toml`)"
    return _tell(screen, {"api": name, "files": files}, [entry, *tools])


def _add_function(
    screen: Screen,
    folder: Path,
    name: str,
    description: str,
    arguments: list[str],
    *,
    read_only: bool,
) -> int:
    """Write a function with `@tool`, and generate again; undo it on failure. Returns 0."""
    from ..project.new_function import add_function

    path = add_function(folder, name, description, arguments, read_only=read_only)
    try:
        _generate(screen, folder)
    except BaseException:
        path.unlink()
        raise
    _print_missing(screen, folder, has_functions=True)
    function = f"function   {_shown(path)} (yours to fill in)"
    hints = f"hints      {READS if read_only else FUNCTION_MAY_CHANGE}"
    data = {"tool": name, "functions": [_shown(path)], "read_only": read_only}
    return _tell(screen, data, [function, hints])


def _generate(
    screen: Screen, folder: Path, *, add: tuple[str, ...] = (), accept: bool = False
) -> Changes:
    """Generate the project again, also unedited files that are written once: a dependency may be
    new. `add` are groups of files on request. `accept` accepts all changes.
    """
    from ..problems import Problems
    from ..project.run import CommandInput, run
    from ..write import write
    from .problem_output import tell_kept

    problems = Problems()
    with screen.working("writing") as step:
        made = run(CommandInput(folder=folder, add=add), problems, step)
        tell_kept(screen, problems)
        return write(made.files, made.folder, lock_facts=made.facts, renew=True, accept=accept)


def _texts(folder: Path) -> list[Path]:
    """Return the files that adding a tool may change, if there: `mcpgen.toml` and the local
    sources.
    """
    from ..config.file import NAME, read_config

    sources = [
        Path(source)
        for source in read_config(folder).sources
        if "://" not in source and source != "-"
    ]
    return [path for path in (folder / NAME, *sources) if path.is_file()]


def _shown(path: Path) -> str:
    return Path(os.path.relpath(path)).as_posix()
