"""`mcpgen add kubernetes`, `compose`, `systemd` and `monitoring`: files that run and watch a
project's server elsewhere. They are the user's, like the Dockerfile.
"""

from __future__ import annotations

from pathlib import Path

from ..paths import obstacle, repository
from ..problems import Problems, UsageError
from ..render.deployment import IN_REPOSITORY, deployment
from .run import CommandInput, run


def add_deployment(folder: Path, target: str) -> list[Path]:
    """Write the files of one of `deployment.TARGETS` into `deploy/`, or of one of `IN_REPOSITORY`
    into the git repository; return their paths.

    Raises UsageError, and writes none, if one is in the way, and for `monitoring` without metrics.
    """
    made = run(CommandInput(folder=folder), Problems(), files=False)
    server, home = made.server, folder.resolve()
    if target in IN_REPOSITORY:
        home = repository(home) or home
    if target == "monitoring" and "telemetry" not in server.parts:
        hint = "`mcpgen add production` gives it the part `telemetry`"
        raise UsageError.of("E1191", "this server has no metrics", hint)
    files = deployment(server, target, folder.resolve().relative_to(home).as_posix())
    for name in files:
        blocked = obstacle(home, name)
        if blocked is not None:
            raise UsageError.of("E1201", f"{blocked}", "remove it, or write the files by hand")
        if (home / name).exists():
            raise UsageError.of(
                "E1201",
                f"`{home / name}` is there already",
                "it is yours: edit it, or remove it to have it written again",
                detail=files[name] * (target in IN_REPOSITORY),
            )
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return [home / name for name in files]
