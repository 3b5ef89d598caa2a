"""A path, a URL or standard input → Document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..version import exports

if TYPE_CHECKING:
    from .document import Document, UnresolvedReference
    from .source import Source
    from .stage import load
    from .text import Limits

__all__ = ["Document", "Limits", "Source", "UnresolvedReference", "load"]
__getattr__ = exports(
    __name__,
    {
        "Document": "document",
        "Limits": "text",
        "Source": "source",
        "UnresolvedReference": "document",
        "load": "stage",
    },
)
