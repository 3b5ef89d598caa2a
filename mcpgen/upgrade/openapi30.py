"""OpenAPI 3.0 → 3.1, and extensions that became part of the specification or stand for a part of
it.
"""

from __future__ import annotations

from typing import Any

from ..load.document import Document
from ..text import escape_token

VERSION = "3.1.0"
"""What every document says after `upgrade`; `Document.version` is what its author wrote."""


def convert(document: Document) -> None:
    """The root of the document."""
    root, moved = document.root, document.moved
    root["openapi"] = VERSION
    if "x-webhooks" in root and "webhooks" not in root:
        root["webhooks"] = root.pop("x-webhooks")
        moved.append(("/webhooks", "/x-webhooks"))
    more: Any = root.get("x-ms-paths")
    paths: Any = root.get("paths")
    if type(more) is dict and type(paths) is dict:
        # Azure: paths that differ in their query only.
        for path in list(more):
            if path not in paths:
                paths[path] = more.pop(path)
                moved.append((f"/paths/{escape_token(path)}", f"/x-ms-paths/{escape_token(path)}"))
