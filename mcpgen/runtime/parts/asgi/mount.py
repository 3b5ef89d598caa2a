"""Serve MCP at a path of an ASGI application: `mount` for one whose endpoints are the tools' API,
and `Endpoint` as an application of its own.

The server begins with the first request of an event loop, and ends with the loop, or at the
application's own shutdown.
"""

from __future__ import annotations

import asyncio
import re
from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from starlette.routing import Route

from ...app import App
from ...package import Package, StartError
from ...settings import read
from ...transports.guard import (
    ENDPOINT,
    LOOPBACK_NAMES,
    ASGIApp,
    Message,
    Receive,
    Scope,
    Send,
    header,
)
from ...transports.guard import answer as respond
from ...transports.http import application, is_loopback
from .. import running
from ..http import HttpSettings
from . import CHALLENGE, PLACE, outer, path_of, root_of

METADATA = "/.well-known/oauth-protected-resource"
"""RFC 9728, section 3.1: the path of a resource follows it."""
CHECKING = frozenset({"oauth", "exchange"})
"""The parts that check the callers' tokens themselves."""
ROUTED = frozenset({"app", "endpoint", "path_params", "route", "router"})
"""Entries of a scope that the routing of the application outside made."""
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:]*)(:[0-9]+)?")


class Endpoint:
    """ASGI application that serves the MCP server of a package at a path."""

    def __init__(
        self,
        package: str,
        *,
        path: str = ENDPOINT,
        app: ASGIApp | None = None,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
        authorization_servers: Iterable[str] = (),
        read_only: bool = False,
        toolsets: Iterable[str] = (),
    ) -> None:
        """`app` is the application that the tools call, None for the API at its base URL.

        `allowed_hosts` are the names by which clients reach it, `*` for any; without them, those of
        this machine are wanted on a loopback address, and any elsewhere. `allowed_origins` are the
        pages that may call besides those of its own origin. `authorization_servers` are told to
        callers that are refused (RFC 9728). Raises StartError and SettingsError.
        """
        if not re.fullmatch("(/[A-Za-z0-9._~-]+)+", path):
            raise StartError(f"`{path[:60]}` is not the path of an endpoint, as in `/mcp`")
        self.path = path
        self._hosts = frozenset(name.lower() for name in allowed_hosts)
        self._origins = frozenset(allowed_origins)
        self._servers = tuple(authorization_servers)
        self._inner = app
        self._make = self._maker(package, read_only=read_only, toolsets=tuple(toolsets))
        self._spare = [self._make()]
        """Made now, so that its faults are told now; for the first event loop."""
        self._lives: WeakKeyDictionary[asyncio.AbstractEventLoop, _Life] = WeakKeyDictionary()

    def _maker(self, package: str, **chosen: Any) -> Callable[[], tuple[App, Any]]:
        """Return a function that makes an `App` and its guard, for one event loop."""
        facts = dict(Package.named(package).facts())
        if self._inner is not None:
            facts["base_url"] = facts.get("base_url") or "http://localhost"
        settings = read(facts, http=True)
        own = settings.part(HttpSettings)
        checks = bool(own.http_token) or not CHECKING.isdisjoint(facts.get("parts", ()))
        if self._inner is not None:
            names = settings.forward_headers
            if not checks:
                names = (*names, "Authorization")
            settings = replace(settings, forward_headers=names, inside=True)
        for part in settings.parts:
            part.prepare(settings, stdio=False)
        options = Namespace(host="127.0.0.1", port=0, allowed_host=[], workers=1)

        def make() -> tuple[App, Any]:
            app = App(package, settings=settings, **chosen)
            if self._inner is not None:
                from .in_process import InProcess  # late: a server without an API has no client

                app.sender = InProcess(self._inner, self.path, settings)
            return app, application(app, options, settings)

        return make

    def serves(self, path: str) -> bool:
        """Return whether a path, without root path, is the endpoint's, below it, or metadata."""
        if path.startswith(METADATA):
            return bool(self._servers) and path == f"{METADATA}{self.path}"
        return path == self.path or path.startswith(f"{self.path}/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request (404 for another path, 421 for another host), or a lifespan."""
        if scope["type"] == "lifespan":
            return await self._alone(receive, send)
        path = path_of(scope)
        if scope["type"] != "http" or not self.serves(path):
            return await respond(send, 404, {"error": f"Only `{self.path}` is served here"})
        names = header(scope, b"host")
        host = names[0] if len(names) == 1 else ""
        if path.startswith(METADATA):
            return await self._metadata(scope, host, send)
        if not self._is_allowed(host, scope):
            reason = (
                f"This Host is not allowed; name it in `allowed_hosts` where `{self.path}` is made"
            )
            return await respond(send, 421, {"error": reason})
        inner = {key: value for key, value in scope.items() if key not in ROUTED}
        path = ENDPOINT + path[len(self.path) :]
        inner |= {"path": path, "raw_path": path.encode("utf-8"), "root_path": ""}
        inner["headers"] = [(b"host", b"localhost"), *self._fields(scope, host)]
        inner[PLACE] = host, root_of(scope)
        token = outer.set(inner)
        try:
            life = await self._life()
            await life.guard(inner, receive, self._challenging(inner, _base(scope, host), send))
        finally:
            outer.reset(token)

    async def aclose(self) -> None:
        """End the server of this event loop, if it was started."""
        life = self._lives.pop(asyncio.get_running_loop(), None)
        if life is not None:
            await life.end()

    async def _life(self) -> _Life:
        loop = asyncio.get_running_loop()
        life = self._lives.get(loop)
        if life is None:
            life = self._lives[loop] = _Life(*(self._spare or [self._make()]).pop())
        await life.started()
        return life

    async def _alone(self, receive: Receive, send: Send) -> None:
        """Answer the lifespan protocol of a server, and end at its shutdown."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    def _is_allowed(self, host: str, scope: Scope) -> bool:
        """Return whether a request is for an allowed host; without any, for a loopback name, or at
        an address that is not loopback: a page can give a name of its own to a loopback address.
        """
        match = _HOST.fullmatch(host.lower())
        if match is None:
            return False
        if self._hosts:
            return not self._hosts.isdisjoint({"*", host.lower(), match[1]})
        address = (scope.get("server") or ("",))[0]
        return match[1] in LOOPBACK_NAMES or not is_loopback(str(address))

    def _fields(self, scope: Scope, host: str) -> list[tuple[bytes, bytes]]:
        """Return the header fields for the guard: without the host, and an allowed origin."""
        allowed = {f"http://{host}", f"https://{host}", *self._origins}
        return [
            (name, value)
            for name, value in scope["headers"]
            if name != b"host"
            if name != b"origin" or allowed.isdisjoint({"*", value.decode("latin-1")})
        ]

    def _challenging(self, scope: Scope, base: str, send: Send) -> Send:
        """Return a `send` that refuses a caller whom the application refused: with 401, or 403 for
        a token that lacks a scope (RFC 6750, section 3). Other answers pass unchanged.
        """

        async def challenge(message: Message) -> None:
            if message["type"] == "http.response.start" and CHALLENGE in scope:
                status, field = scope[CHALLENGE]
                if self._servers:
                    place = f'resource_metadata="{base}{METADATA}{self.path}"'
                    field = ", ".join([field or "Bearer", place]).replace("Bearer,", "Bearer", 1)
                if status == 401 or "insufficient_scope" in field:
                    named = (b"www-authenticate", (field or "Bearer").encode("latin-1", "replace"))
                    message = {**message, "status": status, "headers": [*message["headers"], named]}
            await send(message)

        return challenge

    async def _metadata(self, scope: Scope, host: str, send: Send) -> None:
        """Answer with the metadata of this resource (RFC 9728, section 3.2)."""
        resource = f"{_base(scope, host)}{self.path}"
        about = {"resource": resource, "authorization_servers": list(self._servers)}
        await respond(send, 200, about)


class _Life:
    """Server of one event loop, in a task of its own: the SDK's manager of requests ends in the
    task that it began in.
    """

    def __init__(self, app: App, guard: Any) -> None:
        self.guard = guard
        self._app = app
        self._started = asyncio.Event()
        self._end = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    async def started(self) -> None:
        """Wait until requests can be served. Raises the error of a failed start."""
        await self._started.wait()
        if self._task.done():
            self._task.result()

    async def end(self) -> None:
        """End the server, and wait until its task is done."""
        self._end.set()
        await asyncio.wait((self._task,))

    async def _run(self) -> None:
        try:
            with running(self._app, self._app.settings(), "127.0.0.1"):
                async with self._app.server.session_manager.run():
                    self._started.set()
                    await self._end.wait()
        finally:
            self._started.set()


class Mounted:
    """An application behind an MCP endpoint, with the attributes of the application."""

    def __init__(self, app: ASGIApp, endpoint: Endpoint) -> None:
        self._app = app
        self._endpoint = endpoint

    def __getattr__(self, name: str) -> Any:
        return getattr(self._app, name)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the endpoint there, and all else by the application."""
        if scope["type"] == "http" and self._endpoint.serves(path_of(scope)):
            return await self._endpoint(scope, receive, send)
        if scope["type"] == "lifespan":
            return await self._live(scope, receive, send)
        await self._app(scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Follow the lifespan of the application, or that of the endpoint for an application that
        has none and raises (ASGI 3.0, Lifespan Protocol).
        """
        begin = await receive()
        pending, answered = [begin], []

        async def noted() -> Message:
            if pending:
                return pending.pop()
            end = await receive()
            await self._endpoint.aclose()
            return end

        async def answer(message: Message) -> None:
            answered.append(message)
            await send(message)

        try:
            await self._app(scope, noted, answer)
        except Exception:
            if answered:
                raise
        if not answered:
            pending[:] = [begin]
            await self._endpoint(scope, noted, send)


def mount(package: str, app: Any, path: str = ENDPOINT, **options: Any) -> Any:
    """Serve the tools of a package at a path of an ASGI application, whose endpoints they call in
    process. Return the application to serve: if it is Starlette's or FastAPI's, the given
    application with routes added; else a `Mounted` around it. `options` are those of `Endpoint`.
    """
    endpoint = Endpoint(package, path=path, app=app, **options)
    router: Any = getattr(app, "router", None)
    if not hasattr(router, "lifespan_context"):
        return Mounted(app, endpoint)
    places = (path, f"{path}/{{rest:path}}", f"{METADATA}{path}")
    router.routes[:0] = [Route(each, endpoint, include_in_schema=False) for each in places]
    life = router.lifespan_context

    @asynccontextmanager
    async def with_end(of: Any) -> Any:
        async with life(of) as state:
            try:
                yield state
            finally:
                await endpoint.aclose()

    router.lifespan_context = with_end
    return app


def _base(scope: Scope, host: str) -> str:
    """Return the URL under which the caller reaches the application, without a slash at its end."""
    return f"{scope.get('scheme', 'http')}://{host}{root_of(scope)}"
