"""Names of what has no words of its own: a short hash, and a part of a pointer."""

from __future__ import annotations

import hashlib
import re


def digest(text: str, length: int = 6) -> str:
    """A short stable hash of `text`: hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def definition_name(token: str) -> str:
    """The name of a definition under `$defs`, from the last token of the pointer to its schema."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", token)[:60] or "root"
