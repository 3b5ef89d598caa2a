"""The stage `upgrade`: the versions one after the other, then one walk over everything with the
rules for schemas.
"""

from __future__ import annotations

from typing import Any

from ..load.document import Document, UnresolvedReference
from ..problems import Problems
from . import openapi30, swagger2
from .drafts import forget_what_came_later
from .schema import SchemaUpgrade
from .walk import At, pointer, walk


def upgrade(document: Document, problems: Problems) -> Document:
    """The document in the shape of OpenAPI 3.1, changed in place.

    Odd shapes are left as they are for `parse` to report. What OpenAPI 3.2 added stays where it is.
    """
    forget_what_came_later(document)
    if document.version.startswith("2"):
        swagger2.convert(document, problems)
    if document.version not in ("tools", "schema"):
        openapi30.convert(document)
    sections = [(f"#{old}/", f"#{new}/") for old, new in swagger2.SECTIONS.items()]
    old_sections = sections if document.version.startswith("2") else []
    rules = SchemaUpgrade(document, problems)
    references: list[tuple[dict[str, Any], str]] = []
    for kind, node, at in walk(document):
        if "$ref" in node:
            _rewrite(node, "$ref", old_sections)
            references.append((node, "$ref"))
            if kind == "operation":
                _inline(document, node, at)
        if kind == "schema":
            rules(node, at)
            mapping = (
                node["discriminator"].get("mapping")
                if type(node.get("discriminator")) is dict
                else None
            )
            if type(mapping) is dict:
                for name in mapping:
                    _rewrite(mapping, name, old_sections)
                    references.append((mapping, name))
    renamed = [(f"#{old}", f"#{new}") for old, new in rules.renamed]
    if renamed:
        for holder, key in references:
            for old, new in renamed:
                _rewrite(holder, key, [(old + "/", new + "/")])
    put_in_order(document.root)
    document.forget()
    return document


def put_in_order(root: Any) -> None:
    """Sort the keys of every object, in place: the order of keys means nothing in JSON and must
    change nothing here.
    """
    pending = [root]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if type(node) is dict:
            keys = list(node)
            ordered = sorted(keys)
            if keys != ordered:
                items = [(key, node[key]) for key in ordered]
                node.clear()
                node.update(items)
            pending += [
                value for value in node.values() if type(value) is dict or type(value) is list
            ]
        else:
            pending += [value for value in node if type(value) is dict or type(value) is list]


def _inline(document: Document, operation: dict[str, Any], at: At) -> None:
    """An operation in a file of its own: OpenAPI has no reference there, and documents do."""
    try:
        target, written = document.deref(operation, "")
    except UnresolvedReference:
        return
    if type(target) is dict and target is not operation:
        del operation["$ref"]
        document.moved.append((pointer(at), written))
        operation.update({key: value for key, value in target.items() if key not in operation})


def _rewrite(holder: dict[str, Any], key: str, prefixes: list[tuple[str, str]]) -> None:
    """Replace the beginning of a reference."""
    ref = holder.get(key)
    if type(ref) is str:
        for old, new in prefixes:
            if ref.startswith(old):
                holder[key] = new + ref[len(old) :]
                return
