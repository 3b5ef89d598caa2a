"""The commands `list`, `describe` and `call`: the tools of a server without a client."""

from __future__ import annotations

from ...part import Part


def _run(package: str, arguments: list[str]) -> int:
    from ...command import prepared
    from .command import read_options, run

    return run(*prepared(package, arguments, read_options))


PART = Part(commands=dict.fromkeys(("list", "describe", "call"), _run))
