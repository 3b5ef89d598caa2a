"""Type the arguments of calls of the user's functions, for type checkers.

`tests/signatures_<toolset>.py` calls each function as the server does, and is read only by type
checkers. A server with an API has `client.signatures` instead of this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, overload

from .results.content import Context

P = ParamSpec("P")


@overload
def arguments(function: Callable[Concatenate[Context, P], object]) -> Callable[P, object]: ...
@overload
def arguments(function: Callable[P, object]) -> Callable[P, object]: ...
def arguments(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function, typed without the parameter that the server fills in (`context`)."""
    return function
