"""Questions to the person at a terminal, for what no option says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def may_ask() -> bool:
    """Return whether a person reads the questions and can answer them."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def or_ask(value: Value | None, question: Callable[[], Value], *, ask: bool) -> Value | None:
    """The value of an option, or the answer to a question where it has none and `ask` lets it."""
    if value is None and ask:
        return question()
    return value
