"""Serve the tools over Streamable HTTP.

On loopback this needs nothing. On any other address the server starts only when it knows the names
it is called by (`--allowed-host`) and how to know its callers: a token of its own, or an OAuth
authorization server.
"""

from __future__ import annotations

import argparse
import ipaddress
import os
import socket
import sys
from typing import TYPE_CHECKING, Any

from ..log import event
from ..server.catalog import Entry, StartError
from .guard import (
    ENDPOINT,
    GRANTED,
    LOOPBACK_NAMES,
    MAX_BODY_BYTES,
    ASGIApp,
    Authority,
    Guard,
    hosts_of,
)
from .tokens import Issuer, OwnToken

if TYPE_CHECKING:
    from ..app import App
    from ..settings import Settings

_OAUTH = ("HTTP_ISSUER", "HTTP_AUDIENCE", "HTTP_JWKS_URL")


class Scopes:
    """The scopes a call takes: those of every write tool, and those of single tools
    (`delete_book=books:admin`).
    """

    def __init__(self, tools: App, write: str, single: str) -> None:
        self._tools = tools
        self._write = frozenset(write.split())
        self._single: dict[str, frozenset[str]] = {}
        for pair in single.split(","):
            name, equals, scope = pair.strip().partition("=")
            if equals and tools.catalog.find(name) is None:
                raise StartError(
                    f"`..._HTTP_TOOL_SCOPES` names no tool: `{name}`{tools.catalog.near(name)}"
                )
            if equals:
                self._single[name] = frozenset(scope.split())

    def needed(self, name: str) -> frozenset[str]:
        """The scopes a call of the tool of that name takes; none for a name that is not a
        tool's.
        """
        entry = self._tools.catalog.find(name)
        return self.of(entry) if entry is not None else frozenset()

    def of(self, entry: Entry) -> frozenset[str]:
        """The scopes a call of a tool takes."""
        single = self._single.get(entry.name, frozenset())
        return single if entry.read_only else single | self._write

    def refusal(self, entry: Entry, request: Any) -> str:
        """Why the caller of a request may not call a tool, or nothing (no request: stdio, where
        everything goes).
        """
        granted = request.scope.get(GRANTED) if request is not None else None
        missing = self.of(entry) - granted if granted is not None else frozenset()
        if not missing:
            return ""
        return f"`{entry.name}` needs a token with the scopes " + ", ".join(
            f"`{scope}`" for scope in sorted(missing)
        )


def serve(tools: App, options: argparse.Namespace, settings: Settings) -> int:
    """Serve until interrupted. Raises StartError for settings that would be unsafe or cannot
    work.
    """
    import uvicorn

    from .connections import BACKLOG, Limits, protocol

    _check_exposure(options, settings)
    bound = _listen(options.host, options.port)
    host, port = bound.getsockname()[:2]
    app = application(
        tools, settings, host=options.host, port=port, allowed_hosts=options.allowed_host
    )
    if options.allowed_host and authority_of(settings) is None:
        event("warning", "no_authentication", hosts=options.allowed_host)
    print(
        f"Serving MCP at http://{f'[{host}]' if ':' in host else host}:{port}{ENDPOINT}",
        file=sys.stderr,
    )
    limits = Limits(
        settings.http_max_connections,
        settings.http_max_per_address,
        settings.http_head_timeout,
    )
    if limits.total < settings.http_max_connections:
        event(
            "info",
            "connections_limited",
            limit=limits.total,
            reason="this process may open no more files (RLIMIT_NOFILE)",
        )
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=protocol(limits),
        backlog=BACKLOG,
        timeout_keep_alive=settings.http_idle_timeout,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[bound])
    return 0


def application(
    tools: App, settings: Settings, *, host: str, port: int, allowed_hosts: list[str]
) -> ASGIApp:
    """The ASGI application: the SDK's, behind the guard."""
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    authority = authority_of(settings)
    routes = []
    if isinstance(authority, Issuer):
        metadata = authority.metadata()

        async def describe(request: Request) -> Response:
            return JSONResponse(metadata)

        routes.append(Route(authority.metadata_path, describe, methods=["GET"]))
    scopes = Scopes(
        tools, _setting(settings, "HTTP_WRITE_SCOPES"), _setting(settings, "HTTP_TOOL_SCOPES")
    )
    tools.refusal = scopes.refusal
    inner = tools.server.streamable_http_app(
        streamable_http_path=ENDPOINT,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        # The guard checks Host and Origin, more exactly than these settings can say
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=routes,
    )
    names = [*(LOOPBACK_NAMES if _is_loopback(host) else ()), *allowed_hosts]
    try:
        hosts = hosts_of(names)
    except ValueError as error:
        raise StartError(f"--allowed-host: {error}") from error
    origins = {f"http://{name}:{port}" for name in LOOPBACK_NAMES} if _is_loopback(host) else set()
    origins |= {f"https://{name.lower()}" for name in allowed_hosts}
    origins |= {
        origin.strip()
        for origin in _setting(settings, "HTTP_ALLOWED_ORIGINS").split(",")
        if origin.strip()
    }
    return Guard(
        inner,
        hosts=hosts,
        origins=frozenset(origins),
        authority=authority,
        needs=scopes.needed,
        body_seconds=settings.http_body_timeout,
    )


def authority_of(settings: Settings) -> Authority | None:
    """Who knows the callers, from the environment; None when nobody does. Raises StartError for
    half a setting.
    """
    issuer, audience, keys_url = (_setting(settings, name) for name in _OAUTH)
    names = [f"`{settings.variable(name)}`" for name in _OAUTH]
    if any((issuer, audience, keys_url)):
        if settings.http_token:
            raise StartError(
                f"set either `{settings.variable('HTTP_TOKEN')}` or {', '.join(names)}, not both"
            )
        if not all((issuer, audience, keys_url)):
            raise StartError(f"OAuth needs {', '.join(names)} together")
        scopes = frozenset(_setting(settings, "HTTP_SCOPES").split())
        try:
            return Issuer(issuer=issuer, audience=audience, keys_url=keys_url, scopes=scopes)
        except ValueError as error:
            raise StartError(f"OAuth: {error}") from error
    if settings.http_token:
        try:
            return OwnToken(settings.http_token.reveal())
        except ValueError as error:
            raise StartError(f"`{settings.variable('HTTP_TOKEN')}` {error}") from error
    return None


def _check_exposure(options: argparse.Namespace, settings: Settings) -> None:
    """Raises StartError for an address others can reach without a host name and authentication."""
    if _is_loopback(options.host):
        return
    if not options.allowed_host:
        raise StartError(
            f"--host {options.host} is reachable by others: say by which names, with --allowed-host"
        )
    if authority_of(settings) is None:
        raise StartError(
            f"--host {options.host} is reachable by others: set `{settings.variable('HTTP_TOKEN')}`"
            f" to a token of at least 32 characters, or `{settings.variable('HTTP_ISSUER')}` and"
            " its companions for OAuth"
        )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise StartError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _setting(settings: Settings, name: str) -> str:
    return os.environ.get(settings.variable(name), "").strip()
