"""The stage `load`: read, decode, recognise, parse, apply overlays, find the version, gather the
files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..problems import McpgenError, Problems, UsageError
from ..runtime.pointer import escape
from ..text import Progress, silent
from . import files, recognise
from . import workflows as workflows_stage
from .beside import Read, beside, empty, expand, is_further, others, renamed_files
from .definitions import SOURCES, with_draft
from .document import FILES, Document
from .fetch import Certificate, Downloads
from .source import Copies, Source, origin_of, read, source_of, with_hash
from .text import Fault, LimitFault, Limits, SourceText, decode, raised, tell_slips

Name = str | os.PathLike[str]
NO_LESS = Limits()
"""The limits unless others are set."""


def load(
    names: Name | Sequence[Name],
    *,
    overlays: Sequence[Name] = (),
    workflows: Sequence[Name] = (),
    limits: Limits = NO_LESS,
    problems: Problems,
    folder: Path | None = None,
    mapped: Mapping[str, Path] = MappingProxyType({}),
    draft: str | None = None,
    progress: Progress = silent,
    headers: Callable[[], Mapping[str, str]] = dict,
    certificate: Certificate = (None, None),
    copies: Copies | None = None,
    title: str | None = None,
    known: Mapping[str, str] = MappingProxyType({}),
    operations: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Document:
    """Read the document of a name: a path, an http(s) URL, an app (`MODULE:NAME`) or `-`. Overlays
    are applied, and other files embedded, also the Arazzo documents `workflows`.

    Several names, or a folder, make one document too: definitions of tools are added to the main
    API description, that of the last run or else the first; further ones are listed in `others`.

    An Arazzo document alone means the APIs in its `sourceDescriptions`, if all are in its own
    folder, or below `folder`. Without a name the document is empty and has the `title` given, else
    E0127. `known` is `Lock.apis` of the last run, and `operations` has each API's operations then:
    by them an API keeps its name though its file is renamed.

    `draft` is the JSON Schema draft of schemas without `$schema` (a key of `definitions.DRAFTS`).
    `copies` replace missing files. `progress` is told how far a slow download is. `headers` returns
    the headers for the first URL's server, the only server that sees the `certificate`. References
    to other files stay within `folder`, by default the folder of the document. `mapped`: URL prefix
    in references → the folder with their files.

    Raises `DocumentError` (exit code 1) for a document with errors in any of its files,
    `UsageError` (2) or `RefusedError` (3). Warnings and notes go to `problems`.
    """
    copies = copies or Copies()
    copies.limits = limits
    downloads = Downloads(limits, progress, headers, certificate)
    if isinstance(names, (str, os.PathLike)):
        names = [names]
    is_empty = not names and title is not None
    read_one = partial(_read, downloads=downloads, copies=copies, draft=draft)
    files_named, entries, flows = _followed([] if is_empty else expand(names), read_one, folder)
    renamed = _renamed(entries, known, operations, problems)
    is_list = False
    if is_empty:
        source, text = Source(name="mcpgen.toml", kind="path"), SourceText("mcpgen.toml", "{}")
        root = empty(title or "")
    elif any([len(files_named) > 1, is_further(files_named[0], known), *renamed.values()]):
        source, text, root, folder = beside(files_named, entries, known, renamed)
    else:
        source, text, tree = entries.pop()
        root, is_list = recognise.tree(text, tree), type(tree) is list
    document = Document(root=root, version="", source=source, files={"": text}, limits=limits)
    document.tell = progress
    if is_list:
        document.moved.append(("/tools", ""))
    document.others = others(entries, root, renamed)
    texts = [text]
    for name in overlays:
        from . import overlay  # late: JSONPath takes a tenth of a second

        _, overlay_text, overlay_tree = _read(name, downloads, copies)
        overlay.apply(document, overlay_text, overlay_tree, problems)
        texts.append(overlay_text)
    for entry in texts:
        tell_slips(entry, problems)
    document.version = recognise.version(root, document.place, problems)
    has_tools = document.version == "tools"
    if workflows and not document.describes_api:
        message = "the document describes no API, so workflows have nothing to call"
        raise UsageError.of("E1544", message, "give an OpenAPI document", file=source.name)
    if SOURCES in root or any(files.suspicious(each, has_tools=has_tools) for each in texts):
        files.gather(document, problems, downloads, copies, folder, mapped)
    for name in (*flows, *workflows):
        _, workflows_text, workflows_tree = _read(name, downloads, copies)
        workflows_stage.embed(document, workflows_text, workflows_tree)
        tell_slips(workflows_text, problems)
    document.source = with_hash(source, _hash(root))
    document.originals = copies.originals
    document.pages = copies.pages
    return document


def _renamed(
    entries: list[Read],
    known: Mapping[str, str],
    operations: Mapping[str, Collection[str]],
    problems: Problems,
) -> dict[str, str]:
    """Return `renamed_files`, with a note (E0711) for each; empty without `operations`."""
    if not operations:
        return {}
    renamed = renamed_files(entries, known, operations)
    for path, api in renamed.items():
        former = api if api else known[""]
        message = f"`{path}` has the operations of `{former}`, whose names it keeps"
        problems.note("E0711", message)
    return renamed


def _followed(
    names: list[Name], read_one: Callable[[Name], Read], folder: Path | None
) -> tuple[list[Name], list[Read], list[Name]]:
    """Return the files to load, their content, and the Arazzo files. A lone Arazzo document becomes
    such a file, and the APIs in its `sourceDescriptions` are loaded; else there is none.
    """
    entries = [read_one(name) for name in names]
    match entries:
        case [(_, _, {"arazzo": str()}) as only]:
            apis = workflows_stage.apis(only, folder)
            if apis:
                return [*apis], [read_one(name) for name in apis], names
    return names, entries, []


def _read(
    name: Name, downloads: Downloads, copies: Copies, draft: str | None = None
) -> tuple[Source, SourceText, Any]:
    """Return the source, text and tree of a name, or of the document that an HTML page at its URL
    shows.
    """
    source = source_of(os.fspath(name))
    origin = origin_of(os.fspath(name), source)
    raw = copies.read(origin, lambda: read(os.fspath(name), source, downloads, copies))
    recognise.binary(source.name, raw)
    text = decode(source.name, raw)
    if source.url is not None:
        shown = recognise.shown_document(text, os.fspath(name))
        if shown and origin not in copies.pages.values():
            copies.pages[origin] = shown
            del copies.originals[origin]
            return _read(shown, downloads, copies, draft)
    recognise.markup(text)
    try:
        return source, text, with_draft(files.parse_text(text, downloads.limits), draft)
    except LimitFault as fault:
        raise raised(text, fault) from None
    except Fault as fault:
        raise _not_parsed(text, fault) from None


def _not_parsed(text: SourceText, fault: Fault) -> McpgenError:
    """Return the error for a text that cannot be parsed: it may be in another format."""
    if not _begins_like_a_document(text):
        other_format = recognise.language(text)
        if other_format is not None:
            return other_format
    return raised(text, fault)


def _begins_like_a_document(text: SourceText) -> bool:
    """Return whether a text that cannot be parsed is meant to be a document."""
    if text.is_json:
        return True
    start = text.content[:4000]
    return "openapi" in start or "swagger" in start


def _hash(root: dict[str, Any]) -> str:
    """Return the SHA-256 of the tree with sorted keys, in hexadecimal. Names of folders with
    definitions beside a document, which may differ in a clone, are replaced by numbers.
    """
    names: dict[str, str] = {}
    if SOURCES in root and FILES in root:
        for number, name in enumerate(root[FILES]):
            folder, _, file = name.rpartition("/")
            names[name] = f"{number}/{file}" if folder else name
        root = {**root, FILES: {names[name]: tree for name, tree in root[FILES].items()}}
    text = json.dumps(root, sort_keys=True)
    for name, numbered in names.items():
        text = text.replace(_reference(name), _reference(numbered))
    return hashlib.sha256(text.encode()).hexdigest()


def _reference(file: str) -> str:
    """Return the beginning of a reference into an embedded file, as JSON without the last quote."""
    return json.dumps(f"#/{FILES}/{escape(file)}".replace("%", "%25"))[:-1]
