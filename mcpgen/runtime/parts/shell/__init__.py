"""The commands `list`, `describe` and `call`: the tools of a server without a client."""

from __future__ import annotations

import os
import sys

from ...part import Part


def _run(package: str, arguments: list[str]) -> int:
    from ...command import prepared
    from .command import read_options, run

    try:
        code = run(*prepared(package, arguments, read_options))
        sys.stdout.flush()
    except BrokenPipeError:  # `head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


PART = Part(commands=dict.fromkeys(("list", "describe", "call"), _run))
