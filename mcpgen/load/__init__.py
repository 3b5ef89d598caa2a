"""A path, a URL or standard input → Document."""

from __future__ import annotations

from .document import Document, UnresolvedReference
from .fetch import Progress, silent
from .limits import Limits
from .source import Source
from .stage import load

__all__ = ["Document", "Limits", "Progress", "Source", "UnresolvedReference", "load", "silent"]
