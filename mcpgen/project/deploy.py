"""`mcpgen add deploy`: what runs a project's server elsewhere. The files are the user's from their
first moment, like the Dockerfile.
"""

from __future__ import annotations

from pathlib import Path

from ..paths import obstacle
from ..problems import Problems, UsageError
from ..render.deployment import TARGETS, deployment
from .run import CommandInput, run


def add_deployment(folder: Path, target: str) -> list[Path]:
    """Write the files of one of `TARGETS` into `deploy/`; returns them.

    Raises UsageError for another target, and where a file is there already: then none is written.
    """
    if target not in TARGETS:
        targets = ", ".join(f"`{name}`" for name in TARGETS)
        raise UsageError.of("E1190", f"`{target}` is no way to deploy", f"one of {targets}")
    server = run(CommandInput(folder=folder), Problems(), files=False).server
    files = deployment(server, target)
    for name in files:
        blocked = obstacle(folder, name)
        if blocked is not None:
            raise UsageError.of("E1201", f"{blocked}", "remove it, or write the files by hand")
        if (folder / name).exists():
            raise UsageError.of(
                "E1201",
                f"`{folder / name}` is there already",
                "it is yours: edit it, or remove it to have it written again",
            )
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in files]
