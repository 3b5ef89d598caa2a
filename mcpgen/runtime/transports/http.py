"""Serve the tools over Streamable HTTP.

On loopback this needs no setting; any other address needs the server's own host names
(`--allowed-host`) and a way to authenticate callers.

With `--workers` several processes share a port: uvicorn starts them, and replaces dead processes.
There are no sessions; progress and cancellation belong to one connection, and so to one process.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import ipaddress
import json
import math
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .. import limits
from ..arguments import suggest
from ..catalog import Tools
from ..limits import BURST_SECONDS, LATER, Pace, Place, Quota, pace_of, place_of
from ..log import event
from ..package import Entry, StartError
from ..parts import running
from ..parts.http import REFUSAL_SECONDS, HttpSettings, hold
from ..record import figures
from ..results.content import CHOICE
from .guard import (
    ENDPOINT,
    EVERYTHING,
    LOOPBACK_NAMES,
    MAX_BODY_BYTES,
    ASGIApp,
    Authority,
    Browsers,
    Choice,
    Guard,
    OwnToken,
    Receive,
    Scope,
    Send,
    hosts_of,
)

if TYPE_CHECKING:
    from ..app import App
    from ..settings import Settings

TOO_MANY = "You already run {} calls here, which is the limit for each caller"
MOST_CALLERS = 10_000
"""Callers whose own rate is remembered."""

HEAD_BYTES = 64 * 1024

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Protocol

    MAX_HEAD: float = HEAD_BYTES
except ImportError:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol  # type: ignore[assignment]

    MAX_HEAD = math.inf  # h11 has the limit itself


def serve(
    app: App, options: argparse.Namespace, settings: Settings, worker: Callable[[int], ASGIApp]
) -> int:
    """Serve until interrupted, then return 0. Each of several processes calls `worker`, given the
    port, to make its application. Raises StartError for settings that are unsafe or cannot work.
    """
    import uvicorn

    from ..app import GRACE_SECONDS

    own = settings.part(HttpSettings)
    authority = authority_of(app, settings)
    _check_exposure(options, settings, authority)
    bound = _listen(options.host, options.port)
    host, options.port = bound.getsockname()[:2]
    if options.allowed_host and authority is None:
        event("warning", "no_authentication", hosts=options.allowed_host)
    guarded = application(app, options, settings)
    if ":" in host:
        host = f"[{host}]"
    announcement = f"Serving MCP at http://{host}:{options.port}{ENDPOINT}"
    config: dict[str, Any] = {
        "workers": options.workers,
        "http": Connection,
        "ws": "none",
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "backlog": QUEUE,
        "h11_max_incomplete_event_size": HEAD_BYTES,
        "limit_concurrency": own.http_max_connections,
        "timeout_keep_alive": own.http_idle_timeout,
        "timeout_graceful_shutdown": math.ceil(settings.total_timeout + GRACE_SECONDS),
    }
    if options.workers > 1:
        run_processes(partial(worker, options.port), bound, announcement, **config)
        return 0
    # uvicorn sends itself the signal again once it has ended
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    guarded.life = partial(_announced, announcement, guarded.life)
    with running(app, settings, options.host):
        uvicorn.Server(uvicorn.Config(guarded, **config)).run(sockets=[bound])
    return 0


class OnePiece:
    """Transport that joins consecutive writes: uvicorn writes the head and the body of an answer
    separately, and each write wakes the client.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._pieces: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Keep bytes for the event loop's next iteration, which sends all of them at once."""
        if not self._pieces:
            asyncio.get_running_loop().call_soon(self._send)
        self._pieces.append(data)

    def close(self) -> None:
        """Send the bytes kept, then close the transport."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._pieces and not self._transport.is_closing():
            self._transport.write(b"".join(self._pieces))
        self._pieces.clear()


class Connection(Protocol):
    """HTTP connection of uvicorn: telemetry counts it, its writes are joined, its heads bounded."""

    _unread = 0
    """Bytes since the last head or piece of a body."""

    def connection_made(self, transport: Any) -> None:
        """Join the writes of a connection, and let telemetry show the number of connections."""
        super().connection_made(OnePiece(transport))  # type: ignore[arg-type]
        connections, limit = self.connections, self.limit_concurrency or 0
        figures.setdefault("connections", lambda: (len(connections), limit))

    def data_received(self, data: bytes) -> None:
        """Read bytes; answer 400 to a head, or a piece of a body, above `MAX_HEAD` bytes."""
        self._unread += len(data)
        super().data_received(data)
        if self._unread > MAX_HEAD:
            self.send_400_response("The head of the request is too long")

    def on_headers_complete(self) -> None:
        """Serve a request without its trailers: fields after the body are no header fields (RFC
        9110, section 6.5.1), and a proxy that takes fields away does not look for them there.
        """
        self._unread = 0
        super().on_headers_complete()
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of a body; count unread bytes anew."""
        self._unread = 0
        super().on_body(body)


@contextmanager
def _announced(text: str, life: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Enter `life`, then print `text` to stderr: the server takes connections and signals."""
    with life():
        print(text, file=sys.stderr)
        yield


@contextmanager
def _draining(grace: float, drain: Callable[[], None]) -> Iterator[None]:
    """Handle SIGTERM: call `drain`, and end the process `grace` seconds later, when a load balancer
    has had time to notice. A second signal ends it at once. Outside the main thread: do nothing.
    """
    loop = asyncio.get_running_loop()
    end: Any = signal.getsignal(signal.SIGTERM)

    def begin(number: int, frame: Any) -> None:
        drain()
        event("info", "draining", seconds=grace)
        signal.signal(number, end)
        loop.call_soon_threadsafe(loop.call_later, grace, end, number, frame)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, begin)
    yield


def application(app: App, options: argparse.Namespace, settings: Settings) -> Guard:
    """Return the ASGI application: the SDK's, behind the guard. `options.port` is the port listened
    on. Sets quota, page and refusal of `app`. Raises StartError for settings that cannot work.
    """
    from mcp.server.transport_security import TransportSecuritySettings
    from sse_starlette.sse import AppStatus

    from .exchange import Exchange

    own = settings.part(HttpSettings)
    # Else every event stream would break off at SIGTERM, its call unanswered
    AppStatus.enable_automatic_graceful_drain = False
    authority = authority_of(app, settings)
    if authority is not None and "authorization" in map(str.lower, settings.forward_headers):
        raise StartError(
            "`forward_headers` has `Authorization`, and this server checks that field itself:"
            " the token of a caller is for this server alone"
        )
    # The guard checks Host and Origin, more exactly than these settings can say
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    streaming = app.server.streamable_http_app(
        streamable_http_path=ENDPOINT,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=security,
        custom_starlette_routes=[*authority.routes] if authority is not None else [],
    )
    # A proxy may not know the address that a redirect would name
    streaming.router.redirect_slashes = False
    names = list(options.allowed_host)
    origins = {f"https://{name.lower()}" for name in names}
    origins.update(own.http_allowed_origins)
    if is_loopback(options.host):
        names.extend(LOOPBACK_NAMES)
        origins.update(f"http://{name}:{options.port}" for name in LOOPBACK_NAMES)
    front = None
    page = app.home.folder / "catalogue.html"
    if page.is_file():
        front = import_module(".catalogue", __package__).front_page(page)
    try:
        hosts = hosts_of(names)
    except ValueError as error:
        raise StartError(f"--allowed-host: {error}") from error
    connections = Connections(app, own.http_list_bytes, authority)
    guard = Guard(
        app=Exchange(app.server, streaming),
        hosts=hosts,
        browsers=Browsers(frozenset(origins)),
        authority=authority,
        writes=app.catalog.writes,
        unknown=connections.unknown,
        body_seconds=own.http_body_timeout,
        front=front,
    )
    guard.life = partial(_draining, own.http_grace, guard.drain)
    app.refusal, app.page = connections.refusal, connections.page
    app.quota = SharedQuota(settings, app.home.facts().get("rates", {}))
    # The first call would wait for these
    import_module("..arguments.checker", __package__)
    if app.home.facts().get("calls_api") is not False:
        api = app.api().api
        api.prepare()
        guard.fault = import_module("..client.queues", __package__).Readiness(api).fault
    return guard


MOST_CHOICES = 32
"""Choices of connections whose lists are kept."""


class Connections:
    """Lists of tools for connections, each of which may want a part of the tools."""

    def __init__(self, app: App, list_bytes: int, authority: Authority | None) -> None:
        self._app, self._authority = app, authority
        self._limit = list_bytes
        self._pages = lru_cache(maxsize=MOST_CHOICES)(self._pages_of)

    def _pages_of(self, choice: Choice) -> dict[str | None, tuple[Tools, str | None]]:
        find = self._app.entry
        tools = [tool for tool in self._app.listed if choice.takes(find(tool["name"]))]
        return pages_of(tools, self._limit)

    def page(self, request: Any, cursor: str | None) -> tuple[Tools, str | None, bool]:
        """Return the page at a cursor (None: the first), the next cursor (None: no more), and
        whether the connection wants a part of the tools. Raises LookupError for an unknown cursor.
        """
        choice = request.scope.get(CHOICE, EVERYTHING)
        return *self._pages(choice)[cursor], choice != EVERYTHING

    def refusal(self, entry: Entry, request: Any, inside: bool) -> str:
        """Explain why a caller may not call a tool, or return an empty text. With `inside`, another
        tool's function calls the tool, and may call those of every toolset.
        """
        choice: Choice = getattr(request, "scope", {}).get(CHOICE, EVERYTHING)
        if inside:
            choice = replace(choice, pairs=())
        if not choice.takes(entry):
            return f"`{entry.name}` is not among the tools that this connection asks for"
        return "" if self._authority is None else self._authority.refusal(entry, request)

    def unknown(self, choice: Choice) -> str:
        """Explain which toolset or tool of a choice is unknown, or return an empty text."""
        toolsets = self._app.catalog.toolset_of
        known = {"toolset": set(toolsets.values()), "tool": set(toolsets)}
        for pair in choice.pairs:
            for kind, names in zip(known, pair, strict=True):
                for name in sorted(names - known[kind]):
                    hint = suggest(name, sorted(known[kind]))
                    return f"there is no {kind} `{name[:128]}`{hint}"
        return ""


def pages_of(tools: Tools, limit: int) -> dict[str | None, tuple[Tools, str | None]]:
    """Return the pages of a list by cursor, each with the next cursor (the last: None). The cursor
    of the first page is None, of any other the name of its first tool. No page has more than
    `limit` bytes of tools as JSON, unless a single tool has.

    Over HTTP an answer may be one server-sent event, and clients refuse events of more than 1 MiB.
    A list that fits into one page stays whole, because some clients read the first page only; for
    those, `..._HTTP_LIST_BYTES` allows a longer list.
    """
    pages: list[Tools] = [[]]
    room = limit
    for tool in tools:
        size = len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode()) + 1
        if size > room and pages[-1]:
            pages.append([])
            room = limit
        pages[-1].append(tool)
        room -= size
    cursors = [None, *(str(page[0]["name"]) for page in pages[1:]), None]
    return dict(zip(cursors, zip(pages, cursors[1:], strict=True), strict=False))


def authority_of(app: App, settings: Settings) -> Authority | None:
    """Return the authority that authenticates callers: a part's, or else that of the operator's
    token; None without either. Raises StartError for contradictory or incomplete settings.
    """
    for part in settings.parts:
        authority: Authority | None = part.authority and part.authority(app, settings)
        if authority is not None:
            return authority
    own = settings.part(HttpSettings)
    tokens = [each for each in (own.http_token, own.http_other_token) if each]
    if not tokens:
        return None
    try:
        return OwnToken(*(token.reveal() for token in tokens))
    except ValueError as error:
        raise StartError(f"`{settings.variable('HTTP_TOKEN')}` {error}") from error


def _check_exposure(
    options: argparse.Namespace, settings: Settings, authority: Authority | None
) -> None:
    """Raise StartError unless the address is loopback, or has allowed hosts and an authority."""
    if is_loopback(options.host):
        return
    if not options.allowed_host:
        raise StartError(
            f"--host {options.host} is reachable by others: say by which names, with --allowed-host"
        )
    if authority is None:
        raise StartError(
            f"--host {options.host} is reachable by others: set `{settings.variable('HTTP_TOKEN')}`"
            " to a token of at least 32 characters, or let callers log in: `mcpgen add oauth`"
        )


_LISTEN_HINTS = {
    errno.EADDRINUSE: "another program does; choose another port with `--port`",
    errno.EACCES: "not allowed; choose a port above 1023 with `--port`",
    errno.EADDRNOTAVAIL: "this machine has no such address",
}
"""Hints for addresses on which the server cannot listen."""


def _listen(host: str, port: int | str, *, own: bool = False) -> socket.socket:
    try:
        kind, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        both = host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(
            place, family=kind, backlog=QUEUE, dualstack_ipv6=both, reuse_port=own
        )
    except OSError as error:
        hint = _LISTEN_HINTS.get(error.errno or 0, str(error.strerror))
        raise StartError(f"cannot listen on {host}:{port}: {hint}") from error


class _OneForEach:
    """Substitute for a bound socket (closed here): each process that unpickles it binds a socket of
    its own. Linux spreads connections over such sockets, but gives most connections of a shared
    socket to one process.
    """

    def __init__(self, bound: socket.socket) -> None:
        with bound:
            self._place = socket.getnameinfo(bound.getsockname(), NUMERIC)

    def __reduce__(self) -> Any:
        return partial(_listen, *self._place, own=True), ()


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address (also in brackets) or `localhost`."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


NUMERIC = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV
QUEUE = 1024  # connections that the system keeps until they are accepted
START_SECONDS = 60
"""Seconds for a process to start, or to answer its watcher."""


def run_processes(
    application: Callable[[], ASGIApp], bound: socket.socket, announcement: str, **config: Any
) -> None:
    """Run processes until all have ended; print the announcement to stderr once all of them serve.
    `application` is pickled, and called by each process; `config` goes to uvicorn.
    """
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    class Processes(Multiprocess):
        def init_processes(self) -> None:
            super().init_processes()
            if all(process.wait_until_ready(START_SECONDS) for process in self.processes):
                print(announcement, file=sys.stderr)

    config["timeout_worker_healthcheck"] = START_SECONDS
    sockets: list[Any] = [_OneForEach(bound) if sys.platform == "linux" else bound]
    Processes(uvicorn.Config(application, factory=True, **config), sockets).run()


def worker_application(app: App, options: argparse.Namespace, settings: Settings) -> ASGIApp:
    """Return the application of a worker, which runs its parts and ends with its parent process."""
    guarded = application(app, options, settings)

    async def worker(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            return await guarded(scope, receive, send)
        parent = multiprocessing.parent_process()
        if parent is not None:  # killed, it can tell nothing, and the port would stay taken
            threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
        try:
            with running(app, settings, options.host):
                await guarded(scope, receive, send)
        except StartError as error:
            await receive()
            await send({"type": "lifespan.startup.failed", "message": str(error)})

    return worker


def _end_after(parent: Any) -> None:
    """Wait until the parent process has ended, then send SIGTERM to this process."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


class SharedQuota(Quota):
    """Quota of which each caller has a share.

    One caller may use the whole quota while no other needs it. When others do, a caller below its
    equal share is let in although the quota is used up: the callers above theirs have to wait.
    """

    def __init__(
        self, settings: Settings, rates: Mapping[str, tuple[int, int]] = MappingProxyType({})
    ) -> None:
        """`rates`: tool -> calls, and the seconds in which there may be that many."""
        super().__init__(settings, rates)
        self._http: HttpSettings = settings.part_settings.get(HttpSettings) or HttpSettings()
        self._begun: Counter[Hashable] = Counter()
        """The calls of each caller since `_since`."""
        self._since = 0.0
        self._own = lru_cache(maxsize=MOST_CALLERS)(self._limits_of)

    def _limits_of(self, key: Hashable) -> tuple[Pace, Place]:
        settings, caller = self._settings, sha256(repr(key).encode()).hexdigest()[:32]
        rate = pace_of(settings, f"calls:{caller}", self._http.call_rate_per_caller, BURST_SECONDS)
        return rate, place_of(settings, f"running:{caller}", self._http.max_calls_per_caller)

    async def refusal(self, name: str, key: Hashable) -> str:
        """Return why a call cannot begin now, after `hold`, or take its turn: an empty text."""
        own, most = self._running[key], self._settings.max_calls
        reason = ""
        if 0 < self._http.max_calls_per_caller <= own:
            reason = TOO_MANY.format(own)
        running = self._running.total()
        has_share = running < 2 * most and own < most // len(self._running | Counter((key,)))
        if running >= most and not has_share:
            reason = limits.FULL.format(running)
        if reason:
            await hold(key)
            return f"{reason}. {LATER.format(name)}"
        wait = await self._own(key)[0].take(longest=0.0) or await self._wait(key)
        if wait:
            await hold(key)
            return limits.too_many("calls", wait, name)
        return ""

    async def _wait(self, key: Hashable) -> float:
        """Return the seconds until the rate of all callers allows a call; 0 if it may begin. A
        caller within its share takes turns up to `BURST_SECONDS` ahead, and the others wait longer.
        """
        now = time.monotonic()
        if now - self._since > BURST_SECONDS:
            self._begun.clear()
            self._since = now
        self._begun[key] += 1
        share = self._settings.call_rate * BURST_SECONDS / len(self._begun)
        if len(self._begun) == 1 or self._begun[key] > share:
            return await self._rate.take(longest=0.0)
        wait = await self._rate.take(longest=BURST_SECONDS)
        return wait if wait > BURST_SECONDS else 0.0

    @asynccontextmanager
    async def running(self, name: str, key: Hashable) -> AsyncIterator[str]:
        """Count a caller's call while it runs; yield why it may not run, or an empty text."""
        reason = f"{TOO_MANY.format(self._http.max_calls_per_caller)}. {LATER.format(name)}"
        async with super().running(name, key), self._own(key)[1](REFUSAL_SECONDS) as is_free:
            yield "" if is_free else reason
