"""`mcpgen add kubernetes`, `compose`, `systemd` and `monitoring`: what runs and watches a project's
server elsewhere. The files are the user's from their first moment, like the Dockerfile.
"""

from __future__ import annotations

from pathlib import Path

from ..paths import obstacle
from ..problems import Problems, UsageError
from ..render.deployment import deployment
from .run import CommandInput, run


def add_deployment(folder: Path, target: str) -> list[Path]:
    """Write the files of one of `deployment.TARGETS` into `deploy/`; returns them.

    Raises UsageError where a file is there already: then none is written.
    """
    server = run(CommandInput(folder=folder), Problems(), files=False).server
    if target == "monitoring" and "telemetry" not in server.parts:
        hint = "`mcpgen add production` gives it the part `telemetry`"
        raise UsageError.of("E1191", "this server has no metrics", hint)
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
