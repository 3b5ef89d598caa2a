"""The command line of a server: on stdio, or over HTTP with `--http`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .variables import HTTP_VARIABLES

if TYPE_CHECKING:
    import argparse

    from .app import App


def main(package: str, argv: list[str] | None = None) -> int:
    """Serve the package of that import name until the client leaves.

    The exit code: 0 done, 1 wrong settings, 2 wrong usage, 130 interrupted.
    """
    from contextlib import redirect_stdout

    from . import log
    from .package import Package
    from .server.catalog import StartError
    from .settings import SettingsError, read

    known = Package.named(package).facts()
    options = _options(argv, known["name"], known["env_prefix"])
    try:
        # Whatever is printed while your modules are imported must not reach the protocol's stream
        with redirect_stdout(sys.stderr):
            settings = read(known, http=options.http, known=HTTP_VARIABLES)
            log.configure(options.log_level, settings.redactor)
            for note in settings.notes:
                log.event("warning", "settings", reason=note)
            from .app import App

            tools = App(
                package,
                toolsets=(
                    options.toolsets.split(",") if options.toolsets else settings.toolsets or ()
                ),
                read_only=options.read_only or settings.read_only,
                lazy_list=options.lazy,
                settings=settings,
            )
            if options.http:
                from .transports.http import serve

                return serve(tools, options, settings)
        return _serve_stdio(tools)
    except (StartError, SettingsError) as error:
        for line in str(error).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return 2 if isinstance(error, StartError) else 1
    except KeyboardInterrupt:
        return 130


def _options(argv: list[str] | None, name: str, prefix: str) -> argparse.Namespace:
    import argparse

    parser = argparse.ArgumentParser(
        prog=f"{name}-mcp",
        description=(
            "Serves tools over the Model Context Protocol, on stdin and stdout unless --http is"
            " given."
        ),
        epilog=f"Credentials and limits come from environment variables that start with {prefix}_",
    )
    parser.add_argument(
        "--http", action="store_true", help="serve Streamable HTTP at /mcp instead of stdio"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="HOST",
        help=(
            "host name clients use (repeatable); needed, with authentication, for any address but"
            " loopback"
        ),
    )
    parser.add_argument("--toolsets", default="", metavar="A,B", help="offer only these toolsets")
    parser.add_argument(
        "--read-only", action="store_true", help="offer only tools that change nothing"
    )
    parser.add_argument(
        "--lazy",
        action="store_true",
        help="offer three tools that search, describe and call the others",
    )
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=("debug", "info", "warning", "error"),
        help="what to log on stderr",
    )
    return parser.parse_args(argv)


def _serve_stdio(tools: App) -> int:
    import os
    import signal

    import anyio

    from .transports.stdio import streams

    # Where a thread waits for the next line of stdin it cannot be woken: Ctrl-C has to end the
    # process itself
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

    async def run() -> None:
        async with streams() as (read, write):
            try:
                await tools.server.run(read, write, tools.server.create_initialization_options())
            finally:
                # What a tool printed is still buffered; now it goes to stderr, later it would go to
                # the client
                sys.stdout.flush()

    anyio.run(run)
    return 0
