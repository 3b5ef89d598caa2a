"""`mcpgen uninstall`: the server of a project out of a client's settings."""

from __future__ import annotations

from pathlib import Path

from .install import entered


def uninstall(client: str = "", project: Path = Path()) -> int:
    """Remove the server of a project from a client's settings.

    Other entries stay. Copies of the file that `install` kept lose the entry, too.
    """
    return entered("uninstall", client, [], project)
