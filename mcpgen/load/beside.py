"""Several files as one document: API descriptions, and definitions of tools beside them.

Each API description gets a root of its own: paths, schemas, tags and credentials of two
descriptions never collide.
"""

from __future__ import annotations

import hashlib
import os
import re
import urllib.parse
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from ..problems import UsageError
from ..runtime.client.settings import VARIABLES
from . import recognise
from .definitions import SOURCES
from .document import FILES, Document, home_of_api
from .methods import PATH_ITEM
from .source import DOCUMENT_ENDINGS, Source, is_project, with_hash
from .text import SourceText
from .values import as_object, objects_in, texts_in

Name = str | os.PathLike[str]
Read = tuple[Source, SourceText, Any]
API_STEMS = ("openapi", "swagger")

LONGEST = 16
"""Characters of an API's name that is made of a file's."""


def expand(names: Sequence[Name]) -> list[Name]:
    """Return the names, each folder of definitions replaced by its JSON and YAML files. Raises
    UsageError (E0127) without any name.
    """
    expanded: list[Name] = []
    for name in names:
        expanded += _documents_in(Path(name)) or [name]
    if not expanded:
        hint = "name one: `mcpgen generate openapi.yaml`"
        raise UsageError.of("E0127", "no document was named", hint, file="mcpgen")
    return expanded


def _documents_in(folder: Path) -> list[Name]:
    """Return the JSON and YAML files directly in a folder, sorted; hidden files are left out.

    Empty for a path that is no folder, and for a folder with an API description or a project.
    """
    if not os.path.isdir(folder) or is_project(folder):
        return []
    documents: list[Name] = []
    for path in sorted(folder.iterdir()):
        if not _is_document(path):
            continue
        if path.stem.lower() in API_STEMS:
            return []
        documents.append(path)
    return documents


def _is_document(path: Path) -> bool:
    if path.name.startswith("."):
        return False
    return path.suffix in DOCUMENT_ENDINGS and path.is_file()


def beside(
    names: Sequence[Name],
    read: Sequence[Read],
    known: Mapping[str, str] = MappingProxyType({}),
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Source, SourceText, dict[str, Any], Path]:
    """Combine several files into a document: return its source, text and root, and the folder they
    share.

    The document is the main API description of the last run (`known`, as `Lock.apis`), else the
    first that was no further API then, else empty. Its root gets references to the files of tool
    definitions, but no other API (see `others`). `renamed`: file → name its API had at the last
    run. Raises UsageError if a name is no file, and DocumentError for a file of another format.
    """
    paths = []
    for name, (source, text, tree) in zip(names, read, strict=True):
        paths.append(_path_of(name, source))
        recognise.tree(text, tree)
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    apis = [entry for entry in read if recognise.describes_api(entry[2])]
    main = _without_name(apis, known, renamed)
    if main is None:
        # The folder itself is the document; nothing is read from this path.
        place = folder / f"{folder.name}.tools"
        source = Source(name=os.path.relpath(folder), kind="path", path=place)
        main = source, SourceText(source.name, "{}"), empty(folder.name) if apis else {}
    source, text, root = main
    assert source.path is not None
    here = Path(os.path.realpath(source.path)).parent
    root[SOURCES] = [
        {"$ref": urllib.parse.quote(Path(os.path.relpath(path, here)).as_posix())}
        for path, (other, _, tree) in zip(paths, read, strict=True)
        if other is not source and not recognise.describes_api(tree)
    ]
    if not root[SOURCES]:
        del root[SOURCES]
    return source, text, root, folder


def _path_of(name: Name, source: Source) -> Path:
    if source.path is None:
        raise UsageError.of(
            "E0127",
            f"`{os.fspath(name)[:80]}` is not a file, and several were named",
            "give files, or one URL alone",
            file="mcpgen",
        )
    return Path(os.path.realpath(source.path))


def others(read: Sequence[Read], root: Any, renamed: Mapping[str, str]) -> dict[str, str]:
    """Return path → name of its API, for each API description but the one whose tree is `root`."""
    paths = [
        os.fspath(source.path)
        for source, _, tree in read
        if source.path is not None and tree is not root and recognise.describes_api(tree)
    ]
    return {path: renamed.get(path) or name_of(PurePath(path)) for path in paths}


def renamed_files(
    read: Sequence[Read], known: Mapping[str, str], operations: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return file → API of the last run (empty text: the main API), for files that were renamed:
    the file's name is no API of the last run, no file has the API's name, and the file has at least
    half of the API's `operations`. A pair is left out if the file has another API too, or the API
    another file.
    """
    files = {os.fspath(source.path): tree for source, _, tree in read if source.path is not None}
    names = {path: {name_of(Path(os.path.realpath(path))), stem_of(path)} for path in files}
    present = set().union(*names.values())
    lost = {api for api in operations if (api or known.get("")) not in present}
    words = {*known, known.get("")}
    new = {path: _operations(files[path]) for path in files if names[path].isdisjoint(words)}
    pairs = [
        (path, api)
        for path, found in new.items()
        for api in lost
        if 2 * len(found.intersection(operations[api])) >= len(operations[api])
    ]
    both = Counter(word for pair in pairs for word in pair)
    return {path: api for path, api in pairs if both[path] == both[api] == 1}


def _operations(tree: Any) -> set[str]:
    """Return `METHOD /path` of each operation in the `paths` of a description."""
    paths = as_object(as_object(tree).get("paths"))
    return {
        f"{method.upper()} {path}"
        for path, item in paths.items()
        for method in as_object(item).keys() & PATH_ITEM
    }


def empty(title: str) -> dict[str, Any]:
    """Return an OpenAPI document with a title and no operations."""
    return {"openapi": "3.1.1", "info": {"title": title, "version": "1"}, "paths": {}}


def is_further(name: Name, known: Mapping[str, str]) -> bool:
    """Return whether a document has the name of a further API of the last run, and not the name of
    the main document.
    """
    api = name_of(PurePath(name))  # nothing, for standard input
    return all([api, api in known, stem_of(os.fspath(name)) != known.get("")])


def _without_name(
    apis: Sequence[Read], known: Mapping[str, str], renamed: Mapping[str, str]
) -> Read | None:
    """Return the API description whose names get no prefix: the main one of the last run (`known`,
    `renamed`: as for `beside`), else the first that was no further API then; None if all were.
    """
    same, further = [], []
    for api in apis:
        path = os.fspath(api[0].path or "")
        if stem_of(path) == known.get("") or renamed.get(path) == "":
            same.append(api)
        if name_of(_path_of(api[0].name, api[0])) in known or renamed.get(path):
            further.append(api)
    both = [api for api in same if api not in further]
    return next(iter([*both, *same, *(api for api in apis if api not in further)]), None)


def named(others: Mapping[str, str], chosen: Mapping[str, str | None]) -> dict[str, str]:
    """Return name → path or URL of each further API, sorted by name.

    `others` is path → name taken from the file; `chosen` is name → path from `mcpgen.toml`, None
    without a path. Raises UsageError:

    * if a file gives no name, or a name that is taken,
    * if a chosen name has no document,
    * if two APIs, or an API and the server, would share an environment variable.
    """
    documents: dict[str, str] = {}
    for path, name in others.items():
        if any((not name, name in documents, chosen.get(name))):
            message = f"`{path[:80]}` cannot be named after its file"
            hint = "give the API a name in `mcpgen.toml`: `[apis.NAME]` with its `path`"
            raise UsageError.of("E0127", message, hint, file=path)
        documents[name] = path
    for name, source in chosen.items():
        if source is not None:
            documents[name] = source
        elif name not in documents:
            hint = "add `path` or `url`"
            raise UsageError.of("E0127", f"`[apis.{name}]` names no document", hint, file=name)
    if not documents:
        return {}
    from ..runtime.client.apis import variables_of

    taken = set(VARIABLES)
    for name, path in sorted(documents.items()):
        for variable in sorted(taken & variables_of(name)):
            message = f"an API cannot be called `{name}`: `{variable}` is another setting already"
            hint = "choose another name: `[apis.NAME]` in `mcpgen.toml` with its `path` or `url`"
            raise UsageError.of("E0127", message, hint, file=path)
        taken |= variables_of(name)
    return dict(sorted(documents.items()))


def stem_of(name: str) -> str:
    """Return a file's name as words, without its ending: `My API.yaml` → `my_api` (as in
    `Lock.apis`).
    """
    return "_".join(re.findall(r"[a-z0-9]+", PurePath(name).stem.lower()))


def name_of(path: PurePath) -> str:
    """Return an API's name, at most `LONGEST` characters: `shop.v2.yaml` → `shop`; for `openapi.*`
    and `swagger.*` from the folder; empty without a letter.
    """
    stem = path.parent.name if path.stem.lower() in API_STEMS else path.stem.partition(".")[0]
    words = re.findall(r"[a-z0-9]+", stem.lower())
    return "_".join(words)[:LONGEST].strip("_").lstrip("0123456789_")


def hold(document: Document, name: str, api: Document) -> None:
    """Attach the unchanged document of a further API to a document, whose hash then covers both."""
    document.apis[name] = api
    both = f"{document.source.sha256} {name} {api.source.sha256}"
    document.source = with_hash(document.source, hashlib.sha256(both.encode()).hexdigest())


def join(document: Document) -> None:
    """Put the upgraded descriptions of all further APIs into the tree of a document, and change
    their references, in place, so that they lead there.
    """
    for name, api in document.apis.items():
        home = home_of_api(name)
        for holder, key in _references(api.root):
            if holder[key].startswith("#"):
                holder[key] = f"#{home}{holder[key][1:]}"
        document.root.setdefault(FILES, {})[home.rpartition("/")[2]] = api.root
    document.forget()


def _references(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (object, key) of each `$ref`, and (mapping, key) of each text in a discriminator
    mapping.
    """
    for current in objects_in(node):
        if isinstance(current.get("$ref"), str):
            yield current, "$ref"
        mapping = as_object(as_object(current.get("discriminator")).get("mapping"))
        for name in mapping:
            if texts_in([mapping[name]]):
                yield mapping, name
