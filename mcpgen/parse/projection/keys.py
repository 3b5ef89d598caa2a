"""Keys of a projected object: names that every client takes, in the order of their importance."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ..naming import digest

KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""A property name that every client takes."""


def safe_key(wire_name: str, used: Collection[str]) -> str:
    """A property key every client takes: the wire name where it is one and not used yet, else a
    readable unique stand-in.
    """
    if KEY.fullmatch(wire_name) and wire_name not in used:
        return wire_name
    stem = re.sub(r"[^a-zA-Z0-9_.-]+", "_", wire_name).strip("_")[:50] or "key"
    key = stem
    if len(wire_name) > 64:
        key = f"{stem}_{digest(wire_name)}"
    attempt = 0
    while key in used:
        suffix = f"#{attempt}" if attempt else ""
        key = f"{stem}_{digest(wire_name + suffix)}"
        attempt += 1
    return key


def in_order(properties: dict[str, Any], required: set[str]) -> list[tuple[str, Any]]:
    """Properties with the required ones first, otherwise in the order of the document."""
    return sorted(properties.items(), key=lambda item: item[0] not in required)
