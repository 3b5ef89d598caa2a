"""Command line of a server: on stdio, or over HTTP with `--http`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import argparse

    from .app import App
    from .package import Package
    from .parts import Command, Part
    from .settings import Settings

COLLECT_AFTER = 10_000
"""New objects after which Python looks for cycles among them; a call makes none. By default (700,
or 2,000 since 3.13) it looks every few calls: a tenth of the time of calls, and stops of 50 ms.
"""

PATIENCE = 2.0
"""Seconds that a function may go on after the client has left."""


def main(package: str, argv: list[str] | None = None) -> int:
    """Run a command of a package, or without a command serve until the client leaves. `argv` is by
    default the process's.

    Return the exit code: 0 done, 1 wrong settings, 2 wrong usage or no start, 130 interrupted.
    """
    from .package import StartError
    from .results import visible
    from .settings import SettingsError

    arguments = sys.argv[1:] if argv is None else argv
    _replace_closed_streams()
    try:
        return _command(package, arguments)(package, arguments)
    except (StartError, SettingsError) as error:
        for line in visible(str(error)).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return 2 if isinstance(error, StartError) else 1
    except KeyboardInterrupt:
        return 130


def _replace_closed_streams() -> None:
    """Open the null device for each closed standard stream: else the next file would take its
    number. Standard output escapes every character that it cannot write.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _command(package: str, arguments: list[str]) -> Command:
    """Return the command of the first word; without a word, or with an option, `_serve`. Raises
    StartError for any other word.
    """
    word = next(iter(arguments), "-")
    if word.startswith("-"):
        return _serve

    from .arguments import suggest
    from .package import Package, StartError
    from .parts import PARTS, parts_of, remedy

    commands: dict[str, Command] = {"help": lambda package, _: _serve(package, ["--help"])}
    for part in parts_of(Package.named(package).facts()):
        commands |= part.commands
    if word in commands:
        return commands[word]
    for name, each in PARTS.items():
        if word in each.commands:
            raise StartError(f"this server has no command `{word}`: {remedy(name)}")
    names = ", ".join(f"`{name}`" for name in commands)
    hint = suggest(word, list(commands)) or f"; the commands are {names}"
    raise StartError(f"there is no command `{word}`{hint}")


def _serve(package: str, arguments: list[str]) -> int:
    """Serve as the options say, or print the version; return 0 at the end."""
    from .package import Package

    if "--version" in arguments:
        print(_version(package, Package.named(package).facts()))
        return 0
    app, options, settings = prepared(package, arguments, _options)
    if options.http:
        with redirect_stdout(sys.stderr):
            worker = partial(_worker, package, arguments)
            return int(_http().serve(app, options, settings, worker))
    if sys.stdin.isatty():
        print(_waiting(Package.named(package).facts()), file=sys.stderr)
    return _serve_stdio(app, settings)


def prepared(
    package: str, arguments: list[str], read_options: Callable[..., argparse.Namespace]
) -> tuple[App, argparse.Namespace, Settings]:
    """Return the tools of a package, its options and its settings; log as these say. Raises
    StartError and SettingsError.
    """
    from .package import Package

    gc.set_threshold(COLLECT_AFTER)
    home = Package.named(package)
    facts = home.facts()
    options = read_options(arguments, facts, choices(home))
    # What the user's modules print on import must not reach the protocol's stream
    with redirect_stdout(sys.stderr):
        settings = _settings(facts, options)
        app = _app(package, options, settings)
    gc.freeze()  # what is there now stays: a last look at it takes a quarter of a short run
    return app, options, settings


def _listeners(parts: Iterable[Part]) -> list[Any]:
    """Return the modules with the options of transports over a network (`parts.http`)."""
    return [part.listener for part in parts if part.listener is not None]


def _worker(package: str, arguments: list[str], port: int) -> Any:
    """Return the application of one of several processes that serve HTTP at a port."""
    app, options, settings = prepared(package, arguments, _options)
    options.port = port
    return _http().worker_application(app, options, settings)


def _http() -> Any:
    """Return the module `transports.http`, which servers with the part `http` have."""
    return import_module(".transports.http", __package__)


def _settings(facts: dict[str, Any], options: argparse.Namespace) -> Settings:
    """Return the settings of one process; configure the log by them, and write their notes."""
    from . import log
    from .settings import read

    settings: Settings = read(facts, http=options.http)
    for listener in _listeners(settings.parts):
        settings = listener.share(settings, options.workers)
    log.configure(options.log_level, settings.redactor)
    for note in settings.notes:
        if sys.stderr.isatty():
            print(f"note: {note}", file=sys.stderr)
        else:
            log.event("warning", "settings", reason=note)
    return settings


def _app(package: str, options: argparse.Namespace, settings: Settings) -> App:
    """Prepare the parts; return the chosen tools, in the chosen mode. Raises StartError."""
    from .app import App
    from .package import StartError
    from .parts import PARTS

    for part in settings.parts:
        part.prepare(settings, stdio=not options.http)
    options_of_parts = [each.option for each in PARTS.values() if each.option]
    modes = [option for option in options_of_parts if getattr(options, option.lstrip("-"))]
    if len(modes) > 1:
        names = " and ".join(f"`{mode}`" for mode in modes)
        raise StartError(f"{names} are two ways to show the tools: choose one")
    return App(
        package,
        toolsets=_names(options.toolsets),
        tools=_names(options.tools),
        read_only=options.read_only,
        mode=next(iter(modes), ""),
        settings=settings,
    )


def _names(option: str) -> list[str]:
    """Return the names between the commas of an option; none of an empty text."""
    return [name for name in option.split(",") if name]


def _version(package: str, facts: dict[str, Any]) -> str:
    """Return the line of `--version`: the installed version of the server, and the API's."""
    from importlib.metadata import packages_distributions, version

    distributions = packages_distributions().get(package, [])
    installed = version(distributions[0]) if distributions else "(not installed)"
    api = f", for version {facts.get('version')} of the API"
    return f"{facts['name']}-mcp {installed}{api if facts.get('calls_api', True) else ''}"


def _waiting(facts: dict[str, Any]) -> str:
    """Return the notice for a person who starts the server on a terminal."""
    return (
        f"{facts['name']}-mcp is waiting for a client's messages on standard input; clients start"
        f" it themselves.{_abouts(facts)} Ctrl-C ends it."
    )


def _abouts(facts: dict[str, Any]) -> str:
    """Return a sentence about each part of a server that a person uses; a space before each."""
    from .parts import PARTS

    texts = [PARTS[part].about for part in facts.get("parts", ()) if PARTS[part].about]
    return "".join(f" {text.format(command=facts['name'] + '-mcp')}." for text in texts)


def command_line(**about: Any) -> argparse.ArgumentParser:
    """Return a parser of options whose messages show control characters as text: the command line
    may hold any.
    """
    import argparse

    from .results import visible

    class CommandLine(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            super().error(visible(message))

    return CommandLine(**about)


def choices(package: Package) -> argparse.ArgumentParser:
    """Return a parser of the options that choose tools and the way to show them."""
    import argparse

    from .parts import PARTS, parts_of

    parser = command_line(add_help=False)
    parser.add_argument("--toolsets", default="", metavar="A,B", help="offer only these toolsets")
    parser.add_argument(
        "--tools", default="", metavar="A,B", help="offer only these tools, besides the toolsets"
    )
    parser.add_argument(
        "--read-only", action="store_true", help="offer only tools that change nothing"
    )
    modes = {part.mode.option: part.mode.help for part in parts_of(package.facts()) if part.mode}
    for option in (each.option for each in PARTS.values() if each.option):
        text = modes.get(option, argparse.SUPPRESS)
        parser.add_argument(option, action="store_true", help=text)
    return parser


def _options(
    argv: list[str], facts: dict[str, Any], choices: argparse.ArgumentParser
) -> argparse.Namespace:
    """Return the options of a server. Raises StartError for `--http` without the part `http`."""
    from .log import LEVELS
    from .package import StartError
    from .parts import parts_of, remedy

    prefix = facts["env_prefix"]
    parser = command_line(
        prog=f"{facts['name']}-mcp",
        parents=[choices],
        description=f"Serves tools over the Model Context Protocol on stdio.{_abouts(facts)}",
        epilog=f"Credentials and limits come from environment variables that start with {prefix}_",
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    parser.add_argument(
        "--log-level", default="warning", choices=LEVELS, help="what to log on stderr"
    )
    listeners = _listeners(parts_of(facts))
    if "--http" in argv and not listeners:
        raise StartError(f"this server was made without `--http`: {remedy('http')}")
    parser.set_defaults(http=False, workers=1)
    for listener in listeners:
        listener.add_options(parser)
    options = parser.parse_args(argv)
    for listener in listeners:
        listener.check_options(parser, options)
    return options


def _serve_stdio(app: App, settings: Settings) -> int:
    import signal

    import anyio

    from .parts import running
    from .transports.stdio import streams

    # A thread that reads stdin cannot be woken, so Ctrl-C ends the process itself
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

    async def run() -> None:
        async with streams() as (read, write):
            try:
                await app.server.run(read, write, app.server.create_initialization_options())
            finally:
                # Flush what tools printed while stdout still leads to stderr
                sys.stdout.flush()

    with running(app, settings):
        anyio.run(run)
    if _still_busy():
        os._exit(0)  # Python would wait for the function, for ever if it never returns
    return 0


def _still_busy() -> bool:
    """Return whether a function without `async` runs; wait up to `PATIENCE` seconds for its end."""
    import threading
    import time

    until = time.monotonic() + PATIENCE
    others = [each for each in threading.enumerate() if each.name.startswith("AnyIO worker")]
    for thread in others:
        thread.join(max(0.0, until - time.monotonic()))
    return any(thread.is_alive() for thread in others)
