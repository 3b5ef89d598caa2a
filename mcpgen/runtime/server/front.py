"""What a server lists in place of all its tools: the tools of `--lazy`, or those of `--code`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ..package import Package
from ..results.content import Context
from ..settings import Settings
from .catalog import Catalog, Entry, StartError
from .quota import Quota

Run = Callable[[Entry, dict[str, Any] | None, Context], Awaitable[dict[str, Any]]]
"""Runs a tool of the catalog for the caller of the request, checked like a direct call."""


class Front(Protocol):
    """A few tools through which all others are found and called."""

    tools: list[dict[str, Any]]
    """Their Tool objects."""

    def instructions(self, text: str) -> str:
        """The server's instructions with what is said about these tools."""

    def settings(self, settings: Settings) -> Settings:
        """The settings for the calls that are made through them."""

    async def call(
        self, name: str, arguments: dict[str, Any], context: Context, run: Run
    ) -> dict[str, Any]:
        """The result of one of them as JSON; its arguments have been checked."""

    async def aclose(self) -> None:
        """End what they started."""


def lazy_front(package: Package, catalog: Catalog) -> Front:
    """The tools of `--lazy`. Raises StartError where the server was generated without them."""
    if not package.has("runtime/search/lazy"):
        raise StartError(
            "this server was generated without a search: take `lazy = false` out of mcpgen.toml"
            " and run `mcpgen generate`"
        )
    front: Front = package.module("runtime.search.lazy").Lazy(package, catalog)
    return front


def code_front(package: Package, catalog: Catalog, settings: Settings, quota: Quota) -> Front:
    """The tools of `--code`. Raises StartError where the server was generated without them, and
    where the sandbox is not installed.
    """
    if not package.has("runtime/code/front"):
        raise StartError(
            "this server was generated without code mode: put `code = true` at the top of"
            " mcpgen.toml and run `mcpgen generate`"
        )
    front: Front = package.module("runtime.code.front").Code(package, catalog, settings, quota)
    return front
