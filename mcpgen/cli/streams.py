"""Standard streams as a command needs them, whatever the process was given."""

from __future__ import annotations

import codecs
import os
import sys

PLAIN = {"≈": "~", "…": "...", "→": "->", "←": "<-", "·": "-", "─": "-", "“": '"', "”": '"'}
"""Characters that mcpgen prints itself, for terminals that know ASCII alone."""


def make_usable() -> None:
    """Open closed standard streams (`>&-`) to nowhere, and print characters that an encoding lacks
    as ASCII.
    """
    codecs.register_error("mcpgen", _plain)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="mcpgen")


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII for characters that an encoding lacks (`…` → `...`), and the position after
    them.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    spelt = "".join(
        PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode() for char in text
    )
    return spelt, error.end
