"""A path, a URL or standard input → Document."""

from __future__ import annotations

from .document import Document, UnresolvedReference
from .fetch import Progress, silent
from .source import Source
from .stage import load
from .text import Limits

__all__ = ["Document", "Limits", "Progress", "Source", "UnresolvedReference", "load", "silent"]
