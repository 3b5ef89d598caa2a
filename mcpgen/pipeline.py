"""The stages of a run, in order: load → upgrade → parse → render → write.

Only `load` and `write` touch the world. `check` and `diff` are the same stages with a comparison at
the end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from .config import ApiConfig, Config
from .config.credentials import fetch_headers
from .config.file import values_problems
from .config.model import DEFAULT_PARTS
from .customise import customise, with_tool_names
from .customise.bindings import customised, pin
from .ir import Server
from .lint.hidden_text import report_hidden
from .lint.structure import check, tell_once
from .load import Document, Limits, load
from .load.beside import hold, join, named, stem_of
from .load.fetch import plain_url
from .load.source import FOLDER, Copies, home_of, mapped_folders
from .load.values import as_list
from .lock import Lock, config_hash, facts
from .parse import parse
from .parse.budget import SHORT_LIST, size
from .problems import Problems, UsageError
from .render import render
from .render.manifests import overfull_clients
from .text import Progress, age, plural, silent
from .upgrade import upgrade

Validate = Callable[[Document, Problems], None]
"""Reports what the OpenAPI version of a document does not allow."""


def open_document(
    config: Config,
    problems: Problems,
    *,
    progress: Progress = silent,
    known: Mapping[str, bytes] | None = None,
) -> Document:
    """Return the document that the configuration names, with those of further APIs, as their
    authors wrote them. `known`: origin → bytes of files that are not read again. Raises UsageError
    where the configuration cannot be used, and what `load` raises.
    """
    faults = values_problems(config)
    if faults:
        raise UsageError(*faults)
    copies = Copies(
        project=config.project,
        home=home_of(config.documents, config.project),
        folder=config.folder,
        anew=config.anew,
        python=config.python,
        originals=dict(known or {}),
    )
    load_one = partial(
        load,
        draft=config.draft,
        folder=Path(config.ref_root) if config.ref_root is not None else None,
        mapped=mapped_folders(config.ref_map),
        limits=limits_of(config),
        progress=progress,
        copies=copies,
    )
    document = load_one(
        config.sources,
        overlays=config.overlays,
        workflows=config.workflows,
        problems=problems,
        headers=partial(fetch_headers, config.fetch_headers, os.environ),
        certificate=(config.fetch_certificate, config.fetch_key),
        title=config.name or "APIs" if config.apis else None,
        known=config.known_apis,
        operations={
            api: found for api, found in config.known_operations.items() if api not in config.apis
        },
    )
    if document.root.get("paths") == {}:  # the others keep the address of what was here
        document.root.setdefault("servers", config.known_servers.get("", []))
    chosen = {name: api.source for name, api in config.apis.items()}
    for name, source in named(document.others, chosen).items():
        found, own = Problems(), config.apis.get(name, ApiConfig())
        api = load_one(source, overlays=own.overlays, problems=found)
        _take(found, problems, api)
        hold(document, name, api)
    for name in _gone_hosts(config, document):
        api = load_one((), problems=problems, title=name)
        api.root["servers"] = config.known_servers[name]
        hold(document, name, api)
    if config.anew:
        report_missing(copies.missing, problems)
    report_kept(copies.kept, problems)
    return document


def _gone_hosts(config: Config, document: Document) -> list[str]:
    """Return the further APIs without a document whose variables a present API shares."""
    hosts = {config.known_apis.get(name, "") for name in document.apis}
    return sorted(hosts.intersection(config.known_servers).difference(document.apis, ("",)))


def limits_of(config: Config) -> Limits:
    """Return the limits for documents: the configuration's, else the defaults."""
    limits = Limits()
    if config.max_bytes is not None:
        limits = Limits(bytes=config.max_bytes, nodes=max(limits.nodes, config.max_bytes // 8))
    if config.fetch_seconds is not None:
        limits = replace(limits, seconds=config.fetch_seconds)
    return limits


def _take(found: Problems, problems: Problems, api: Document) -> None:
    """Add `found`, the problems of a further API's document, to `problems`, with their places in
    that document.
    """
    for item in found.items:
        if item.place is None:
            place, pointer = api.place(item.pointer), api.written(item.pointer)
            item = replace(item, place=place, pointer=pointer)
        problems.items.append(item)


def report_missing(paths: Iterable[Path], problems: Problems) -> None:
    """Note the files that an update found only as copies of the last run."""
    for path in paths:
        message = f"`{os.path.relpath(path)}` is not here, so its copy in `{FOLDER}/` was read"
        problems.note("E0128", message, hint="update where the file is, or name its URL")


def report_kept(kept: Mapping[str, Path], problems: Problems) -> None:
    """Note that copies of URLs were read, with their age. A copy that came with a clone counts
    from then: it may be older.
    """
    if not kept:
        return
    first, *others = kept
    oldest = min(path.stat().st_mtime for path in kept.values())
    files = f" and {plural(len(others), 'other file')}" if others else ""
    message = (
        f"`{plain_url(first)}`{files} read from the copy in `{FOLDER}/`, fetched"
        f" {age(time.time() - oldest)} ago or earlier"
    )
    problems.note("E0129", message, hint="`mcpgen generate --update` fetches it anew")


def read(
    config: Config,
    problems: Problems,
    *,
    progress: Progress = silent,
    known: Mapping[str, bytes] | None = None,
    validate: Validate = check,
) -> Document:
    """Load the document the configuration names, as OpenAPI 3.1 whatever its version was, with
    further APIs joined to it.

    What its version does not allow is reported as far as `validate` looks.
    """
    document = open_document(config, problems, progress=progress, known=known)
    validate(document, problems)
    upgrade(document, problems)
    for api in document.apis.values():
        found = Problems()
        validate(api, found)
        upgrade(api, found)
        _take(found, problems, api)
    join(document)
    return document


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of the stages for a document. `facts` is the next lock, without the files."""

    document: Document
    server: Server
    facts: Lock


def run(
    config: Config, problems: Problems, *, lock: Lock | None = None, progress: Progress = silent
) -> Result:
    """Run the stages up to the intermediate representation; a lock keeps the last run's names."""
    document = read(config, problems, progress=progress)
    report_hidden(document, problems)
    return understood(document, config, problems, lock=lock)


def understood(
    document: Document, config: Config, problems: Problems, *, lock: Lock | None = None
) -> Result:
    """Turn a loaded document and a configuration into a server. The document is not changed, for
    use with further configurations.
    """
    pinned = pin(config, lock, document)
    parsed = parse(document, pinned, problems)
    server = with_tool_names(customise(parsed, pinned, problems))
    if document.workflows:
        from .workflows.tools import settled  # late: JSONPath takes a tenth of a second

        server = settled(server, problems)
    kept = kept_parts(config, lock)
    server = replace(server, parts=effective_parts(config, kept))
    server = replace(
        server,
        lazy=_is_long(server) if config.lazy is None else config.lazy,
        code=config.code,
        confirm=config.confirm,
        runtime=config.runtime,
        catalogue=config.catalogue,
        structured_content=config.structured_content,
    )
    apis = _apis(document, server, config)
    lock_facts = facts(
        server,
        document=document.source.sha256,
        openapi=document.version,
        config=config_hash(replace(config, name=config.name or server.name)),
        customised=customised(pinned, lock, document),
        parsed=parsed,
        before=lock,
        apis=apis,
        parts=kept,
        servers=_servers(document, server),
    )
    tell_once(document, problems)
    return Result(document=document, server=server, facts=lock_facts)


def kept_parts(config: Config, lock: Lock | None) -> tuple[str, ...]:
    """Return the parts kept from an earlier version, which gave them to every server
    (`Lock.parts`). None are kept once `mcpgen.toml` names any of them.
    """
    if lock is None or not set(lock.parts).isdisjoint(config.parts or ()):
        return ()
    return lock.parts


def effective_parts(config: Config, kept: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of a server, sorted: the configuration's or the default, kept parts, and
    `http` if another part or the catalogue needs it.
    """
    named = DEFAULT_PARTS if config.parts is None else config.parts
    over_http = not {"asgi", "exchange", "oauth"}.isdisjoint(named)
    needed = ("http",) * any((over_http, config.catalogue))
    return tuple(sorted({*named, *kept, *needed}))


def _apis(document: Document, server: Server, config: Config) -> dict[str, str]:
    """Return `Lock.apis`, empty without further APIs. APIs of the last run that are gone stay in
    it, to keep their names.
    """
    apis = {api.name: api.shares[0] if api.shares else api.name for api in server.apis}
    if all([apis, document.root.get("paths")]):
        apis[""] = stem_of(document.source.name)
    return {**config.known_apis, **apis} if apis else {}


def _servers(document: Document, server: Server) -> dict[str, Any]:
    """Return `Lock.servers`: API → its `servers`, for the first API and each that shares its
    variables with another; empty without further APIs.
    """
    if not server.apis:
        return {}
    hosts = sorted({"", *(api.shares[0] for api in server.apis if api.shares)})
    roots = {"": document.root, **{name: api.root for name, api in document.apis.items()}}
    found = {name: as_list(roots[name].get("servers")) for name in hosts}
    return {name: servers for name, servers in found.items() if servers}


def _is_long(server: Server) -> bool:
    """Return whether the list of tools has more than `SHORT_LIST` bytes, or more tools than one of
    the known clients takes, or is searched by meaning (`search-model`).
    """
    if "search-model" in server.parts or overfull_clients(server):
        return True
    return sum(map(size, server.tools)) > SHORT_LIST


def understand(
    config: Config, problems: Problems, *, lock: Lock | None = None
) -> tuple[Document, Server]:
    """Return the document and the server of `run`, without the lock."""
    result = run(config, problems, lock=lock)
    return result.document, result.server


def generate(
    config: Config, problems: Problems, *, lock: Lock | None = None, files: tuple[str, ...] = ()
) -> tuple[Document, Server, dict[str, str]]:
    """Run the stages up to `render`; nothing is written. Returns document, server, and path → text.
    `files` are the groups of files on request.
    """
    document, server = understand(config, problems, lock=lock)
    server = replace(server, files=files)
    return document, server, render(server)
