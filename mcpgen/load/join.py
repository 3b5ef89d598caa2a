"""Several API descriptions in one document, each at a place of its own, so that nothing in them
meets: paths, schemas, tags and credentials of one are those of no other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from ..problems import UsageError
from ..runtime.client.settings import VARIABLES, variables_of
from .beside import API_STEMS
from .document import FILES, Document, home_of_api
from .source import with_hash
from .values import as_object, objects_in, texts_in

LONGEST = 16
"""Characters of an API's name that is made of a file's."""


def named(others: Collection[str], chosen: Mapping[str, str | None]) -> dict[str, str]:
    """Return the documents of further APIs by the names of the APIs: those in `others` are named
    after their files, those in `chosen` by the user. Raises UsageError where two have one name,
    one has no document, and where a setting of one would be the server's or another one's, too.
    """
    documents: dict[str, str] = {}
    for path in others:
        name = name_of(PurePath(path))
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
    taken = set(VARIABLES)
    for name, path in sorted(documents.items()):
        for variable in sorted(taken & variables_of(name)):
            message = f"an API cannot be called `{name}`: `{variable}` is another setting already"
            hint = "choose another name: `[apis.NAME]` in `mcpgen.toml` with its `path` or `url`"
            raise UsageError.of("E0127", message, hint, file=path)
        taken |= variables_of(name)
    return dict(sorted(documents.items()))


def name_of(path: PurePath) -> str:
    """Return the name of an API: that of its file, or of the folder of an `openapi.yaml`."""
    stem = path.parent.name if path.stem.lower() in API_STEMS else path.stem.partition(".")[0]
    words = re.findall(r"[a-z0-9]+", stem.lower())
    return "_".join(words)[:LONGEST].strip("_").lstrip("0123456789_")


def hold(document: Document, name: str, api: Document) -> None:
    """Let a document hold that of another API, as its author wrote it."""
    document.apis[name] = api
    both = f"{document.source.sha256} {name} {api.source.sha256}"
    document.source = with_hash(document.source, hashlib.sha256(both.encode()).hexdigest())


def join(document: Document) -> None:
    """Put the upgraded descriptions of all further APIs into the tree of a document, and let their
    references lead there.
    """
    for name, api in document.apis.items():
        home = home_of_api(name)
        for holder, key in _references(api.root):
            if holder[key].startswith("#"):
                holder[key] = f"#{home}{holder[key][1:]}"
        document.root.setdefault(FILES, {})[home.rpartition("/")[2]] = api.root
    document.forget()


def _references(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every text that refers to another place: the holder and its key."""
    for current in objects_in(node):
        if isinstance(current.get("$ref"), str):
            yield current, "$ref"
        mapping = as_object(as_object(current.get("discriminator")).get("mapping"))
        for name in mapping:
            if texts_in([mapping[name]]):
                yield mapping, name
