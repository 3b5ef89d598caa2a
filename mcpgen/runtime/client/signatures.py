"""What type checkers are told of the functions that are yours: which arguments they are called
with.

`tests/signatures_<toolset>.py` calls every one of them as the server does, and is read by type
checkers alone.
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
    """The function without the parameters the server fills in (`api`, `context`)."""
    return function
