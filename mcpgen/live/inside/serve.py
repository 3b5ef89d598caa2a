"""Serve a package and load it again when its `.py` and `.json` files outside `runtime` change, for
`mcpgen serve --watch`. The old package stays if the new one cannot start.

Running calls finish with their old code. Clients hear of a new list: those of the handshake era by
a notification on stdio, those of 2026-07-28 on their `subscriptions/listen` stream.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import sys
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp.types as types
from mcp.server.lowlevel import NotificationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

if TYPE_CHECKING:
    from mcpgen.runtime.app import App as Base
else:
    Base = object

INTERVAL = 0.3
"""Seconds between two looks at the files."""
PENDING = "mcpgen.lock.new"
"""A file in the project while a run is writing."""

KEPT = ("server", "refusal", "pages", "_api")
"""Attributes of an application that outlive its reload."""

STILL_OPEN = 4
"""Applications whose running calls may still end."""

Fingerprint = tuple[tuple[str, int, int], ...]


def main(package: str, arguments: list[str]) -> int:
    """Serve until the client leaves; return the exit code of the server."""
    sys.dont_write_bytecode = True  # a file that changes twice in a second is read twice
    runtime: Any = importlib.import_module(importlib.import_module(package).App.__module__)
    runtime.LIST_TTL_MS = 0
    facts = {"plain": runtime.App, "http": "--http" in arguments}
    facts["runtime"] = runtime.__package__
    runtime.App = type("LiveApp", (Live, runtime.App), facts)
    command = importlib.import_module(".command", runtime.__package__)
    return int(command.main(package, arguments))


class Live(Base):
    """An application that loads itself again; mixed into the package's own class (`plain`) of the
    package `runtime`.
    """

    plain: Any
    runtime: str
    http: bool

    def __init__(self, package: str, **options: Any) -> None:
        self.package, self.options = package, options
        self.bus = InMemorySubscriptionBus()
        self.sessions: weakref.WeakSet[Any] = weakref.WeakSet()
        # The session of a client on stdio, which nothing else holds between its requests
        self.latest: Any = None
        # Applications after the first: running calls use the HTTP side of theirs
        self.loaded: list[Any] = []
        super().__init__(package, **options)

    def _build(self, facts: dict[str, Any]) -> Any:
        server: Any = super()._build(facts)
        server.add_request_handler(
            "subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(self.bus)
        )
        # Over HTTP nothing leads to a client of the handshake era between its requests
        changes = NotificationOptions(tools_changed=not self.http)
        server.create_initialization_options = functools.partial(
            server.create_initialization_options, changes
        )
        return server

    def api(self) -> Any:
        return self.loaded[-1].api() if self.loaded else super().api()

    async def _around(self, spans: Any, ctx: Any, call_next: Any) -> Any:
        self.sessions.add(ctx.session)
        self.latest = ctx.session
        return await super()._around(spans, ctx, call_next)

    @asynccontextmanager
    async def _lifespan(self, server: Any) -> AsyncIterator[dict[str, Any]]:
        watcher = asyncio.create_task(self.watch())
        try:
            async with super()._lifespan(server) as state:
                yield state
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
            await self.close(0)

    async def watch(self) -> None:
        """Load the package again when its files have changed and rest, as long as the server runs:
        an editor empties a file before it writes it.
        """
        folder = self.home.folder
        loaded = seen = fingerprint(folder)
        while True:
            await asyncio.sleep(INTERVAL)
            before, seen = seen, fingerprint(folder)
            if seen == loaded or seen != before or is_being_written(folder):
                continue
            loaded = seen
            if self.reload():
                await self.close(STILL_OPEN)
                await self.announce()

    async def close(self, kept: int) -> None:
        """Close the connections of the applications that were loaded, except the last `kept`."""
        while len(self.loaded) > kept:
            async with self.loaded.pop(0)._lifespan(self.server):
                """Closes them where it ends."""

    def reload(self) -> bool:
        """Take over what a new application reads; return whether it could start: else nothing
        changes.
        """
        forget(self.package)
        try:
            facts = self.home.facts()
            settings = importlib.import_module(".settings", self.runtime)
            options = {**self.options, "settings": settings.read(facts, http=self.http)}
            fresh = self.plain(self.package, **options)
        except Exception as error:
            print(f"not loaded again: {error}", file=sys.stderr)
            return False
        self.loaded.append(fresh)
        self.__dict__ |= {key: vars(fresh)[key] for key in vars(fresh) if key not in KEPT}
        count = len(self.catalog.listed)
        print(f"loaded again: {count} tool{'s' * (count != 1)}", file=sys.stderr)
        return True

    async def announce(self) -> None:
        """Tell clients that the list has changed."""
        await self.bus.publish(ToolsListChanged())
        for session in list(self.sessions):
            with suppress(Exception):  # a session that has ended hears nothing
                await session.send_tool_list_changed()


def fingerprint(folder: Path) -> Fingerprint:
    """Return (path, time of the last change, size) of the files of a package that may change while
    it is served.
    """
    facts = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.suffix not in (".py", ".json") or name.parts[0] == "runtime":
            continue
        with suppress(OSError):
            state = path.stat()
            facts.append((name.as_posix(), state.st_mtime_ns, state.st_size))
    return tuple(facts)


def is_being_written(folder: Path) -> bool:
    """Return whether a run is writing the project of a package: that is two folders above it, or
    the package itself inside an app.
    """
    return any((project / PENDING).exists() for project in (folder, folder.parents[1]))


def forget(package: str) -> None:
    """Remove the imported modules of a package, except its runtime, from `sys.modules`."""
    importlib.invalidate_caches()
    for name in list(sys.modules):
        if name.startswith(f"{package}.") and not name.startswith(f"{package}.runtime"):
            del sys.modules[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
