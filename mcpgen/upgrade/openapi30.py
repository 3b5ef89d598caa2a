"""OpenAPI 3.0 → 3.1, and extensions that became part of the specification or stand for a part of
it.
"""

from __future__ import annotations

from typing import Any

from ..load.document import Document
from ..load.values import as_object
from ..runtime.pointer import escape

VERSION = "3.1.0"
"""Version of every document after `upgrade`; `Document.version` is the author's."""
STYLES = ("style", "explode", "allowReserved")


def convert(document: Document) -> None:
    """The root of the document."""
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


def media_type(document: Document, node: dict[str, Any], pointer: str) -> None:
    """A Media Type Object of OpenAPI 3.0: its fields have styles in a form alone (3.0.4 section
    4.7.15.1), those of a multipart body since 3.1.
    """
    if not document.version.startswith("3.0"):
        return
    if "/multipart~1" not in pointer.lower():
        return
    for encoding in as_object(node.get("encoding")).values():
        for key in STYLES:
            as_object(encoding).pop(key, None)
