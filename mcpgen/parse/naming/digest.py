"""The short hash that tells names apart where no word does."""

from __future__ import annotations

import hashlib


def digest(text: str, length: int = 6) -> str:
    """A short stable hash of `text`: hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
