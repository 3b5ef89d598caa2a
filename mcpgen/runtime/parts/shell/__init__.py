"""The commands `list`, `describe` and `call`: the tools of a server without a client."""

from __future__ import annotations

from ...part import Part

COMMANDS = {
    "list": "list the tools; with WORDs, those that have them all in their names and texts",
    "describe": "show what the tool that is named takes",
    "call": "call the tool that is named, with arguments as KEY=VALUE",
}


def _run(package: str, arguments: list[str]) -> int:
    from ...command import prepared
    from .command import read_options, run

    return run(*prepared(package, arguments, read_options))


PART = Part(commands=dict.fromkeys(COMMANDS, _run))
