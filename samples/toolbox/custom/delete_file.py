"""The tool `delete_file`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .places import inside, root

if TYPE_CHECKING:
    from .. import models


def delete_file(*, path: str) -> models.DeleteFileAnswer:
    """Delete one file below the data folder."""
    found = inside(path)
    size = found.stat().st_size
    found.unlink()
    return {"deleted": found.relative_to(root()).as_posix(), "bytes": size}
