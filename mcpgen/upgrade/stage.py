"""The stage `upgrade`: version by version (here 3.0, and extensions that became or imitate a part
of 3.1), then one walk over everything with the rules for schemas.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeAlias

from ..load.document import Document, UnresolvedReference
from ..load.values import as_object, objects_in, picked, without
from ..problems import Problems
from ..runtime.pointer import escape
from ..text import shares
from .schema import SchemaUpgrade
from .walk import At, Kind, definition_roots, pointer, walk

Prefix: TypeAlias = tuple[str, str]
"""Prefix of references → its replacement."""
Found: TypeAlias = list[tuple[Kind, dict[str, Any], At]]
"""Objects: kind, object, place."""

VERSION = "3.1.0"
"""Version of every document after `upgrade`; `Document.version` is the author's."""
EXAMPLES = {"example", "examples"}
SHOWN = {"parameter", "request_body", "response"}
"""Kinds of objects whose examples show values of schemas that a call may send."""
INLINED = {"operation", "media_type"}
"""Kinds of objects whose target is always taken in: documents have operations in files of their
own, and OpenAPI 3.2 media types among the components.
"""
OF_A_PATH = {"$ref", "summary", "description"}
"""Keys of a path item with which its reference stays one: two paths may share it."""
STYLES = ("style", "explode", "allowReserved")


def upgrade(document: Document, problems: Problems) -> Document:
    """Bring the document into the shape of OpenAPI 3.1, in place.

    Odd shapes are left as they are for `parse` to report. Additions of OpenAPI 3.2 stay.
    """
    if any(definition_roots(document)):
        from . import tool_lists  # late: few documents hold definitions

        tool_lists.convert(document)
        tool_lists.remove_later_keywords(document)
    sections: list[Prefix] = []
    if document.version.startswith("2"):
        from . import swagger2  # late: few documents are that old

        swagger2.convert(document, problems)
        sections = [(f"#{old}/", f"#{new}/") for old, new in swagger2.SECTIONS.items()]
    if document.describes_api:
        _upgrade_root(document)
    rules = SchemaUpgrade(document, problems)
    references: list[tuple[dict[str, Any], str]] = []
    shown: Found = []
    inlined: Found = []
    for kind, node, at in _told(document):
        if "$ref" in node:
            _rewrite(node, "$ref", sections)
            references.append((node, "$ref"))
            inlined += [(kind, node, at)] * _is_inlined(kind, node, at, modern=rules.modern)
        shown += [(kind, node, at)] * (kind in SHOWN)
        if kind == "media_type":
            _upgrade_media_type(document, node, pointer(at))
        if kind == "schema":
            rules(node, at)
            mapping = as_object(as_object(node.get("discriminator")).get("mapping"))
            for name in mapping:
                _rewrite(mapping, name, sections)
                references.append((mapping, name))
    _follow_renamed(references, rules.renamed)
    document.forget()
    for each in inlined:
        _inline(document, *each)
    _compare_examples(document, rules, shown)
    put_in_order(document)
    document.forget()
    return document


def _told(document: Document) -> Iterator[tuple[Kind, dict[str, Any], At]]:
    """Yield what `walk` yields, and tell the document's progress by its paths."""
    paths = as_object(document.root.get("paths"))
    places = {*map(id, paths.values())}
    told = shares(paths, document.tell, "upgrading the document")
    for kind, node, at in walk(document):
        if id(node) in places:
            next(told, None)
        yield kind, node, at


def _compare_examples(document: Document, rules: SchemaUpgrade, shown: Found) -> None:
    """Drop patterns that examples of parameters, request bodies and responses do not match;
    examples of responses count only for schemas also used in requests.
    """
    document.forget()
    sent: set[int] = set()
    for kind, node, at in shown:
        holders = {"": node}
        if kind != "parameter":
            content = as_object(node.get("content"))
            holders = {f"/content/{escape(key)}": as_object(content[key]) for key in content}
        for key, holder in holders.items():
            if EXAMPLES.isdisjoint(holder):
                continue
            with suppress(UnresolvedReference):
                for failed in rules.failed_around(holder, pointer(at) + key, document.deref):
                    if kind == "response":
                        sent = sent or _sent(document, shown)
                    if kind != "response" or id(failed[0]) in sent:
                        rules.drop_failed(*failed)


def _sent(document: Document, shown: Found) -> set[int]:
    """Return the `id()` of every object that parameters and request bodies hold or refer to."""
    pending: list[Any] = [node for kind, node, _ in shown if kind != "response"]
    seen: set[int] = set()
    followed: set[str] = set()
    for each in pending:
        for node in objects_in(each, seen):
            ref = str(node.get("$ref", ""))
            if ref and ref not in followed:
                followed.add(ref)
                with suppress(UnresolvedReference):
                    pending.append(document.deref(node, "")[0])
    return seen


def _follow_renamed(
    references: list[tuple[dict[str, Any], str]], renamed: list[tuple[str, str]]
) -> None:
    """Point references (holder, key) into renamed keywords (old, new pointer) to their new
    names.
    """
    prefixes = [(f"#{old}/", f"#{new}/") for old, new in renamed]
    if not prefixes:
        return
    for holder, key in references:
        for prefix in prefixes:
            _rewrite(holder, key, [prefix])


def put_in_order(document: Document) -> None:
    """Sort the keys of every object of an API's description, in place, as their order means nothing
    in JSON. `document.places` keeps that of properties.

    Definitions of tools are not sorted: models fill in arguments in the order of their author.
    """
    pending: list[Any] = [document.root]
    seen = {id(root) for root, _ in definition_roots(document)}
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        values = node
        if type(node) is dict:
            _keep_places(document, node.get("properties"))
            _sort(node)
            values = node.values()
        pending += [value for value in values if type(value) in (dict, list)]


def _keep_places(document: Document, properties: Any) -> None:
    """Record the places of properties, in the order of their author."""
    if type(properties) is dict:
        for place, schema in enumerate(properties.values()):
            if type(schema) is dict:
                document.places[id(schema)] = (place, schema)


def _sort(node: dict[str, Any]) -> None:
    keys = list(node)
    ordered = sorted(keys)
    if keys == ordered:
        return
    items = [(key, node[key]) for key in ordered]
    node.clear()
    node.update(items)


def _is_inlined(kind: Kind, node: dict[str, Any], at: At, *, modern: bool) -> bool:
    """Return whether an object takes in the target of its `$ref`: an operation or a Media Type
    Object, a path item below `paths` with keys beside the `$ref`, and since 3.1 (`modern`) a
    parameter, body or response with a description of its own.
    """
    if kind == "path_item":
        is_below_paths = pointer(at).rpartition("/")[0] == "/paths"
        return is_below_paths and not node.keys() <= OF_A_PATH
    return kind in INLINED or (modern and kind in SHOWN and "description" in node)


def _inline(document: Document, kind: Kind, node: dict[str, Any], at: At) -> None:
    """Replace the `$ref` of an object, in place, by the keys of its target, and so on while the
    target has a `$ref`. The keys beside the `$ref` win; of a Reference Object only the description
    counts (OpenAPI 3.1 §4.8.23). A dangling or circular `$ref` stays.
    """
    here = pointer(at)
    for _ in range(document.limits.hops):
        ref = node.get("$ref")
        if type(ref) is not str:
            return
        try:
            document.resolve(ref)  # a circle stays as it is
            target, written = document.resolve_one(ref)
        except UnresolvedReference:
            return
        if type(target) is not dict:
            return
        own = picked(node, ["description"]) if kind in SHOWN else without(node, ["$ref"])
        taken = without(target, own)
        tails = [""]
        if own:
            tails = [f"/{escape(key)}" for key in taken]
        document.moved += [(here + tail, written + tail) for tail in tails]
        node.clear()
        node.update(taken | own)


def _rewrite(holder: dict[str, Any], key: str, prefixes: list[Prefix]) -> None:
    """Replace the beginning of the reference `holder[key]` by the first prefix that fits, in
    place.
    """
    ref = holder.get(key)
    if type(ref) is not str:
        return
    for old, new in prefixes:
        if ref.startswith(old):
            holder[key] = new + ref[len(old) :]
            return


def _upgrade_root(document: Document) -> None:
    """Bring the root up to date in place: `openapi`, `x-webhooks`, Azure's `x-ms-paths`."""
    root, moved = document.root, document.moved
    root["openapi"] = VERSION
    if "x-webhooks" in root and "webhooks" not in root:
        root["webhooks"] = root.pop("x-webhooks")
        moved.append(("/webhooks", "/x-webhooks"))
    # Azure: paths that differ in their query only.
    azure_paths = as_object(root.get("x-ms-paths"))
    paths = root.get("paths")
    if not isinstance(paths, dict):
        return
    for path in list(azure_paths):
        if path not in paths:
            paths[path] = azure_paths.pop(path)
            token = escape(path)
            moved.append((f"/paths/{token}", f"/x-ms-paths/{token}"))


def _upgrade_media_type(document: Document, node: dict[str, Any], pointer: str) -> None:
    """Drop the `STYLES` of the fields of a multipart body of OpenAPI 3.0 (`pointer`: its place):
    before 3.1 they are for forms alone (3.0.4 section 4.7.15.1).
    """
    if not document.version.startswith("3.0"):
        return
    if "/multipart~1" not in pointer.lower():
        return
    for encoding in as_object(node.get("encoding")).values():
        for key in STYLES:
            as_object(encoding).pop(key, None)
