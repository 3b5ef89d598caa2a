"""`mcpgen verify`: has anybody touched what was generated?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from .screen import Screen, shown

Folder = Annotated[
    Path, typer.Argument(metavar="[DIR]", help="The project's folder. Default: this one.")
]


def verify(
    folder: Folder = Path(),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> int:
    """Recompute every hash in `mcpgen.lock`; exit with 4 when a generated file is not as it was
    generated.

    Neither the document nor the network is needed, and nothing in the project is run.
    """
    from ..project.check import verify as recompute
    from ..project.run import here

    screen = Screen(quiet=quiet or as_json)
    found = recompute((here() or folder) if folder == Path() else folder)
    if as_json:
        screen.data(json.dumps({"verified": not found, "findings": found}, indent=2))
        return 4 if found else 0
    for sentence in found:
        screen.err.print(f"not as generated: {shown(sentence)}")
    if found:
        screen.err.print(
            "  hint: `mcpgen generate` shows each difference and says where it belongs", style="dim"
        )
    else:
        screen.remark("every generated file is as it was generated")
    return 4 if found else 0
