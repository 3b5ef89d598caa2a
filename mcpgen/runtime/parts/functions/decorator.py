"""Decorator `@tool`, which marks a function in `custom/` as a tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__mcp_tool__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of `@tool` for a function; an empty text falls back to the function's own.

    The hints are MCP's `ToolAnnotations`, with the same cautious defaults.
    """

    name: str = ""
    title: str = ""
    description: str = ""
    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *,
    name: str = "",
    title: str = "",
    description: str = "",
    read_only: bool = False,
    destructive: bool = True,
    idempotent: bool = False,
    open_world: bool = True,
) -> Callable[[F], F]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Mark a function as a tool and return it unchanged; `options` are the fields of `Options`.

    Its contract comes from its signature, its annotations, its docstring and its return type.
    Raises TypeError for anything but a function, and for an unknown option.
    """
    made = Options(**options)

    def mark(function: F) -> F:
        if not inspect.isroutine(function):
            raise TypeError(f"`@tool` belongs on a function, not on {function!r}")
        setattr(function, _MARK, made)
        return function

    if function is None:
        return mark
    return mark(function)


def options_of(value: Any) -> Options | None:
    """Return the options of `@tool` for a value of a module; None if it is not a tool."""
    if not inspect.isroutine(value):
        return None
    options = getattr(value, _MARK, None)
    return options if isinstance(options, Options) else None
