"""Arazzo documents whose workflows become tools. Each is embedded in the tree of its API's
document.
"""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..problems import DocumentError
from ..runtime.pointer import escape, split
from ..text import visible
from .beside import Read
from .document import FILES, Document
from .source import is_url
from .text import SourceText
from .values import as_list, as_object, as_text, objects_in

VERSIONS = ("1.0.", "1.1.")


def apis(read: Read, folder: Path | None) -> list[str]:
    """Return the files of the APIs that an Arazzo document names; empty unless all are files in its
    own folder, or below `folder`. Raises DocumentError (E1540) for a source without its `url`.
    """
    source, text, tree = read
    if source.path is None:
        return []
    urls = list(_urls(text, tree))
    if any(map(is_url, urls)):
        return []
    home = Path(os.path.realpath(source.path)).parent
    paths = [Path(os.path.realpath(home / urllib.parse.unquote(url))) for url in urls]
    root = Path(os.path.realpath(folder or home))
    is_near = all(path.is_relative_to(root) for path in paths)
    return list(map(os.path.relpath, paths)) if is_near else []


def _urls(text: SourceText, tree: dict[str, Any]) -> Iterator[str]:
    """Yield the URLs of the OpenAPI documents among the sources of an Arazzo document. Raises
    DocumentError (E1540).
    """
    for index, node in enumerate(map(as_object, as_list(tree.get("sourceDescriptions")))):
        if node.get("type", "openapi") != "openapi":
            continue
        url = as_text(node.get("url")).replace("%00", "").replace("\0", "")
        if not url:
            from .places import finder  # late: most documents have no problems

            name = visible(as_text(node.get("name")))[:80] or index + 1
            pointer = f"/sourceDescriptions/{index}"
            place = text.place(*finder(text).find(split(pointer)), pointer)
            message, hint = f"the source `{name}` has no `url`", "write `url: ./openapi.yaml`"
            raise DocumentError.of("E1540", message, hint, pointer=pointer, place=place)
        yield url


def embed(document: Document, text: SourceText, tree: Any) -> None:
    """Embed one Arazzo document in the tree as `workflows:N`. Raises DocumentError (E1540) for a
    file that is none.
    """
    # Not the path: the document is the same wherever mcpgen is started
    file = f"workflows:{len(document.workflows) + 1}"
    document.files[file] = text
    home = f"/{FILES}/{escape(file)}"

    def refuse(message: str, at: str, hint: str) -> DocumentError:
        pointer = home + at
        place = document.place(pointer)
        return DocumentError.of("E1540", message, hint, pointer=pointer, place=place)

    if type(as_object(tree).get("arazzo")) is not str:
        hint = "it begins with `arazzo: 1.0.1`, `info:` and `sourceDescriptions:`"
        raise refuse("this is not an Arazzo document", "", hint)
    version = tree["arazzo"]
    if not version.startswith(VERSIONS):
        message = f"`arazzo: {version[:20]}` is not supported"
        raise refuse(message, "/arazzo", "supported: 1.0 and 1.1")
    if type(tree.get("workflows")) is not list:
        raise refuse("`workflows` must be a list", "/workflows", "each has a `workflowId`")
    for schema in _schemas(tree):
        _make_local(schema, home)
    document.root.setdefault(FILES, {})[file] = tree
    document.workflows.append(file)


def _schemas(tree: dict[str, Any]) -> Iterator[Any]:
    """Yield the places of JSON Schemas: the `inputs` of each workflow, None without any, and of the
    components.
    """
    yield from (each.get("inputs") for each in as_list(tree["workflows"]) if type(each) is dict)
    components = tree.get("components")
    if type(components) is dict:
        yield components.get("inputs")


def _make_local(schema: Any, home: str) -> None:
    """Prefix the local references of a schema, in place, with the pointer of the embedded file."""
    for node in objects_in(schema):
        ref = as_text(node.get("$ref"))
        if ref.startswith("#/"):
            node["$ref"] = f"#{home}{ref[1:]}"
