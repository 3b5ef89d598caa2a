"""Call tools from the function of another tool."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...catalog import Catalog
from ...package import Entry
from ...record import recorded
from ...results.content import Context, ToolError

if TYPE_CHECKING:
    from ...app import App


async def call(app: App, name: str, arguments: dict[str, Any], context: Context) -> Any:
    """Call a tool's function for the function of another tool, and return its value: the call is
    refused (ToolError), checked, guarded and recorded like any other. Raises the errors of these.
    """
    entry = _anywhere(app, name)
    if entry is None:
        raise ToolError(f"there is no tool `{name}` on this server")
    with recorded(entry.name, context.sender) as record:
        record.writes, record.arguments = not entry.read_only, arguments
        reason = app.reason_to_refuse(entry, context, inside=True)
        if reason:
            record.fail("refused", reason)
            raise ToolError(reason)
        reason = await app.quota.tool_refusal(entry.name)
        if reason:
            record.fail("limited", reason)
            raise ToolError(reason)
        _, value = await app.runner.value(entry, arguments, context)
    return value


def only_reads(app: App, name: str) -> bool:
    """Return whether a tool, of any toolset, says that it changes nothing; false if unknown."""
    entry = _anywhere(app, name)
    return entry is not None and entry.read_only


def _anywhere(app: App, name: str) -> Entry | None:
    """Return a tool of the server, or else of any toolset; None if there is none."""
    return app.catalog.find(name) or _every(app.catalog).find(name)


@lru_cache(maxsize=1)
def _every(catalog: Catalog) -> Catalog:
    """Return the catalog of all toolsets, read once."""
    return catalog.whole()
