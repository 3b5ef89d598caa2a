"""Arguments of calls of the user's functions, for type checkers.

`tests/signatures_<toolset>.py` calls each function as the server does, and is read only by type
checkers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, overload

from ..results.content import Context
from .api import Api

P = ParamSpec("P")


@overload
def arguments(function: Callable[Concatenate[Api, Context, P], object]) -> Callable[P, object]: ...
@overload
def arguments(function: Callable[Concatenate[Context, Api, P], object]) -> Callable[P, object]: ...
@overload
def arguments(function: Callable[Concatenate[Api, P], object]) -> Callable[P, object]: ...
@overload
def arguments(function: Callable[Concatenate[Context, P], object]) -> Callable[P, object]: ...
@overload
def arguments(function: Callable[P, object]) -> Callable[P, object]: ...
def arguments(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function, typed without the parameters the server gives: `api`, `context`."""
    return function
