"""Part `http`: Streamable HTTP, its settings and options."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Hashable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from ..package import StartError
from ..secrets import Secret
from ..settings import KIB, MIB, PAGE_BYTES, Settings, port, settings_of, variable
from . import Part

MOST = 256
"""Processes of one server."""
REFUSAL_SECONDS = 1.0
"""Seconds after which a caller is told of a limit."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Variables of HTTP: the callers that are let in, and the limits of their connections."""

    max_calls_per_caller: int = variable(0, "count", "calls", 0, 100_000)
    call_rate_per_caller: float = variable(0.0, "rate", "calls")
    http_token: Secret | None = variable(None, "secret", "http")
    http_other_token: Secret | None = variable(None, "secret", "http")
    http_allowed_origins: tuple[str, ...] = variable((), "names", "http")
    http_body_timeout: float = variable(30.0, "seconds", "http", 0.1, 3600)
    http_idle_timeout: int = variable(75, "count", "http", 1, 3600)
    http_max_connections: int = variable(1024, "count", "http", 1, 100_000, shared=True)
    http_list_bytes: int = variable(PAGE_BYTES, "bytes", "http", 16 * KIB, 100 * MIB)
    http_grace: float = variable(3.0, "seconds", "http", 0.0, 600)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of HTTP to those of a server."""
    parser.add_argument(
        "--http", action="store_true", help="serve Streamable HTTP at /mcp instead of stdio"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument("--port", type=port, default=8000, help="port to listen on (default: 8000)")
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
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="with --http: processes that serve, sharing the port and the limits (default: 1)",
    )


def check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the process with a message if options of HTTP are given without `--http`."""
    for option in ("host", "port", "allowed_host", "workers"):
        if not options.http and getattr(options, option) != parser.get_default(option):
            parser.error(f"--{option.replace('_', '-')} is for --http")


def share(settings: Settings, count: int) -> Settings:
    """Return the settings of one of `count` processes: each gets its part of the `shared` limits,
    of rates only if no part counts them for all. Raises StartError unless `count` is 1 to 256.
    """
    if count == 1:
        return settings
    if not 1 <= count <= MOST:
        raise StartError(f"--workers has to be from 1 to {MOST}")
    counts_together = any(part.pace for part in settings.parts)

    def shared(values: Any, **further: Any) -> Any:
        changes: dict[str, Any] = further
        for each in filter(attrgetter("shared"), settings_of(values)):
            name = each.name.lower()
            if each.kind == "count":
                changes[name] = math.ceil(getattr(values, name) / count)
            elif not counts_together:
                changes[name] = getattr(values, name) / count
        return replace(values, **changes)

    parts = {kind: shared(values) for kind, values in settings.part_settings.items()}
    apis = {name: share(own, count) for name, own in settings.apis.items()}
    shares: Settings = shared(settings, apis=apis, part_settings=parts)
    return shares


async def hold(key: Hashable) -> None:
    """Sleep `REFUSAL_SECONDS` before a refusal, unless `key` is None (stdio): a program that
    repeats a call at once would take the processor from those who keep to the limits.
    """
    if key is not None:
        await asyncio.sleep(REFUSAL_SECONDS)


PART = Part(settings=HttpSettings, listener=sys.modules[__name__])
