"""Part `install`: the commands `install` and `uninstall`, for the server in a client's settings."""

from __future__ import annotations

from collections.abc import Iterable

from .. import Part


def _install(package: str, arguments: list[str]) -> int:
    from .command import main

    return main(package, arguments)


def _clients() -> Iterable[str]:
    from .files import CLIENTS

    return CLIENTS


PART = Part(commands={"install": _install, "uninstall": _install}, words=_clients)
