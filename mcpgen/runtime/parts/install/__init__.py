"""The commands `install` and `uninstall`: the server in a client's settings."""

from __future__ import annotations

from .. import Part


def _install(package: str, arguments: list[str]) -> int:
    from .command import main

    return main(package, arguments)


PART = Part(commands={"install": _install, "uninstall": _install})
