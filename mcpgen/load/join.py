"""Several API descriptions as one document: the paths of the others join those of the first.

Every operation keeps its server, its credentials and its place: references of the other documents
lead into their files, and the log of moves says where each path was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..problems import Problems, UsageError
from ..runtime.facts.http import PATH_ITEM
from ..runtime.facts.pointer import escape
from .document import FILES, Document
from .text import SourceText
from .values import as_list, as_object, objects_in, texts_in

_VERSION = re.compile(r"3\.\d+")


def join(
    document: Document, text: SourceText, tree: dict[str, Any], file: str, problems: Problems
) -> None:
    """Let the operations of another API description join a document, in place.

    `file` is the path of the other one as a reference of the first would name it. Raises UsageError
    where the versions of OpenAPI differ.
    """
    root = document.root
    versions = [_VERSION.match(str(each.get("openapi"))) for each in (root, tree)]
    if versions[0] is None or versions[1] is None or versions[0][0] != versions[1][0]:
        raise UsageError.of(
            "E0127",
            f"`{text.name}` has another version of OpenAPI than `{document.source.name}`",
            "several documents of one server need the same version, 3.0 or 3.1",
            file=text.name,
        )
    names = _join_schemes(root, tree)
    for holder, key in _references(tree):
        if holder[key].startswith("#"):
            holder[key] = file + holder[key]
    home = f"joined:{text.name}"
    document.files[home] = text
    paths = root.setdefault("paths", {})
    for path, item in as_object(tree.get("paths")).items():
        pointer = f"/paths/{escape(path)}"
        written = f"/{FILES}/{escape(home)}{pointer}"
        if path in paths:
            message = f"two documents describe `{path[:80]}`: that of `{text.name}` is left out"
            problems.warn("E0140", message, pointer=written, place=document.place(written))
            continue
        paths[path] = _complete(item, root, tree, names)
        document.moved.append((pointer, written))
    tags = as_list(tree.get("tags"))
    if tags:
        root["tags"] = [*as_list(root.get("tags")), *tags]


def _complete(item: Any, root: dict[str, Any], tree: dict[str, Any], names: dict[str, str]) -> Any:
    """A path with what holds for the whole of its document: its servers and its credentials."""
    if not isinstance(item, dict) or "$ref" in item:
        return item
    if "servers" in tree:
        item.setdefault("servers", tree["servers"])
    for method in PATH_ITEM:
        operation = item.get(method)
        if not isinstance(operation, dict):
            continue
        if "security" in tree or "security" in root:
            operation.setdefault("security", tree.get("security", []))
        if "security" in operation:
            operation["security"] = _renamed(operation["security"], names)
    return item


def _renamed(security: Any, names: dict[str, str]) -> Any:
    """Requirements of credentials under the names that these have in the joined document."""
    if not isinstance(security, list):
        return security
    return [
        {names.get(name, name): scopes for name, scopes in as_object(one).items()}
        for one in security
    ]


def _join_schemes(root: dict[str, Any], tree: dict[str, Any]) -> dict[str, str]:
    """Add the other document's credentials. Returns the new names of those whose names are taken
    by another credential.
    """
    theirs = as_object(as_object(tree.get("components")).get("securitySchemes"))
    names: dict[str, str] = {}
    if not theirs:
        return names
    ours = root.setdefault("components", {}).setdefault("securitySchemes", {})
    for name, scheme in theirs.items():
        new = name
        number = 2
        while new in ours and ours[new] != scheme:
            new = f"{name}{number}"
            number += 1
        ours[new] = scheme
        names[name] = new
    return names


def _references(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every text that refers to another place: the holder and its key."""
    for current in objects_in(node):
        if isinstance(current.get("$ref"), str):
            yield current, "$ref"
        mapping = as_object(as_object(current.get("discriminator")).get("mapping"))
        for name in mapping:
            if texts_in([mapping[name]]):
                yield mapping, name
