"""Hooks of our own."""

from typing import Any


def shape(call: Any, data: Any) -> Any:
    """Leave an answer as it is."""
    return data
