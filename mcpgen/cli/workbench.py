"""`mcpgen workbench`: pages on this machine to look at an API as a model will, and to choose."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from functools import partial
from typing import TYPE_CHECKING

from . import interrupts
from .screen import Screen, shown

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

ADDRESS = "127.0.0.1"


def workbench(
    target: str | None = None, port: int = 0, no_browser: bool = False, quiet: bool = False
) -> int:
    """Choose, edit and try tools in a browser.

    Opens pages on this machine alone: what the list costs, every tool with its text, both contracts
    of a tool and a form to call it, what a question finds, problems with their repairs, and what
    changes for callers. Edits are lines of `mcpgen.toml`, and are written when you save them.
    Ctrl-C ends it.
    """
    from ..config import Config
    from ..workbench.app import application
    from ..workbench.bench import Bench
    from .problem_output import tell_kept

    screen = Screen(quiet=quiet)
    sources = () if target is None else (target,)
    with screen.working("reading the document"):
        bench = Bench(Config(sources=sources))
    tell_kept(screen, bench.problems)
    with interrupts.ending_in_order() as first, _listening(port) as listener:
        host = f"{ADDRESS}:{listener.getsockname()[1]}"
        token = secrets.token_urlsafe(24)
        url = f"http://{host}/{token}/"
        app, pages = application(bench, host=host, token=token)
        server = _server(app)
        first.append(partial(setattr, server, "should_exit", True))
        try:
            screen.data(url)
            screen.remark(f"{shown(bench.server.title)}: open this address; Ctrl-C ends it")
            if not no_browser:
                webbrowser.open(url)
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            screen.remark("ended")
        finally:
            pages.caller.close()
    return 0


def _listening(port: int) -> socket.socket:
    """Return a listening socket on loopback: the address works as soon as it is printed. Port 0 is
    any free port. Raises OSError if the port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((ADDRESS, port))
        listener.listen()
    except BaseException:
        listener.close()
        raise
    return listener


def _server(app: ASGIApp) -> uvicorn.Server:
    import uvicorn

    settings = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", server_header=False
    )
    return uvicorn.Server(settings)
