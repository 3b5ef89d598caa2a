"""Interface of the tools that a server lists with `--lazy` or `--code`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ...arguments.checker import BadArguments, Checker
from ...package import Entry
from ...results.content import Context, failure

Run = Callable[[Entry, dict[str, Any] | None, Context], Awaitable[dict[str, Any]]]
"""Runs a tool of the catalog for the caller of the request, checked like a direct call."""


class Front:
    """Tools listed instead of those of the catalog; calls of the latter go through them."""

    tools: list[dict[str, Any]]
    """Their Tool objects."""

    def instructions(self, text: str) -> str:
        """Return `text`, the server's instructions, with how to use these tools."""
        raise NotImplementedError

    async def call(
        self, name: str, arguments: dict[str, Any], context: Context, run: Run
    ) -> dict[str, Any]:
        """Call the tool `name` of these with checked arguments; return the result as JSON."""
        raise NotImplementedError

    def settings(self, settings: Any) -> Any:
        """Return the settings for calls made through these tools: here the given ones."""
        return settings

    async def aclose(self) -> None:
        """End what these tools started: here nothing."""

    async def run(
        self, run: Run, entry: Entry, arguments: dict[str, Any] | None, context: Context
    ) -> dict[str, Any]:
        """Check the arguments, then `call` the tool; bad arguments give a result with an error."""
        if entry.prepared is None:
            entry.prepared = Checker(entry.name, entry.tool["inputSchema"])
        try:
            checked, _ = entry.prepared.checked(arguments)
        except BadArguments as error:
            from ...record import (
                current,
            )  # late: mcpgen reads the lists of fronts without OpenTelemetry

            current().fail("invalid_arguments", str(error)[:500])
            return failure(str(error))
        return await self.call(entry.name, checked, context, run)
