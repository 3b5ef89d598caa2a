"""Serve HTTP from several processes that share one listening socket.

uvicorn starts the processes, and replaces one that dies. The server keeps no sessions, so every
process can answer every request; progress and cancellation belong to one connection, and so to one
process.
"""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import StartError
from ..part import running
from .asgi import ASGIApp, Receive, Scope, Send

if TYPE_CHECKING:
    from ..settings import Settings

MOST = 256
QUEUE = 1024
"""Connections that the system keeps until they are accepted."""
ACCEPTED_AT_ONCE = 1
"""Connections that a process accepts in a row: else the first to wake up has them all."""
LISTENS_SECONDS = 0.5
"""Seconds after which a process that starts listens."""

_SHARED_COUNTS = ("max_calls", "max_concurrency", "max_waiting", "http_max_connections")
_SHARED_RATES = ("call_rate", "rate_limit")


def share(settings: Settings, count: int) -> Settings:
    """Return the settings of one of `count` processes: each gets its part of the limits that hold
    for the server. Raises StartError for a number of processes that cannot be.
    """
    if not 1 <= count <= MOST:
        raise StartError(f"--workers has to be from 1 to {MOST}")
    parts: dict[str, float] = {}
    for name in _SHARED_COUNTS:
        parts[name] = math.ceil(getattr(settings, name) / count)
    if not any(part.pace for part in settings.parts):  # there all processes count together
        for name in _SHARED_RATES:
            parts[name] = getattr(settings, name) / count
    return replace(settings, **parts)  # type: ignore[arg-type]


def supervisor(
    application: Callable[[socket.socket], ASGIApp], bound: socket.socket, **config: Any
) -> Any:
    """Return what runs the processes until all have ended. Each calls `application` with the
    socket, for which both are pickled; `config` goes to uvicorn.
    """
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    own = {**config, "backlog": ACCEPTED_AT_ONCE}
    # The socket goes along: uvicorn's backlog is also how many connections the system keeps
    served = uvicorn.Config(partial(application, bound), factory=True, **own)
    return Multiprocess(served, [bound])


def with_parts(
    guarded: ASGIApp, app: Any, settings: Settings, host: str, bound: socket.socket
) -> ASGIApp:
    """Return the application of a worker, whose life is wrapped in what the parts do around it."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            return await guarded(scope, receive, send)
        asyncio.get_running_loop().call_later(LISTENS_SECONDS, bound.listen, QUEUE)
        try:
            with running(app, settings, host):
                await guarded(scope, receive, send)
        except StartError as error:
            await receive()
            await send({"type": "lifespan.startup.failed", "message": str(error)})

    return application
